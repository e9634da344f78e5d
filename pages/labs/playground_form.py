"""The playground's form: a document as the text of its controls, and back.

Every control has one text under one name: ``program``, ``inputs`` (the names), ``in.x.values``,
``override.1.rule`` and so on. What cannot be read is an error at its control; the text stays.
"""

import contextlib
import itertools
import re
from collections.abc import Mapping, Sequence

from lessons.playground import (
    Document,
    Input,
    Noise,
    Override,
    PlaygroundError,
    Plot,
    format_values,
    read_values,
)
from lessons.playground.document.check import check_name
from lessons.playground.document.contents import Numbers, shape_of
from lessons.playground.document.input_text import read_number, shortest
from lessons.playground.language.expressions import Program
from lessons.playground.language.limits import MAX_CHARACTERS, MAX_INPUTS, MAX_OVERRIDES
from lessons.playground.language.parse import parse_program
from lessons.text import listed, visible
from lessons.tricks import op_types
from pages.labs.playground_pasted import pasted_function, without_imports

Form = dict[str, str]

KINDS = ("given", "uniform", "normal")
_NEW_INPUT = {"is": "given", "values": "1", "a": "0.9", "b": "1.1", "seed": "0", "like": ""}
INPUT = (*_NEW_INPUT, "entry")
"""The controls of an input."""
_OVERRIDE = ("op", "rule", "only")
_FIELDS = (
    *("title", "about", "program", "inputs", "output", "intended"),
    *("over", "low", "high", "entry", "dtype"),
)
_CONTROL = re.compile(
    r"in\.\w{1,60}\.(is|values|a|b|seed|like|entry)|override\.\d{1,2}\.(op|rule|only)"
)
LONGEST = 40_000
"""Characters kept of the controls of inputs that are no longer named."""
_WORDS = re.compile(r"[\s,]+")


def form_of(document: Document) -> Form:
    """The controls' texts for a document."""
    plot = document.plot
    form = {
        "title": document.title,
        "about": document.about,
        "program": document.program,
        "inputs": ", ".join(input_.name for input_ in document.inputs),
        "output": document.output,
        "intended": document.intended,
        "over": plot.input,
        "low": shortest(plot.low),
        "high": shortest(plot.high),
        "entry": str(plot.entry),
        "dtype": document.dtype,
    }
    for input_ in document.inputs:
        form |= {f"in.{input_.name}.{word}": text for word, text in _texts(input_).items()}
    for place, row in enumerate(document.overrides, start=1):
        texts = (row.op_type, row.rule, ", ".join(row.only))
        form |= {f"override.{place}.{w}": t for w, t in zip(_OVERRIDE, texts, strict=True)}
    return complete(form)


def _texts(input_: Input) -> Form:
    if input_.noise is None:
        return _NEW_INPUT | {"values": format_values(input_.values)}
    noise = input_.noise
    return _NEW_INPUT | {
        "is": noise.distribution,
        "a": shortest(noise.a),
        "b": shortest(noise.b),
        "seed": str(noise.seed),
        "like": noise.like,
    }


def blank() -> Form:
    """The texts that every form has, empty."""
    return dict.fromkeys(_FIELDS, "") | {"low": "-2", "high": "2", "entry": "1", "dtype": "float64"}


def known_control(name: str) -> bool:
    """Whether a form may have a control of that name."""
    return name in _FIELDS or _CONTROL.fullmatch(name) is not None


def complete(form: Mapping[str, str]) -> Form:
    """The same form with texts for every input that is named, and an empty row for a next rule.

    Texts of inputs that are no longer named are kept, for they may come back, but not many: the
    newest ``MAX_INPUTS``, and of these no more than ``LONGEST`` characters.
    """
    named = _readable_names(form)
    kept = {*named, *_gone(form, named)}
    made = {
        name: text
        for name, text in form.items()
        if not name.startswith("in.") or name.split(".")[1] in kept
    }
    for name in named:
        for word, text in _NEW_INPUT.items():
            made.setdefault(f"in.{name}.{word}", text)
        made.setdefault(f"in.{name}.entry", moved_entry(made, name))
    count = rows(made)
    for place in range(1, count + 1):
        made |= {f"override.{place}.{w}": made.get(f"override.{place}.{w}", "") for w in _OVERRIDE}
    last = any(made[f"override.{count}.{word}"].strip() for word in _OVERRIDE) if count else True
    if last and count < MAX_OVERRIDES:
        made |= {f"override.{count + 1}.{word}": "" for word in _OVERRIDE}
    return made


def _gone(form: Mapping[str, str], named: Sequence[str]) -> list[str]:
    """The inputs that are no longer named and whose texts are kept, the newest first."""
    sizes: dict[str, int] = {}
    for control, text in form.items():
        if control.startswith("in."):
            name = control.split(".")[1]
            sizes[name] = sizes.get(name, 0) + len(text)
    newest = [name for name in reversed(sizes) if name not in named][:MAX_INPUTS]
    totals = itertools.accumulate(sizes[name] for name in newest)
    return [name for name, upto in zip(newest, totals, strict=True) if upto <= LONGEST]


def rows(form: Mapping[str, str]) -> int:
    """How many rows the override table has, empty ones too."""
    count = 0
    while f"override.{count + 1}.op" in form:
        count += 1
    return count


def names(form: Mapping[str, str]) -> list[str]:
    """The inputs' names.

    Raises:
        PlaygroundError: none, too many, or one that is no name.
    """
    found = [word for word in _WORDS.split(form["inputs"][:2000].strip()) if word]
    if not found:
        raise PlaygroundError("Name the inputs, as in x, u: a program needs one at least.")
    if len(found) > MAX_INPUTS:
        raise PlaygroundError(f"There are {len(found)} inputs; at most {MAX_INPUTS} are read.")
    for name in found:
        try:
            check_name(name)
        except PlaygroundError as error:
            raise PlaygroundError(str(error).removeprefix("Input ")) from None
        if found.count(name) > 1:
            raise PlaygroundError(f"{name} stands twice. Choose another name for one of them.")
    return found


def _readable_names(form: Mapping[str, str]) -> list[str]:
    try:
        return names(form)
    except PlaygroundError:
        return []


def unpacked(form: Form) -> tuple[Form, str]:
    """The form with the body of a function that was pasted as the program, and what was done.

    Of another program the imports at its top go.
    """
    if len(form["program"]) > MAX_CHARACTERS:
        return form, ""
    pasted = pasted_function(form["program"])
    if pasted is None:
        program, imports = without_imports(form["program"])
        shown = listed([f"“{visible(one)}”" for one in imports], 3)
        note = f"Left out: {shown}. The functions of torch are known here without an import."
        return form | {"program": program}, note if imports else ""
    before = _readable_names(form)
    made = form | {"program": pasted.program, "output": pasted.output}
    if pasted.inputs:
        made["inputs"] = ", ".join(pasted.inputs)
        first = pasted.inputs[0]
        if before and first not in before and before[0] not in pasted.inputs:
            # The first argument is the first input under another name.
            made |= {f"in.{first}.{word}": form[f"in.{before[0]}.{word}"] for word in INPUT}
    return complete(made), (
        f"The function’s body is the program now. Inputs: {visible(made['inputs'], 60)}. Output: "
        f"{visible(pasted.output, 32)}."
    )


def without_leftovers(form: Form, good: Mapping[str, str] | None = None) -> tuple[Form, str]:
    """The form without what names a part of a program that was there before, and what was dropped.

    A program that cannot be read drops nothing: it may be half of one.

    Args:
        form: with the program as it is now.
        good: with the program that ran before, if one did.
    """
    try:
        inputs = names(form)
        program = _program(form)
    except PlaygroundError:
        return form, ""
    known = program.names
    made, dropped = dict(form), []
    for control, label, there in (
        ("intended", "Intended", known),
        ("output", "Output", known),
        ("over", "Plot over", inputs),
        *((f"in.{name}.like", f"Shape of {name}", inputs) for name in inputs),
    ):
        if form[control].strip() and form[control].strip() not in there:
            made[control] = ""
            dropped.append(f"“{label}: {visible(form[control], 32)}”")
    for place in range(1, rows(form) + 1):
        lines = _WORDS.split(form[f"override.{place}.only"].strip())
        if lines != [""] and not set(lines) & set(known):
            made |= {f"override.{place}.{word}": "" for word in _OVERRIDE}
            dropped.append(f"the rule for {visible(form[f'override.{place}.op'], 32)}")
    if made["over"] != form["over"]:
        made["entry"] = "1"
    gone = f"Dropped, since the program no longer has that name: {listed(dropped)}."
    made["output"], ended = _output_after(program, made, good)
    return made, " ".join(text for text in (gone if dropped else "", ended) if text)


def _output_after(program: Program, form: Form, good: Mapping[str, str] | None) -> tuple[str, str]:
    """The output of a program that ends otherwise than the one before, and what to say of it.

    A program that is pasted over another may share a name with it by chance, such as z. Its own
    end is what its author looks at.
    """
    output, last = form["output"].strip(), program.names[-1]
    try:
        before = _program(good) if good else None
    except PlaygroundError:
        before = None
    if before is None or output in ("", last) or last in (before.names[-1], form["intended"]):
        return form["output"], ""
    if _line_of(program, output) == _line_of(before, output):
        return form["output"], (
            f"The output is still {output}, not the last name, {last}. Change it under “Output”."
        )
    return "", f"The output is now {last}, the last name; it was {output}."


def _program(form: Mapping[str, str]) -> Program:
    return parse_program(form["program"].replace("\r\n", "\n").strip("\n"), names(form))


def _line_of(program: Program, name: str) -> str:
    """The text that gives a name; empty where none does."""
    found = (line for line in program.assignments if name in line.names)
    return next((program.text[line.span.start : line.span.end] for line in found), "")


def read(form: Mapping[str, str]) -> tuple[Document | None, dict[str, PlaygroundError]]:
    """The document that a form holds, or None and what is wrong, by control."""
    reader = _Reader(form)
    document = reader.document()
    return (None if reader.errors else document), reader.errors


class _Reader:
    """Reads control by control, so that each can have its own error."""

    def __init__(self, form: Mapping[str, str]) -> None:
        self.form = form
        self.errors: dict[str, PlaygroundError] = {}

    def document(self) -> Document:
        try:
            inputs = tuple(self._input(name) for name in names(self.form))
        except PlaygroundError as error:
            self.errors["inputs"] = error
            inputs = ()
        overrides = (self._override(place) for place in range(1, rows(self.form) + 1))
        form = self.form
        return Document(
            inputs=inputs,
            program=form["program"],
            output=form["output"].strip(),
            overrides=tuple(row for row in overrides if row is not None),
            plot=Plot(
                form["over"], self._number("low"), self._number("high"), self._whole("entry", 1)
            ),
            intended=form["intended"].strip(),
            dtype=form["dtype"],
            title=form["title"],
            about=form["about"],
        )

    def _input(self, name: str) -> Input:
        def control(word: str) -> str:
            return f"in.{name}.{word}"

        kind = self.form[control("is")]
        if kind == "given":
            try:
                values: Numbers = read_values(self.form[control("values")])
                self._number(control("entry"))
            except PlaygroundError as error:
                self.errors[control("values")] = error
                values = 0.0
            return Input(name, values)
        if kind not in KINDS:
            self.errors[control("is")] = PlaygroundError(f"An input is one of: {', '.join(KINDS)}.")
        noise = Noise(
            "uniform" if kind == "uniform" else "normal",
            self._number(control("a")),
            self._number(control("b")),
            self._whole(control("seed"), 0),
            self.form[control("like")],
        )
        return Input(name, noise=noise)

    def _override(self, place: int) -> Override | None:
        op, rule, only = (self.form[f"override.{place}.{word}"] for word in _OVERRIDE)
        named = tuple(word for word in _WORDS.split(only.strip()) if word)
        if not (op.strip() or rule.strip()):
            return None
        if not op.strip():
            message = "Which op type does this rule stand for? Take one that is offered."
            self.errors[f"override.{place}.op"] = PlaygroundError(message)
        if not rule.strip():
            message = "Write a rule, as in grad * 0.5, or take one that is offered."
            self.errors[f"override.{place}.rule"] = PlaygroundError(message)
        return Override(op.strip(), " ".join(rule.split()), named)

    def _number(self, control: str) -> float:
        try:
            return read_number(self.form[control].strip())
        except PlaygroundError as error:
            self.errors[control] = error
            return 0.0

    def _whole(self, control: str, least: int) -> int:
        text = self.form[control].strip()
        if text.isascii() and text.isdigit() and len(text) <= 10 and int(text) >= least:
            return int(text)
        shown = text[:20] or "nothing"
        message = f"{shown} is no whole number from {least} on. Write one, as in {least}."
        self.errors[control] = PlaygroundError(message)
        return least


def control_of(error: PlaygroundError, form: Mapping[str, str]) -> str:
    """The control that an error of the language belongs to; empty where there is none."""
    if error.part == "input":
        word = "values" if form.get(f"in.{error.subject}.is") == "given" else "a"
        control = f"in.{error.subject}.{word}"
        return control if control in form else "inputs"
    if error.part == "rule":
        table = op_types()
        known = error.subject in table or error.subject in table.values()
        for place in range(1, rows(form) + 1):
            if form[f"override.{place}.op"].strip().startswith(error.subject.rstrip("…")):
                return f"override.{place}.{'rule' if known or error.column else 'op'}"
        return ""
    if error.part == "document":
        fields = {"plot": "over", "range": "low"}
        control = fields.get(error.subject, error.subject)
        return control if control in form else ""
    return "program"


def moved_entry(form: Mapping[str, str], name: str) -> str:
    """The number that an input's slider shows: that of the plotted entry, or the only one."""
    try:
        flat = _flat(read_values(form[f"in.{name}.values"]))
    except PlaygroundError:
        return ""
    return shortest(flat[min(_place(form, name), len(flat) - 1)])


def with_entry(form: Mapping[str, str], name: str, text: str) -> str:
    """The input's values with that entry set; the slider's own text where it is no number.

    Raises:
        PlaygroundError: the values or the text cannot be read.
    """
    values = read_values(form[f"in.{name}.values"])
    flat, number = _flat(values), read_number(text.strip())
    flat[min(_place(form, name), len(flat) - 1)] = number
    shape = shape_of(values)
    if not shape:
        return shortest(number)
    if len(shape) == 1:
        return format_values(tuple(flat))
    width = shape[1]
    return format_values(tuple(tuple(flat[i : i + width]) for i in range(0, len(flat), width)))


def _place(form: Mapping[str, str], name: str) -> int:
    entry = form["entry"].strip()
    over = form["over"] or next(
        (n for n in _readable_names(form) if form.get(f"in.{n}.is", "given") == "given"), ""
    )
    moves = name == over and entry.isascii() and entry.isdigit() and int(entry[:9]) > 0
    return int(entry[:9]) - 1 if moves else 0


def _flat(values: Numbers) -> list[float]:
    rows_ = values if isinstance(values, tuple) else (values,)
    return [x for row in rows_ for x in (row if isinstance(row, tuple) else (row,))]


def with_sliders(form: Form, touched: Sequence[str]) -> Form:
    """A slider and its input's list say the same: the one last touched sets the other."""
    places = {name: place for place, name in enumerate(touched, start=1)}
    made = dict(form)
    for values in [name for name in form if re.fullmatch(r"in\.\w+\.values", name)]:
        name, entry = values.split(".")[1], values.removesuffix("values") + "entry"
        if places.get(entry, 0) > places.get(values, 0):
            with contextlib.suppress(PlaygroundError):  # what it cannot be is said at the control
                made[values] = with_entry(form, name, form[entry])
        else:
            made[entry] = moved_entry(form, name) or form.get(entry, "")
    return made
