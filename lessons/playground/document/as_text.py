"""A document as text: for files, for the command line, and packed for a URL.

The form, line by line; every line but the inputs and the program may be left out::

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

All below the line ``program`` is the program. Lines that start with # are left out.
"""

import base64
import binascii
import re
import zlib
from typing import Any

from lessons.contract.parameters import shortest
from lessons.playground.document.contents import Document, Input, Override, Plot
from lessons.playground.document.input_text import (
    format_noise,
    format_values,
    read_noise,
    read_number,
    read_values,
)
from lessons.playground.document.words import WORDS
from lessons.playground.language.limits import MAX_DOCUMENT_CHARACTERS
from lessons.playground.language.lookalikes import explain, unshowable
from lessons.playground.language.playground_error import PlaygroundError
from lessons.text import cited, suggestion

_LARGEST_URL = 20_000


def to_text(document: Document) -> str:
    """The document as text; ``from_text`` reads this very document back."""
    told = {"title": _one_line(document.title), "about": _one_line(document.about)}
    lines = [f"{word} {text}" for word, text in told.items() if text]
    for input_ in document.inputs:
        given = format_noise(input_.noise) if input_.noise else format_values(input_.values)
        lines.append(f"input {input_.name} = {given}")
    for row in document.overrides:
        only = f" in {', '.join(row.only)}" if row.only else ""
        lines.append(f"override {row.op_type}{only} = {_one_line(row.rule)}")
    named = {"output": document.output, "intended": document.intended}
    lines += [f"{word} {name}" for word, name in named.items() if name]
    plot = document.plot
    if plot != Plot():
        entry = f" entry {plot.entry}" if plot.entry != 1 else ""
        name = f" {plot.input}" if plot.input else ""
        lines.append(f"plot{name} from {shortest(plot.low)} to {shortest(plot.high)}{entry}")
    if document.dtype != "float64":
        lines.append(f"dtype {document.dtype}")
    return "\n".join([*lines, "program", document.program]) + "\n"


def from_text(text: str) -> Document:
    """Read a document.

    Raises:
        PlaygroundError: with the part "document": a line that cannot be read, and where.
    """
    if len(text) > MAX_DOCUMENT_CHARACTERS:
        message = WORDS("long_document", count=len(text), most=MAX_DOCUMENT_CHARACTERS)
        raise PlaygroundError(message, part="document")
    # Windows' editors put a mark in front that no one sees.
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    fields: dict[str, Any] = {"inputs": (), "overrides": ()}
    for number, line in enumerate(lines, start=1):
        bad = unshowable(line)
        if bad and not line.startswith("program"):
            raise PlaygroundError(explain(bad), number, line.index(bad) + 1, "document")
        word, _, rest = line.strip().partition(" ")
        if not word or word.startswith("#"):
            continue
        if word == "program":
            if rest.strip():
                raise PlaygroundError(WORDS("program_below"), number, 9, "document")
            return Document(program="\n".join(lines[number:]), **fields)
        try:
            _take(fields, word, rest.strip())
        except PlaygroundError as error:
            raise PlaygroundError(error.message, number, 1, "document") from None
    raise PlaygroundError(WORDS("no_program"), len(lines), 1, "document")


def to_url(document: Document) -> str:
    """The document packed for a URL: letters, digits, ``-`` and ``_`` only."""
    packed = zlib.compress(to_text(document).encode("utf-8", "replace"), 9)
    return base64.urlsafe_b64encode(packed).decode("ascii").rstrip("=")


def from_url(packed: str) -> Document:
    """Read what ``to_url`` wrote.

    Raises:
        PlaygroundError: it is cut off, changed, or unpacks to more than a document holds.
    """
    if len(packed) > _LARGEST_URL:
        message = WORDS("long_address", count=len(packed), most=_LARGEST_URL)
        raise PlaygroundError(message, part="document")
    try:
        if not re.fullmatch(r"[A-Za-z0-9_-]*", packed, re.ASCII):
            raise ValueError("a character that is not of the alphabet")
        data = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))
        unpacker = zlib.decompressobj()
        raw = unpacker.decompress(data, 4 * MAX_DOCUMENT_CHARACTERS)
        if not unpacker.eof or unpacker.unused_data:
            raise ValueError("cut off, or too long")
        text = raw.decode("utf-8")
    except (ValueError, binascii.Error, zlib.error) as error:
        raise PlaygroundError(WORDS("cut_address"), part="document") from error
    return from_text(text)


def _one_line(text: str) -> str:
    return " ".join(text.split())


_WORDS = ("title", "about", "output", "intended", "dtype")
_LINES = (*_WORDS, "input", "override", "plot", "program")
"""The words that a line of a document can start with."""


def _take(fields: dict[str, Any], word: str, rest: str) -> None:
    """Read one line into the document's fields."""
    match word:
        case "input":
            fields["inputs"] += (_input(rest),)
        case "override":
            fields["overrides"] += (_override(rest),)
        case "plot":
            if word in fields:
                raise PlaygroundError(WORDS("plot_line"))
            fields["plot"] = _plot(rest)
        case _ if word in _WORDS:
            if word in fields:
                raise PlaygroundError(WORDS("line_twice", name=word))
            if not rest:
                raise PlaygroundError(WORDS("empty_line", name=word))
            fields[word] = rest
        case _:
            near = suggestion(word, _LINES)
            raise PlaygroundError(WORDS("unknown_line", word=cited(word), near=near))


def _input(rest: str) -> Input:
    name, equals, given = (part.strip() for part in rest.partition("="))
    if not equals or not name:
        raise PlaygroundError(WORDS("input_line"))
    drawn = given[:1].isalpha() and given.isascii()
    return Input(name, noise=read_noise(given)) if drawn else Input(name, read_values(given))


def _override(rest: str) -> Override:
    head, equals, rule = (part.strip() for part in rest.partition("="))
    op_type, _, only = head.partition(" ")
    if not equals or not op_type or (only and not only.strip().startswith("in ")):
        raise PlaygroundError(WORDS("override_line"))
    return Override(op_type, rule, tuple(only.strip()[3:].replace(",", " ").split()))


def _plot(rest: str) -> Plot:
    match = re.fullmatch(
        r"(?:(\w+)\s+)?from\s+(\S+)\s+to\s+(\S+)(?:\s+entry\s+(\d{1,6}))?", rest, re.ASCII
    )
    if match is None:
        raise PlaygroundError(WORDS("plot_line"))
    name, low, high, entry = match.groups()
    return Plot(name or "", read_number(low), read_number(high), int(entry or 1))
