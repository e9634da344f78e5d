"""Reads documents in the format that files and addresses had until 2026: line by line, a word each.

::

    title The obvious place is wrong
    about The root still reads the noisy value.
    input x = [-2, -1, 1]
    input u = uniform(0.9, 1.1) seed 0 like x
    override mul = grad * in2, None
    override identity in z = clip
    output z
    intended wanted
    plot x from -3 to 3 entry 2
    dtype float32
    program
    y = x**2
    yu = y * u
    z = sqrt(yu)
"""

import re
from dataclasses import replace
from typing import Any

from lessons.playground.document.contents import Document, Input, Override
from lessons.playground.document.input_text import read_noise, read_number, read_values
from lessons.playground.document.override_rules import RULES
from lessons.playground.document.words import WORDS
from lessons.playground.language.limits import MAX_CHARACTERS
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.language.refusals import OUR_NAMES

_NOISE = re.compile(r"(uniform|normal)\s*\(([^()]*)\)((?:\s+(?:seed|like)\s+\w+)*)", re.ASCII)
_LEFT = re.compile(r"^[\w ,]+=(?!=)", re.ASCII | re.MULTILINE)
_PLOT = re.compile(r"(?:(\w+)\s+)?from\s+(\S+)\s+to\s+(\S+)(?:\s+entry\s+(\d{1,6}))?", re.ASCII)


def is_earlier(text: str) -> bool:
    """Whether a text is in that format: it has a line ``program``.

    >>> is_earlier("input x = 1\\nprogram\\ny = x"), is_earlier("x = input(1)\\ny = x")
    (True, False)
    """
    return bool(re.search(r"^program[ \t]*$", text, re.MULTILINE))


def read_earlier(text: str) -> tuple[Document, list[tuple[int, int]]]:
    """Read a document in that format, and the places of its program's lines.

    Raises:
        PlaygroundError: a line that can't be read, and where.
    """
    lines = _renamed(text).split("\n")
    fields: dict[str, Any] = {"inputs": (), "overrides": (), "ends": (Input.low, Input.high)}
    above: tuple[str, ...] = ()  # the title and the sentence, as comments
    for number, line in enumerate(lines, start=1):
        word, _, rest = line.strip().partition(" ")
        if word == "program":
            while lines[number:] and not lines[number]:
                number += 1
            program = "\n".join(lines[number:])[: MAX_CHARACTERS + 1]
            places = [(one, 0) for one in range(number + 1, len(lines) + 1)]
            low, high = fields.pop("ends")
            document = Document(program=program, **fields)
            plotted = document.plotted
            inputs = [
                replace(one, low=low, high=high) if one.name == plotted else one
                for one in document.inputs
            ]
            inputs[:1] = [replace(one, above=above) for one in inputs[:1]]
            return document.with_(inputs=tuple(inputs)), places
        if word in ("title", "about"):
            above += (f"# {rest.strip()}",)
        elif word and not word.startswith("#"):
            try:
                _take(fields, word, rest.strip())
            except PlaygroundError as error:
                raise PlaygroundError(error.message, number, 1) from None
    raise PlaygroundError(WORDS("no_inputs"), 1, 1)


def _take(fields: dict[str, Any], word: str, rest: str) -> None:
    match word:
        case "output" | "intended" | "dtype":
            fields[word] = rest
        case "input":
            name, _, given = (part.strip() for part in rest.partition("="))
            fields["inputs"] += (_input(name, given),)
        case "override":
            head, _, rule = (part.strip() for part in rest.partition("="))
            op_type, _, only = head.partition(" ")
            names = tuple(only.strip().removeprefix("in ").replace(",", " ").split())
            rule = RULES[rule][0] if rule in RULES else rule
            fields["overrides"] += (Override(op_type, rule, names),)
        case "plot" if found := _PLOT.fullmatch(rest):
            name, low, high, entry = found.groups()
            fields |= {"over": name or "", "entry": int(entry or 1)}
            fields["ends"] = read_number(low), read_number(high)
        case _:
            raise PlaygroundError(WORDS("earlier_line"))


def _input(name: str, given: str) -> Input:
    if not given[:1].isalpha():
        return Input(name, read_values(given))
    found = _NOISE.fullmatch(given)
    if not found:
        raise PlaygroundError(WORDS("earlier_line"))
    more = re.sub(r"\s+(seed|like)\s+", r", \1=", found[3])
    return Input(name, noise=read_noise(found[1], found[2] + more))


def _renamed(text: str) -> str:
    """The text, with a _ after each of its own names that a function of ours has by now."""
    given = re.findall(r"\w+", " ".join(_LEFT.findall(text)))
    taken = "|".join(name for name in OUR_NAMES if name in given)
    if not taken:
        return text
    # Titles, comments, calls and the first word of an input's line stay.
    pattern = rf"(^(?:title|about) .*|#.*|^input(?= ))|\b(?:{taken})_*\b(?!\s*\()"
    return re.sub(pattern, lambda one: one[1] or f"{one[0]}_", text, flags=re.MULTILINE)
