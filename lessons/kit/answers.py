"""Grades a prediction: which of two things holds, or which belief is nearest."""

import math
from collections.abc import Mapping


def which(**holds: bool) -> str:
    """The name of the one statement that holds; ``both`` if both do, ``neither`` if none does.

    >>> which(extractor=True, classifier=False), which(extractor=True, classifier=True)
    ('extractor', 'both')
    """
    named = [name for name, holding in holds.items() if holding]
    return named[0] if len(named) == 1 else "both" if named else "neither"


def nearest_factor(factor: float, beliefs: Mapping[str, float]) -> str:
    """The belief nearest to a factor, as powers: 1 is as far from 0.1 as from 10.

    >>> nearest_factor(0.4, {"less": 0.1, "same": 1.0, "more": 10.0})
    'same'
    """
    return min(beliefs, key=lambda name: abs(math.log(factor / beliefs[name])))
