"""Grades a prediction: which belief the computed result bears out."""

from collections.abc import Collection, Mapping

from lessons.contract.result import Result


def nearest(result: Result, fact: str, beliefs: Mapping[str, str] | Collection[str]) -> str:
    """The answer whose belief expects a value nearest to what was computed.

    Args:
        result: what the lab computed.
        fact: the name of the computed fact.
        beliefs: for each answer's key, the name of the fact that this belief expects it to equal;
            or such names alone, which are then the keys.
    """
    value = float(result.facts[fact])
    expected = beliefs if isinstance(beliefs, Mapping) else {name: name for name in beliefs}
    return min(expected, key=lambda key: abs(float(result.facts[expected[key]]) - value))


def which(**holds: bool) -> str:
    """Of two, the name of the one of which it holds; ``both`` or ``neither`` otherwise.

    >>> which(extractor=True, classifier=False), which(extractor=True, classifier=True)
    ('extractor', 'both')
    """
    named = [name for name, holding in holds.items() if holding]
    return named[0] if len(named) == 1 else "both" if named else "neither"
