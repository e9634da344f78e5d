"""Reads values back from texts, and lists the numbers that a chart's title may quote."""

import math
import re

import numpy as np

from lessons.contract.figure import Figure
from lessons.contract.result import Result
from lessons.contract.words import Words
from lessons.gradient_tricks.text.words import Texts

ROUNDING = 2e-6
"""The share of the largest size below which two numbers count as the same."""

N = r"(−?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+−]\d+)?|−?∞|NaN)"


def pattern(words: Texts, name: str) -> str:
    """A regular expression for a text: each placeholder is a group."""
    found, seen = "", set()
    for place, part in enumerate(re.split(r"\{\{\s*(\w+)[^}]*\}\}", words.texts[name])):
        if place % 2 == 0:
            found += re.escape(part)
        else:
            found += f"(?P={part})" if part in seen else f"(?P<{part}>.+?)"
            seen.add(part)
    return found


def read_back(words: Words, name: str, text: str) -> dict[str, str]:
    """The values filled into the text of this name, by placeholder; {} for another text."""
    found = re.fullmatch(pattern(words, name), text)
    return found.groupdict() if found else {}


def reads(said: str, value: float, digits: int = 3, size: float = 0.0) -> bool:
    """Test whether a title's number is this value in so many digits; 0 may stand for rounding."""
    value, told = float(value), float(said.replace("−", "-").replace("∞", "inf").replace(",", ""))
    if not math.isfinite(value):
        return str(told) == str(value)
    if told == 0 or value == 0:
        return max(abs(value), abs(told)) <= ROUNDING * size
    last = 10.0 ** (math.floor(math.log10(abs(value))) - digits + 1)
    return abs(told - value) <= 0.51 * (min(last, 1) if 1000 <= abs(value) < 1e6 else last)


def numbers_of(result: Result, figure: Figure) -> list[float]:
    """The numbers that a title may quote: facts, points, counts, ends and lengths of lines."""
    found = [one for one in result.facts.values() if isinstance(one, (int, float))]
    lines = [(one.x, one.y) for one in (*result.series, *result.curves, *result.statistics)]
    for x, y in (*lines, *((one["x"], one["y"]) for one in figure.data if "y" in one)):
        known = np.asarray(y, np.float64)[np.isfinite(np.asarray(y, np.float64))]
        found += [len(y), len(known), int((known != 0).sum()), int((known == 0).sum())]
        if len(known):
            found += [x[0], x[-1], y[0], y[-1], known.min(), known.max(), math.hypot(*known)]
    for one in result.series:
        found += [*one.x, *one.y, *(math.hypot(*one.y[at : at + 2]) for at in range(len(one.y)))]
    return found
