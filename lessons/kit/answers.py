"""Grades a prediction by who of several something holds of."""


def which(**holds: bool) -> str:
    """Of two, the name of the one of which it holds; ``both`` or ``neither`` otherwise.

    >>> which(extractor=True, classifier=False), which(extractor=True, classifier=True)
    ('extractor', 'both')
    """
    named = [name for name, holding in holds.items() if holding]
    return named[0] if len(named) == 1 else "both" if named else "neither"
