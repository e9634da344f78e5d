"""The playground's form: a document as the text of its controls, and back.

Every control has one text under one name: ``program``, ``inputs`` (the names), ``in.x.values``,
``override.1.rule`` and so on. What cannot be read is an error at its control; the text stays.
"""

import contextlib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar, cast

from lessons.contract.parameters import shortest
from lessons.playground.document.check import check_names
from lessons.playground.document.contents import (
    Distribution,
    Document,
    Input,
    Noise,
    Override,
    Plot,
)
from lessons.playground.document.input_text import format_values, read_number, read_values
from lessons.playground.document.words import WORDS
from lessons.playground.language.expressions import Program
from lessons.playground.language.limits import MAX_OVERRIDES
from lessons.playground.language.parse import parse_program
from lessons.playground.language.pasted import output_after, pasted
from lessons.playground.language.playground_error import PlaygroundError
from lessons.text import cited, visible
from lessons.tricks import op_types

Form = dict[str, str]
T = TypeVar("T")

_TEXTS = ("title", "about", "program", "output", "intended", "dtype")
"""Controls whose texts are fields of the document."""
_BLANK = dict.fromkeys(_TEXTS, "") | {
    "dtype": "float64",
    "inputs": "",
    "over": "",
    "low": "-2",
    "high": "2",
    "entry": "1",
}
_NEW_INPUT = {"is": "given", "values": "1", "a": "0.9", "b": "1.1", "seed": "0", "like": ""}
INPUT = (*_NEW_INPUT, "entry")
"""The controls of an input."""
_OVERRIDE = {
    "op": WORDS("no_op"),
    "rule": WORDS("no_rule"),
    "only": "",
}
"""The controls of a row of the override table, and what is said where one is missing."""
_CONTROL = re.compile(
    rf"in\.\w{{1,60}}\.({'|'.join(INPUT)})|override\.([1-9]|1[0-2])\.({'|'.join(_OVERRIDE)})"
)
MOST_TEXT = 45_000
"""Characters kept of one control: more than any is read with, so that it can be refused."""
_MOST_KEPT, _MOST_TEXTS = 64_000, 56
"""Characters and texts kept of inputs that are not named: a message has room for them."""
_SEPARATOR = re.compile(r"[\s,]+")
_NUMBER = re.compile(r"[^\s,\[\]]+")


def form_of(document: Document) -> Form:
    """The controls' texts for a document."""
    plot = document.plot
    form = {name: str(getattr(document, name)) for name in _TEXTS} | {
        "inputs": ", ".join(input_.name for input_ in document.inputs),
        "over": plot.input,
        "low": shortest(plot.low),
        "high": shortest(plot.high),
        "entry": str(plot.entry),
    }
    for input_ in document.inputs:
        texts = {"values": format_values(input_.values)}
        if noise := input_.noise:
            texts = {
                "is": noise.distribution,
                "a": shortest(noise.a),
                "b": shortest(noise.b),
                "seed": str(noise.seed),
                "like": noise.like,
            }
        form |= {f"in.{input_.name}.{word}": text for word, text in texts.items()}
    for place, row in enumerate(document.overrides, start=1):
        texts = {"op": row.op_type, "rule": row.rule, "only": ", ".join(row.only)}
        form |= {f"override.{place}.{word}": text for word, text in texts.items()}
    return complete(form)


def complete(given: Mapping[str, str]) -> Form:
    """A form with a text for every control, an empty row for a next rule, and nothing else.

    Texts of inputs that are not named now are kept, since they may come back: the newest of them.
    """
    known = (name for name in given if name in _BLANK or _CONTROL.fullmatch(name))
    form = _BLANK | {name: given[name][:MOST_TEXT] for name in known}
    named = _readable_names(form)
    others = [name for name in form if name[:3] == "in." and name.split(".")[1] not in named]
    room = _MOST_KEPT
    for place, control in enumerate(reversed(others)):
        room -= len(form[control])
        if place >= _MOST_TEXTS or room < 0:
            del form[control]
    for name in named:
        form |= {c: t for w, t in _NEW_INPUT.items() if (c := f"in.{name}.{w}") not in form}
        if f"in.{name}.entry" not in form:
            number = _moved(form, name)
            form[f"in.{name}.entry"] = number.group() if number else ""
    for place in range(1, rows(form) + 1):
        for word in _OVERRIDE:
            form.setdefault(f"override.{place}.{word}", "")
    return form


def rows(form: Mapping[str, str]) -> int:
    """How many rows the override table shows: up to the last one used, and an empty one."""
    last = [
        place
        for place in range(1, MAX_OVERRIDES + 1)
        if any(form.get(f"override.{place}.{word}", "").strip() for word in _OVERRIDE)
    ]
    return min(max(last, default=0) + 1, MAX_OVERRIDES)


def names(form: Mapping[str, str]) -> list[str]:
    """The inputs' names.

    Raises:
        PlaygroundError: none, too many, or one that is no name.
    """
    found = _words(form["inputs"])
    try:
        check_names(found)
    except PlaygroundError as error:
        raise PlaygroundError(str(error)) from None  # with the name; the control is known here
    return found


def _words(text: str) -> list[str]:
    return [word for word in _SEPARATOR.split(text) if word]


def _readable_names(form: Mapping[str, str]) -> list[str]:
    try:
        return names(form)
    except PlaygroundError:
        return []


def unpacked(form: Form, before: str) -> tuple[Form, str]:
    """The form with the program that pasted code is, and what was done with it.

    Args:
        form: the code stands in it as the program.
        before: the program that ran last; empty where it is not known.
    """
    there = _readable_names(form)
    found = pasted(form["program"], there, before)
    if found is None:
        return form, ""
    made = form | {"program": found.program}
    if found.output:
        made |= {"output": found.output, "inputs": ", ".join(found.inputs or there)}
    for name, values in found.inputs.items():
        if values:
            drawn = values in ("normal", "uniform")
            new = {"is": values, "a": "0", "b": "1"} if drawn else {"values": values}
            made |= {f"in.{name}.{word}": text for word, text in (_NEW_INPUT | new).items()}
            made.pop(f"in.{name}.entry", None)
    said = WORDS("rewritten")
    if found.output:
        inputs, output = visible(made["inputs"], 60), visible(found.output, 32)
        said = WORDS("pasted", inputs=inputs, output=output)
    return complete(made), "\n".join([said, *found.notes])


def without_leftovers(form: Form, good: Mapping[str, str] | None = None) -> tuple[Form, str]:
    """The form without what names a part of a program that was there before, and what was dropped.

    A program that cannot be read drops nothing: it may be half of one.

    Args:
        form: with the program as it is now.
        good: with the program that ran before, if one did.
    """
    try:
        inputs, program = names(form), _program(form)
    except PlaygroundError:
        return form, ""
    made, said = dict(form), []

    def gone(control: str, there: Collection[str]) -> str:
        """Clear a control if nothing has its name any more; return that name, or nothing."""
        if form[control].strip() in ("", *there):
            return ""
        made[control] = ""
        return visible(form[control], 32)

    if name := gone("intended", program.names):
        said.append(WORDS("intended_gone", name=name))
    if name := gone("output", program.names):
        said.append(WORDS("output_gone", name=name, now=program.names[-1]))
    if name := gone("over", inputs):
        said.append(WORDS("over_gone", name=name, now=inputs[0]))
    said += [
        WORDS("shape_gone", name=name, input=one)
        for one in inputs
        if (name := gone(f"in.{one}.like", inputs))
    ]
    for place in range(1, rows(form) + 1):
        lines = _words(form[f"override.{place}.only"])
        if lines and not set(lines) & set(program.names):
            made |= {f"override.{place}.{word}": "" for word in _OVERRIDE}
            op = visible(form[f"override.{place}.op"], 32)
            said.append(WORDS("rule_gone", op=op))
    if made["over"] != form["over"]:
        made["entry"] = "1"
    if good:
        with contextlib.suppress(PlaygroundError):
            before, texts = _program(good), (made["output"], made["intended"])
            made["output"], ended = output_after(before, program, *texts)
            said.append(ended)
    return made, "\n".join(filter(None, said))


def _program(form: Mapping[str, str]) -> Program:
    return parse_program(form["program"].replace("\r\n", "\n").strip("\n"), names(form))


def read(form: Mapping[str, str]) -> tuple[Document | None, dict[str, PlaygroundError]]:
    """The document that a form holds, or None and what cannot be read, by control."""
    errors: dict[str, PlaygroundError] = {}

    def field(control: str, reader: Callable[[str], T]) -> T:
        try:
            return reader(form[control].strip())
        except PlaygroundError as error:
            errors[control] = error
            return reader("1")  # in its place, so that the others are read too

    def input_(name: str) -> Input:
        at = f"in.{name}"
        if form[f"{at}.is"] == "given":
            values = field(f"{at}.values", read_values)
            if not errors:
                field(f"{at}.entry", read_number)
            return Input(name, values)
        return Input(
            name,
            noise=Noise(
                cast(Distribution, form[f"{at}.is"]),
                field(f"{at}.a", read_number),
                field(f"{at}.b", read_number),
                field(f"{at}.seed", _read_whole),
                form[f"{at}.like"],
            ),
        )

    overrides = []
    for row in (f"override.{place}" for place in range(1, rows(form) + 1)):
        op, rule, only = (form[f"{row}.{word}"].split() for word in _OVERRIDE)
        if not (op or rule):
            continue
        for word, text in (("op", op), ("rule", rule)):
            if not text:
                errors[f"{row}.{word}"] = PlaygroundError(_OVERRIDE[word])
        overrides.append(Override(" ".join(op), " ".join(rule), tuple(_words(" ".join(only)))))
    named = field("inputs", lambda text: names({"inputs": text}) if text != "1" else [])
    document = Document(
        inputs=tuple(input_(name) for name in named),
        overrides=tuple(overrides),
        plot=Plot(
            form["over"],
            field("low", read_number),
            field("high", read_number),
            field("entry", _read_whole),
        ),
        **{name: form[name] for name in _TEXTS},
    ).with_(output=form["output"].strip(), intended=form["intended"].strip())
    return (None if errors else document), errors


def _read_whole(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) <= 10:
        return int(text)
    raise PlaygroundError(WORDS("no_whole_number", text=cited(text)))


def control_of(error: PlaygroundError, form: Mapping[str, str]) -> str:
    """The control that an error of the language belongs to; empty where there is none."""
    control, instead = "program", ""
    if error.part == "input":
        word = "values" if form.get(f"in.{error.subject}.is") == "given" else "a"
        control, instead = f"in.{error.subject}.{word}", "inputs"
    elif error.part == "rule":
        known = error.subject in {*op_types(), *op_types().values()}
        word = "rule" if known or error.column else "op"
        ops = {place: form[f"override.{place}.op"].strip() for place in range(1, rows(form) + 1)}
        at = (n for n, op in ops.items() if op.startswith(error.subject.rstrip("…")))
        control = f"override.{next(at, 0)}.{word}"
    elif error.part == "document":
        control = {"plot": "over", "range": "low"}.get(error.subject, error.subject)
    return control if control in form else instead


def with_sliders(form: Form, touched: Sequence[str]) -> Form:
    """A slider and its input's list say the same: the one last touched sets the other."""
    places = {name: place for place, name in enumerate(touched, start=1)}
    made = dict(form)
    for name in _readable_names(form):
        values, entry = f"in.{name}.values", f"in.{name}.entry"
        number = _moved(form, name)
        if number is None:
            continue
        if places.get(entry, 0) <= places.get(values, 0):
            made[entry] = number.group()
            continue
        with contextlib.suppress(PlaygroundError):  # what it cannot be is said at the control
            read_number(form[entry].strip())
            text = form[values]
            made[values] = text[: number.start()] + form[entry].strip() + text[number.end() :]
    return made


def _moved(form: Mapping[str, str], name: str) -> re.Match[str] | None:
    """Where an input's values say the number of its slider: the plotted entry, or the first."""
    numbers = [*_NUMBER.finditer(form[f"in.{name}.values"])]
    entry = form["entry"].strip()
    given = (n for n in _readable_names(form) if form.get(f"in.{n}.is", "given") == "given")
    plotted = name == (form["over"] or next(given, ""))
    place = int(entry[:9]) if plotted and entry.isascii() and entry.isdigit() else 1
    return numbers[min(max(place, 1), len(numbers)) - 1] if numbers else None
