"""The edges to cut, as an address and a command line write them."""

import re
from collections.abc import Iterable

from lessons.gradient_tricks.recorder.cutting import Cut
from lessons.gradient_tricks.text import cited
from lessons.gradient_tricks.text.words import Texts

WORDS = Texts(__file__)

MOST_CUTS = 64
"""Edges that may be cut at once."""

_EDGE = re.compile(r"([^\s:,]{1,80}):(\d{1,3})", re.ASCII)


def read_cuts(text: str) -> tuple[Cut, ...]:
    """Read the edges from an address or a command line, each once, in order.

    >>> read_cuts("sqrt:0, mul:1")
    (('mul', 1), ('sqrt', 0))

    Raises ValueError, with a sentence for people, for text of another form and for too many.
    """
    words = [word for word in text[:20_000].replace(",", " ").split() if word]
    if len(words) > MOST_CUTS:
        raise ValueError(WORDS("too_many_cuts", most=MOST_CUTS, cuts=len(words)))
    found = []
    for word in words:
        match = _EDGE.fullmatch(word)
        if match is None:
            raise ValueError(WORDS("not_an_edge", text=cited(word, 24)))
        found.append((match[1], int(match[2])))
    return tuple(sorted(set(found)))


def write_cuts(cuts: Iterable[Cut]) -> str:
    """The text that reads back to these cuts.

    >>> write_cuts([("sqrt", 0), ("mul", 1)])
    'mul:1,sqrt:0'
    """
    return ",".join(f"{op}:{operand}" for op, operand in sorted(cuts))
