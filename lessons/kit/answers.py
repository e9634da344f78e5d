"""Grades a prediction: which belief the computed result bears out."""

from collections.abc import Mapping

from lessons.contract.result import Result


def nearest(result: Result, fact: str, beliefs: Mapping[str, str]) -> str:
    """The answer whose belief expects a value nearest to what was computed.

    Args:
        result: what the lab computed.
        fact: the name of the computed fact.
        beliefs: for each answer's key, the name of the fact that this belief expects it to equal.
    """
    value = float(result.facts[fact])
    return min(beliefs, key=lambda key: abs(float(result.facts[beliefs[key]]) - value))
