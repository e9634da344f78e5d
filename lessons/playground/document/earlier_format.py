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

from lessons.playground.document.contents import Document, Input, Noise, Override, Plot
from lessons.playground.document.input_text import read_number, read_values
from lessons.playground.document.override_rules import RULES
from lessons.playground.document.words import WORDS
from lessons.playground.language.limits import MAX_CHARACTERS
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.language.refusals import OUR_NAMES

_NOISE = re.compile(
    r"(uniform|normal)\s*\(\s*([^\s,()]+)\s*,\s*([^\s,()]+)\s*\)"
    r"(?:\s+seed\s+(\d{1,10}))?(?:\s+like\s+(\w+))?",
    re.ASCII,
)
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
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    fields: dict[str, Any] = {"inputs": (), "overrides": ()}
    for number, line in enumerate(lines, start=1):
        word, _, rest = line.strip().partition(" ")
        if word == "program":
            while lines[number:] and not lines[number]:
                number += 1
            program = "\n".join(lines[number:])[: MAX_CHARACTERS + 1]
            places = [(one, 0) for one in range(number + 1, len(lines) + 1)]
            return _renamed(Document(program=program, **fields)), places
        if word and not word.startswith("#"):
            try:
                _take(fields, word, rest.strip())
            except PlaygroundError as error:
                raise PlaygroundError(error.message, number, 1) from None
    raise PlaygroundError(WORDS("no_inputs"), 1, 1)


def _take(fields: dict[str, Any], word: str, rest: str) -> None:
    match word:
        case "title" | "about" | "output" | "intended" | "dtype":
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
            fields["plot"] = Plot(name or "", read_number(low), read_number(high), int(entry or 1))
        case _:
            raise PlaygroundError(WORDS("earlier_line"))


def _input(name: str, given: str) -> Input:
    if not given[:1].isalpha():
        return Input(name, read_values(given))
    found = _NOISE.fullmatch(given)
    if not found:
        raise PlaygroundError(WORDS("earlier_line"))
    kind, a, b, seed, like = found.groups()
    noise = Noise(kind, read_number(a), read_number(b), int(seed or 0), like or "")  # type: ignore[arg-type]
    return Input(name, noise=noise)


def _renamed(document: Document) -> Document:
    """The document with a _ behind each name of its own that is a function's by now."""
    given = [one.name for one in document.inputs]
    given += re.findall(r"\w+", " ".join(_LEFT.findall(document.program)))
    taken = "|".join(name for name in OUR_NAMES if name in given)
    if not taken:
        return document

    def new(text: str) -> str:
        pattern = rf"#.*|\b(?:{taken})_*\b(?!\s*\()"
        return re.sub(pattern, lambda one: one[0] if one[0][0] == "#" else f"{one[0]}_", text)

    inputs = tuple(
        replace(
            one,
            name=new(one.name),
            noise=one.noise and replace(one.noise, like=new(one.noise.like)),
        )
        for one in document.inputs
    )
    return document.with_(
        inputs=inputs,
        program=new(document.program),
        output=new(document.output),
        intended=new(document.intended),
        overrides=tuple(replace(one, only=tuple(map(new, one.only))) for one in document.overrides),
        plot=replace(document.plot, input=new(document.plot.input)),
    )
