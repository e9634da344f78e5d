"""Numbers, lists, names and text, as people read them; ``console`` is the command line."""

import difflib
import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from .words import Texts

WORDS = Texts(__file__, users=(Path(__file__),))


def number(value: float, digits: int = 6) -> str:
    """A number for a table or sentence: at most so many significant digits, a true minus sign.

    >>> number(-0.98026812), number(-0.0), number(float("nan")), number(-float("inf"))
    ('−0.980268', '0', 'NaN', '−∞')
    """
    if math.isfinite(value):
        return f"{value + 0.0:.{digits}g}".replace("-", "−")
    if math.isnan(value):
        return "NaN"
    return "∞" if value > 0 else "−∞"


def factor(text: str) -> str:
    """A number's text as a factor: a minus in front of it needs brackets.

    >>> factor("2"), factor("−2")
    ('2', '(−2)')
    """
    return f"({text})" if text.startswith("−") else text


def listed(words: Sequence[str], most: int = 6) -> str:
    """Words with commas; the rest of a long list as a count.

    >>> listed(["0", "1"]), listed([str(i) for i in range(9)], most=2)
    ('0, 1', '0, 1 and 7 more')
    """
    shown, more = ", ".join(words[:most]), len(words) - most
    return shown if more <= 0 else WORDS("and_more", words=shown, more=more)


def visible(text: str, most: int = 40) -> str:
    """Text of unknown origin for a message: one line, cut short, unprintable characters replaced.

    >>> visible("x" * 50, most=4), visible("a" + chr(0))
    ('xxx…', 'a�')
    """
    shown = text if len(text) <= most else text[: most - 1] + "…"
    return "".join(one if one.isprintable() else "�" for one in shown)


def cited(text: str, most: int = 32) -> str:
    """Text of unknown origin in quotation marks, cut short, unprintable characters replaced.

    >>> cited("x" * 50, most=4), cited("a" + chr(0))
    ('“xxx…”', '“a�”')
    """
    return f"“{visible(text, most)}”"


def counted(count: int, noun: str) -> str:
    """A number and its noun, singular or plural.

    >>> counted(1, "seed"), counted(2000, "draw")
    ('1 seed', '2,000 draws')
    """
    return f"{count:,} {noun if count == 1 else noun + 's'}"


def nearest(text: str, names: Iterable[str]) -> list[str]:
    """The names nearest to a text, two at most, the best first, whatever their case.

    >>> nearest("SQR", ["sqrt", "exp", "square"])
    ['sqrt', 'square']
    """
    folded: dict[str, str] = {}
    for name in names:
        folded.setdefault(name.lower(), name)
    close = difflib.get_close_matches(text[:64].lower(), folded, n=2)
    return [folded[name] for name in close]


def suggestion(text: str, names: Iterable[str]) -> str:
    """Which of these names a text may mean, in a sentence; all of them if it is like none."""
    known = list(names)
    near = nearest(text, known)
    if not near:
        return WORDS("there_are", names=", ".join(known)) if known else WORDS("there_are_none")
    if len(near) == 1:
        return WORDS("did_you_mean", name=near[0])
    return WORDS("did_you_mean_or", one=near[0], other=near[1])
