"""A document as text: a program in torch's own spelling that also runs in a file.

::

    # The root still reads the noisy value.
    x = input([-2, -1, 1], range=(-3, 3))
    u = uniform(0.9, 1.1, like=x, seed=0)
    y = x**2
    with gradient_override_map({"mul": lambda op, grad: (grad * op.inputs[1], None)}):
        yu = y * u
    z = torch.sqrt(yu)
    clean = torch.sqrt(y)
    show(z, x, intended=clean)

The inputs come first. ``show`` says what is differentiated, what is plotted over, and whose
gradient is the intended one.
"""

import base64
import binascii
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from lessons.contract.parameters import shortest
from lessons.gradient_tricks import tricks
from lessons.playground.document.contents import Document, Input, Override
from lessons.playground.document.earlier_format import is_earlier, read_earlier
from lessons.playground.document.input_text import (
    format_noise,
    format_values,
    read_noise,
    read_number,
    read_values,
    read_whole,
)
from lessons.playground.document.override_rules import (
    read_override,
    read_rule,
    rule_in_python,
    rules_of_map,
)
from lessons.playground.document.words import WORDS
from lessons.playground.language.emit import in_torch
from lessons.playground.language.expressions import Program, op_types
from lessons.playground.language.limits import MAX_DOCUMENT_CHARACTERS
from lessons.playground.language.parse import parse_program
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.language.refusals import explain, unshowable

IMPORTS = "import torch\nfrom gradient_tricks.playground import *\n"
"""The lines that a program needs above it in a file."""
_LARGEST_URL = 20_000
_INDENT = "    "
_IMPORT = re.compile(r"import torch|from gradient_tricks\.playground import \*")
_INPUT = re.compile(r"(\w+)\s*=\s*(input|uniform|normal)\s*\((.*)\)", re.DOTALL)
_RANGE = re.compile(r"(.*?),\s*range\s*=\s*\(([^(),]*),([^(),]*)\)\s*", re.DOTALL)
_MAP = re.compile(r"with\s+gradient_override_map\s*\(\s*\{(.*)\}\s*\)\s*:", re.DOTALL)
_SHOW = re.compile(
    r"show\s*\(\s*(\w+)\s*(?:,\s*(\w+)\s*)?((?:,\s*(?:intended|entry)\s*=\s*\w+\s*)*)\)"
)
_DTYPE = re.compile(r"torch\.set_default_dtype\(\s*torch\.(?P<dtype>\w+)\s*\)")
_DEVICE = re.compile(r"torch\.set_default_device\(\s*[\"'](?P<device>[\w:]{1,20})[\"']\s*\)")
_COMMENT = re.compile(r"#.*")
_OWN_LINE = re.compile(
    r"^(\w+\s*=\s*(input|uniform|normal)\s*\(|with gradient_override_map|show\s*\()", re.MULTILINE
)
_NAMES = re.compile(r"(\w+(?:\s*,\s*\w+)*)\s*(?:,\s*)?=(?!=)")


@dataclass
class Reading:
    """A document, and where its parts stand in a text.

    Args:
        document: what was read.
        lines: the program's lines: of each, its line in the text, from 1, and its indent.
        parts: the line of each input, of each op type's rule, of number format, device and
            ``show``, by name.
    """

    document: Document = field(default_factory=lambda: Document((), ""))
    lines: list[tuple[int, int]] = field(default_factory=list)
    parts: dict[str, int] = field(default_factory=dict)

    def placed(self, error: PlaygroundError) -> PlaygroundError:
        """An error of the document, as one at a place of the text."""
        line, column = error.line, error.column
        if error.part == "program" and 0 < line <= len(self.lines):
            line, indent = self.lines[line - 1]
            return PlaygroundError(error.message, line, column + indent)
        shown = self.parts.get("show", 0) if error.part == "document" else 0
        line = self.parts.get(error.subject, shown)
        return PlaygroundError(error.message, line, int(line > 0))


def from_text(text: str) -> Document:
    """Read a document, in today's format or in the earlier one.

    Raises:
        PlaygroundError: a line that can't be read, and where.
    """
    return read_text(text).document


def read_text(text: str) -> Reading:
    """As ``from_text``, with the places of what was read."""
    if len(text) > MAX_DOCUMENT_CHARACTERS:
        raise PlaygroundError(WORDS("long_document", count=len(text), most=MAX_DOCUMENT_CHARACTERS))
    # Windows' editors put a mark in front that no one sees.
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if is_earlier(text):
        document, lines = read_earlier(text)
        return Reading(document, lines)
    for number, line in enumerate(text.split("\n"), start=1):
        if bad := unshowable(line.partition("#")[2]):
            raise PlaygroundError(explain(bad), number, line.index(bad) + 1)
    reader = _Reader()
    for number, line in _statements(text):
        try:
            reader.take(number, line)
        except PlaygroundError as error:
            # The place of an error in a rule or an input is one in that text.
            own = error.part == "program" and error.line
            place = (error.line, error.column) if own else (number, 1)
            raise PlaygroundError(error.message, *place) from None
    return reader.whole()


def to_text(document: Document) -> str:
    """The document as text; ``from_text`` reads it back.

    Raises:
        PlaygroundError: its program or a rule can't be read.
    """
    names = [one.name for one in document.inputs]
    program = parse_program(document.program, names)
    lines: list[str] = []
    if document.dtype != "float64":
        lines.append(f"torch.set_default_dtype(torch.{document.dtype})")
    if document.device != "cpu":
        lines.append(f'torch.set_default_device("{document.device}")')
    for one in document.inputs:
        values = format_noise(one.noise) if one.noise else f"input({format_values(one.values)})"
        if (one.low, one.high) != (Input.low, Input.high):
            values = f"{values[:-1]}, range=({shortest(one.low)}, {shortest(one.high)}))"
        remark = f"  # {one.remark}" if one.remark else ""
        lines += [*one.above, f"{one.name} = {values}{remark}"]
    counts = _outputs(program)
    rules = [
        (row, rule_in_python(read_rule(row), counts.get(row.op_type, 1)))
        for row in document.overrides
    ]
    output = document.output or program.names[-1]
    for rows, group in _blocks(in_torch(program), _held(document.overrides, program, output)):
        indent = ""
        if rows:
            indent = _INDENT
            entries = [f'"{row.op_type}": {rule}' for row, rule in rules if row in rows]
            lines.append(f"with gradient_override_map({{{', '.join(entries)}}}):")
        lines += [f"{indent}{line}" if line.strip() else "" for line in group]
    shown = [output, *([document.plotted] if document.plotted else [])]
    shown += [f"intended={document.intended}"] if document.intended else []
    shown += [f"entry={document.entry}"] if document.entry != 1 else []
    lines.append(f"show({', '.join(shown)})")
    return "\n".join(lines) + "\n"


def _outputs(program: Program) -> dict[str, int]:
    """How many outputs an op has, by its type in the engine's words and TensorFlow's, if several;
    of ``topk`` the program reads only one."""
    lines = [line for line in program.assignments if len(line.names) > 1]
    counts = {"topk": 2} | {op: len(line.names) for line in lines for op in op_types(line.value)}
    names = tricks.op_types()
    return counts | {names[op] or op: count for op, count in counts.items()}


def is_text(text: str) -> bool:
    """Whether a text, right or wrong, has a line that only a playground's text has."""
    return bool(_OWN_LINE.search(text))


def _statements(text: str) -> list[tuple[int, str]]:
    """The text's statements, each with the number of its first line; brackets join lines."""
    found: list[tuple[int, str]] = []
    depth = 0
    for number, line in enumerate(text.split("\n"), start=1):
        if depth > 0:
            first, before = found[-1]
            found[-1] = first, f"{before}\n{line}"
        else:
            found.append((number, line))
        code = line.partition("#")[0]
        depth += sum(map(code.count, "([{")) - sum(map(code.count, ")]}"))
    return found


class _Reader:
    """Reads a document statement by statement."""

    def __init__(self) -> None:
        self.inputs: list[Input] = []
        self.rows: dict[tuple[str, str], list[str]] = {}  # the names on whose lines each holds
        self.program: list[str] = []
        self.started = False  # whether the program has a statement
        self.fields: dict[str, Any] = {}
        self.places = Reading()
        self.block: list[tuple[str, str]] | None = None  # the rules of the with that is open
        self.indent = ""
        self.header = 0  # where that with is, until a statement stands in it
        self.ended = False

    def take(self, number: int, line: str) -> None:
        """Read the next statement; `number` is that of its first line."""
        bare = line.strip()
        if _IMPORT.fullmatch(bare) or (not bare and not self.program):
            return
        if self.ended and bare and not bare.startswith("#"):
            raise PlaygroundError(WORDS("show_is_last"))
        if bare.startswith("#"):
            self._keep(number, line, line[: line.index("#")])
        elif bare != line.rstrip() and bare:
            self._in_block(number, line)
        else:
            if bare:
                self._close()
            self._unindented(number, line, bare)

    def _unindented(self, number: int, line: str, bare: str) -> None:
        """Read a statement outside of any block: an input, with, show or a line of the program."""
        code, comments = _parted(bare)
        if found := _INPUT.fullmatch(code):
            if self.started:
                raise PlaygroundError(WORDS("inputs_first"))
            self.places.parts.setdefault(found[1], number)
            self.inputs.append(self._input(found[1], found[2], found[3], comments))
            self.program, self.places.lines = [], []  # the comments above it are the input's
            return
        if code.startswith("with ") or code == "with":
            self._open_map(number, code)
        elif code.startswith(("show(", "show (")):
            self._show(number, code)
        elif found := _DTYPE.fullmatch(code) or _DEVICE.fullmatch(code):
            self.fields |= found.groupdict()
            self.places.parts |= dict.fromkeys(found.groupdict(), number)
        else:
            comments = [line]
        for kept in comments:  # those of a line that is none of the program's, too
            self._keep(number, kept)

    def _keep(self, number: int, statement: str, indent: str = "") -> None:
        """Take up a statement of the program, without its indent."""
        if _parted(statement)[0]:
            self.started, self.header = True, 0
        for place, line in enumerate(statement.split("\n")):
            bare = line.removeprefix(indent)
            self.program.append(bare.rstrip())
            self.places.lines.append((number + place, len(line) - len(bare)))

    def _in_block(self, number: int, line: str) -> None:
        """Read a line of the program that the rules of the open block hold for."""
        here = line[: len(line) - len(line.lstrip())]
        if self.block is None or here != (self.indent or here):
            raise PlaygroundError(WORDS("indented"))
        self.indent = here
        self._keep(number, line, here)
        for row in self.block:
            self.rows[row] += _names(line.strip())

    def _open_map(self, number: int, code: str) -> None:
        """Open the block of a gradient_override_map."""
        found = _MAP.fullmatch(code)
        self.block, self.indent = rules_of_map(found[1] if found else ""), ""
        for row in self.block:
            self.places.parts[row[0]] = number
            self.rows.setdefault(row, [])
        self.header = number

    def _close(self) -> None:
        """End the block that is open."""
        if self.header:
            raise PlaygroundError(WORDS("empty_block"), self.header, 1)
        self.block = None

    def _input(self, name: str, kind: str, given: str, comments: list[str]) -> Input:
        """The input on a line, whose own comments are its remark."""
        said = " ".join(comment.lstrip("# ") for comment in comments)
        made = Input(name, remark=said, above=tuple(self.program))
        if kind != "input":
            return replace(made, noise=read_noise(kind, given))
        if found := _RANGE.fullmatch(given):
            low, high = (read_number(found[end].strip()) for end in (2, 3))
            made, given = replace(made, low=low, high=high), found[1]
        return replace(made, values=read_values(given))

    def _show(self, number: int, bare: str) -> None:
        """Read the last line: what is differentiated, plotted and intended."""
        found = _SHOW.fullmatch(bare)
        if not found:
            raise PlaygroundError(WORDS("show_line"))
        self.ended = True
        self.places.parts["show"] = number
        named = dict(re.findall(r"(intended|entry)\s*=\s*(\w+)", found[3]))
        self.fields |= {"output": found[1], "over": found[2] or ""}
        self.fields |= {"intended": "", **named, "entry": read_whole(named.get("entry", "1"))}

    def whole(self) -> Reading:
        """Return the whole text as read."""
        self._close()
        while self.program and not self.program[0]:
            del self.program[0], self.places.lines[0]
        self.places.document = Document(
            inputs=tuple(self.inputs),
            program="\n".join(self.program),
            overrides=tuple(Override(*row, tuple(only)) for row, only in self.rows.items()),
            **self.fields,
        )
        return self.places


def _parted(statement: str) -> tuple[str, list[str]]:
    """A statement without its comments, and these."""
    return _COMMENT.sub("", statement).strip(), _COMMENT.findall(statement)


def _names(line: str) -> list[str]:
    """The names that a line of a program gives."""
    found = _NAMES.match(line)
    return re.split(r"\s*,\s*", found[1]) if found else []


def _held(
    overrides: tuple[Override, ...], program: Program, output: str
) -> dict[Override, set[str]]:
    """The names on whose lines each rule holds: if it says none, where the output has such ops."""
    behind = program.behind(output)
    found = {}
    for one in overrides:
        types = set(read_override(one).op_types)
        lines = [line for line in program.assignments if types & {*line.op_types}]
        own = {name for line in lines for name in line.names} & behind
        found[one] = set(one.only) or own or behind
    return found


def _blocks(
    program: str, held_by: Mapping[Override, set[str]]
) -> list[tuple[list[Override], list[str]]]:
    """The program's lines in groups, each under the same rules.

    Comments and blank lines between two groups are at the left edge.
    """
    groups: list[tuple[list[Override], list[str]]] = [([], [])]
    between: list[str] = []
    for _, statement in _statements(program):
        lines = statement.split("\n")
        names = set(_names(statement))
        held = [one for one, on in held_by.items() if names & on]
        if not names:
            between += lines
            continue
        if held == groups[-1][0]:
            groups[-1][1].extend([*between, *lines])
        else:
            groups += [([], between), (held, lines)]
        between = []
    return [*groups, ([], between)]


def packed(text: str) -> str:
    """A text packed for a URL: letters, digits, ``-`` and ``_`` only."""
    data = zlib.compress(text.encode("utf-8", "replace"), 9)
    return base64.urlsafe_b64encode(data).decode("ascii").rstrip("=")


def unpacked(packed: str) -> str:
    """The text that was packed for a URL.

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
        return raw.decode("utf-8")
    except (ValueError, binascii.Error, zlib.error) as error:
        raise PlaygroundError(WORDS("cut_address"), part="document") from error
