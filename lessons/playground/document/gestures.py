"""The playground's controls: the document's text, and fields that each change a part of it.

Every control has one text under one name: ``program`` is the whole document; ``in.x.values`` is the
list of an input, ``in.x.entry`` one number of it; ``in.u.ends`` and ``in.u.seed`` are noise;
``rule.op`` and ``rule`` give the ops of one type a rule. What can't be read is an error at its
control, and its text stays.
"""

import ast
import itertools
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from lessons.contract.parameters import shortest
from lessons.gradient_tricks.text import listed, visible
from lessons.playground.document.as_text import Reading, is_text, read_text, to_text
from lessons.playground.document.contents import (
    Distribution,
    Document,
    Input,
    Noise,
    Override,
    as_numbers,
)
from lessons.playground.document.input_text import (
    format_values,
    read_ends,
    read_number,
    read_values,
    read_whole,
)
from lessons.playground.document.override_rules import (
    RULES,
    Ops,
    ops_by_type,
    read_rule,
    rules_of,
    types_of,
)
from lessons.playground.document.words import WORDS
from lessons.playground.language.emit import in_torch_of
from lessons.playground.language.expressions import op_types, span
from lessons.playground.language.limits import MAX_CHARACTERS
from lessons.playground.language.parse import parse_program
from lessons.playground.language.pasted import Pasted, pasted
from lessons.playground.language.playground_error import PlaygroundError

Form = dict[str, str]

MOST_TEXT = 45_000
"""Characters kept of one control: more than any is read with, so that it can be refused."""
_WIDTH, _LONGEST_REMARK = 50, 40
"""Characters of a comment that the editor shows, and of one that stands at the end of an input."""
_MORE = "#   "
"""What each further line of a comment begins with."""
_MOST_SAID, _MOST_NOTED = 3, 20
"""Warnings above the charts, and in the program."""
OWN_RULE = "own"
"""The rule of an op type that keeps its own derivative."""


def form_of(document: Document, op_type: str = "") -> Form:
    """The controls' texts for a document.

    Args:
        op_type: the type whose rule is shown; where the program has none, its first op's.
    """
    form = {"program": to_text(document).rstrip("\n")}
    for one in document.inputs:
        at = f"in.{one.name}"
        if one.noise:
            form[f"{at}.ends"] = f"{shortest(one.noise.a)}, {shortest(one.noise.b)}"
            form[f"{at}.seed"] = str(one.noise.seed)
        else:
            form[f"{at}.values"] = format_values(one.values)
            form[f"{at}.entry"] = shortest(moved_number(document, one))
    types = rulable(document)
    chosen = op_type if op_type in types else next(iter(types), "")
    return form | {"rule.op": chosen, "rule": _rule_of(document, chosen)}


def rulable(document: Document) -> dict[str, Ops]:
    """The op types of a program that a rule can be given to, as ``ops_by_type`` has them."""
    names = [one.name for one in document.inputs]
    return ops_by_type(parse_program(document.program, names))


def _rule_of(document: Document, op_type: str) -> str:
    """The name of the ready rule that an op type has, or the rule's own text."""
    rows = (one for one in document.overrides if op_type in types_of(one.op_type))
    row = next(rows, None)
    if row is None:
        return OWN_RULE
    gradients = [in_torch_of(one) for one in read_rule(row)]
    gradients = [one for one in gradients if one != "None"]
    for name in RULES:
        ready = [in_torch_of(one) for one in read_rule(Override("", RULES[name][0]))]
        if gradients and ready * len(gradients) == gradients:
            return name
    return row.rule


def gestured(form: Form, touched: Sequence[str]) -> tuple[Document, dict[str, PlaygroundError]]:
    """The document that the controls describe, and what can't be read of them, by control.

    Each field that says something else than the text changes the text; if the text itself was
    written, only those set after it.

    Raises:
        PlaygroundError: the text can't be read.
    """
    document = read_text(form["program"]).document
    written = "program" in touched
    later = touched[touched.index("program") + 1 :] if written else form
    op_type = form.get("rule.op", "")
    there = now = form_of(document, op_type)
    errors: dict[str, PlaygroundError] = {}
    texts = {name: form[name].strip() for name in there if name in later and name in form}
    order = {name: touched.index(name) if name in touched else -1 for name in there}
    if order["rule.op"] > order["rule"]:
        texts.pop("rule", None)  # it is that of the op type chosen before
    # Of a list and its slider, the one touched last sets the other.
    for name in sorted(texts, key=lambda name: order[name]):
        says = now if name in touched else there
        if name in ("program", "rule.op") or texts[name] == says[name]:
            continue
        try:
            document = _set(document, name, texts[name], op_type)
            now = form_of(document, op_type)
        except PlaygroundError as error:
            errors[name] = error
    return document, errors


def _set(document: Document, name: str, text: str, op_type: str) -> Document:
    """The document with what one field says.

    Raises:
        PlaygroundError: the field's text can't be read.
    """
    if name == "rule":
        return _ruled(document, op_type, text)
    _, input_name, word = name.split(".")
    one = document.input(input_name)
    noise = cast(Noise, one.noise)
    match word:
        case "values":
            made = replace(one, values=read_values(text))
        case "entry":
            array = _array(one)
            array.flat[_moved(document, one)] = read_number(text)
            made = replace(one, values=as_numbers(array))
        case "seed":
            made = replace(one, noise=replace(noise, seed=read_whole(text)))
        case _:
            a, b = read_ends(text)
            made = replace(one, noise=replace(noise, a=a, b=b))
    return document.with_(inputs=tuple(made if each is one else each for each in document.inputs))


def _ruled(document: Document, op_type: str, rule: str) -> Document:
    """The document with a rule for all ops of a type."""
    ops = rulable(document).get(op_type, {})
    lines = [name for names in ops.values() for name in names]
    # Two ops with other operands need two rules, so each needs a line.
    if rule in RULES and (shared := [name for name in lines if lines.count(name) > 1]):
        return _ruled(_with_line_of_its_own(document, op_type, shared[0]), op_type, rule)
    rows = [one for one in document.overrides if op_type not in types_of(one.op_type)]
    if rule in RULES:
        rows += rules_of(op_type, RULES[rule][0], ops)
    elif rule != OWN_RULE:
        rows.append(Override(op_type, rule))
        read_rule(rows[-1])
    return document.with_(overrides=tuple(rows))


def _with_line_of_its_own(document: Document, op_type: str, name: str) -> Document:
    """The document with a line for the first op of a type on the line that gives a name."""
    text, inputs = document.program, [one.name for one in document.inputs]
    program = parse_program(text, inputs)
    place = next(i for i, line in enumerate(program.assignments) if name in line.names)
    ops = (one for one in program.assignments[place].nodes if op_type in op_types(one))
    start, end = span(text, next(ops))
    line = span(text, ast.parse(text).body[place])[0]
    known = {*inputs, *program.names}
    made = next(one for i in itertools.count(2) if (one := f"{name[:28]}{i}") not in known)
    rows = [
        replace(one, only=(*one.only, made)) if name in one.only else one
        for one in document.overrides
    ]
    code = f"({text[start:end]})" if "\n" in text[start:end] else text[start:end]
    text = f"{text[:line]}{made} = {code}\n{text[line:start]}{made}{text[end:]}"
    return document.with_(program=text, overrides=tuple(rows))


def moved_number(document: Document, one: Input) -> float:
    """The number of an input that its slider moves."""
    return float(np.ravel(_array(one))[_moved(document, one)])


def _moved(document: Document, one: Input) -> int:
    """Which number of an input its slider moves: the plotted entry, or the first; from 0."""
    place = document.entry - 1 if one.name == document.plotted else 0
    return min(max(place, 0), np.size(_array(one)) - 1)


def _array(one: Input) -> Any:
    """The values of an input."""
    return np.array(0.0 if one.values is None else one.values, dtype=float)


def from_code(form: Form, last: Document | None) -> tuple[Form, str]:
    """The form with the document that pasted code is as its text, and what was done.

    A text that has inputs is a document already, and stays as it is. Statements alone get the
    inputs that were there.

    Args:
        last: the document that ran last; it gives the inputs that the code has none for.

    Raises:
        PlaygroundError: it can't be read as code, either; with the place and what would be right.
    """
    text, wrong = form["program"], None
    reading = Reading()
    try:
        reading = read_text(text)
    except PlaygroundError as error:
        if is_text(text):
            raise
        wrong = error
    own = reading.document.inputs
    there = {one.name: one for one in own or (last.inputs if last else ())}
    found = None
    if own or not is_text(text):
        code = reading.document.program if own else text
        matrices = [name for name, one in there.items() if np.ndim(_array(one)) == 2]
        found = pasted(code, [*there], last.program if last else "", matrices)
    if own:
        if found is None or found.output:
            return form, ""
        # Words of torch that the language has others for.
        made = reading.document.with_(program=found.program)
        return form | {"program": to_text(made)}, "\n".join([WORDS("rewritten"), *found.notes])
    if found is None:
        if wrong:
            parse_program(text, [*there])  # the language knows better why it is no program
            raise wrong
        made = reading.document.with_(inputs=tuple(there.values()))
        return form | {"program": to_text(made)}, ""
    document = _of_pasted(found, there)
    said = WORDS("rewritten")
    if found.output:
        shown = visible(", ".join(one.name for one in document.inputs), 60)
        said = WORDS("pasted", inputs=shown, output=visible(found.output, 32))
        given = [
            (one.name, found.inputs.get(one.name) and not one.remark) for one in document.inputs
        ]
        if missing := [name for name, has_values in given if not has_values]:
            said += " " + WORDS("without_values", inputs=listed(missing))
    return form | {"program": to_text(document)}, said


def warnings_in(document: Document) -> list[str]:
    """Return the first three warnings in a program's comments, and how many more there are."""
    above = [line for one in document.inputs for line in one.above]
    text = "\n".join([*above, document.program]).replace(f"\n{_MORE}", " ")
    found = re.findall(rf"^# {re.escape(WORDS('warning'))} (.*)", text, re.MULTILINE)
    more = [WORDS("more_unread", n=len(found) - _MOST_SAID)] * (len(found) > _MOST_SAID)
    return [*found[:_MOST_SAID], *more]


def _comment(said: str, first: str = "#") -> list[str]:
    """A note as lines of a comment that fit the editor."""
    return textwrap.wrap(
        f"{first} {said}",
        _WIDTH,
        subsequent_indent=_MORE,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _of_pasted(found: Pasted, there: Mapping[str, Input]) -> Document:
    """The document that pasted code is; its comments say what could not be read.

    Args:
        there: the inputs before, by name.
    """
    warning = f"# {WORDS('warning')}"
    inputs: list[Input] = []
    for name, values in found.inputs.items():
        one = there.get(name) or Input(name, 0.0)
        drawn, _, like = values.partition(" like=")
        if drawn in ("normal", "uniform"):
            seed = sum(other.noise is not None for other in inputs)  # no two draws are the same
            one = Input(name, noise=Noise(cast(Distribution, drawn), 0.0, 1.0, seed, like))
        elif values:
            one = replace(one, values=read_values(values), noise=None)
        elif one.noise and one.noise.like not in found.inputs:
            one = replace(one, noise=replace(one.noise, like=""))
        if found.output:
            note, above = found.invented.get(name, ""), found.above.get(name, ())
            if len(note) > _LONGEST_REMARK:
                above = (*_comment(note, warning if note in found.warnings else "#"), *above)
            one = replace(one, remark=note * (len(note) <= _LONGEST_REMARK), above=above)
        inputs.append(one)
    inputs = inputs or [*there.values()]
    if found.output and inputs:
        notes = [note for note in found.warnings if note not in found.invented.values()][
            :_MOST_NOTED
        ]
        top = [line for note in notes for line in _comment(note, warning)]
        above = (f"# {WORDS('from_code')}", *top, *inputs[0].above)
        inputs[0] = replace(inputs[0], above=above)
    given = [one for one in inputs if one.noise is None]
    read = parse_program(found.program, [one.name for one in inputs])
    lines = [line for line in read.assignments if {*line.names} & read.behind(found.output)]
    names = {node.id for line in lines for node in line.nodes if isinstance(node, ast.Name)}
    # Of what the output reads, a list shows more than one number does.
    given.sort(key=lambda one: (one.name not in names, not isinstance(one.values, tuple)))
    over = given[0].name if given else ""
    others = (WORDS("or_show", code=f"show({name}, {over})") for name in found.others)
    comments = [line for note in (*found.notes, *others) for line in _comment(note)]
    program = "\n".join([*comments, found.program])
    return Document(
        tuple(inputs),
        program if len(program) <= MAX_CHARACTERS else found.program,
        output=found.output,
        over=over,
    )


def control_of(error: PlaygroundError, form: Mapping[str, str]) -> str:
    """The field that an error of the document belongs to; the text where there is none."""
    control = "program"
    if error.part == "input":
        word = "ends" if f"in.{error.subject}.ends" in form else "values"
        control = f"in.{error.subject}.{word}"
    elif error.part == "rule" and error.subject == form.get("rule.op"):
        control = "rule"
    return control if control in form else "program"
