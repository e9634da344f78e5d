"""Read the bench's controls, whose text may be anything, and make two documents of them.

Every control has one text under one name: ``trick``, ``function``, ``own``; ``in.x.values`` for
each input, ``point`` for the entry of the first one that moves, ``in.x.entry`` for its number;
``noise``, ``in.u.ends``, ``in.u.seed``; ``device``, ``dtype``. The settings of the variants have
``a.`` and ``b.`` before their names.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

from lessons.bench.function import NOISE, Function, Line, needs_middle, read_function
from lessons.bench.tricks import OWN, TRICKS, Example, Trick, Variant, choice
from lessons.bench.words import WORDS, label
from lessons.contract.devices import refused
from lessons.contract.parameters import (
    Choice,
    Index,
    Integer,
    InvalidParametersError,
    Number,
    Numbers,
    Parameter,
    Text,
    Values,
    validate,
)
from lessons.kit.inputs import ComputedIn
from lessons.playground.document.contents import Document, Input, Noise
from lessons.playground.language.expressions import kind_of
from lessons.playground.language.parse import parse_program
from lessons.playground.language.playground_error import PlaygroundError

Form = dict[str, str]
SIDES = "a", "b"
_RANGES = {"typed": "0.5, 1.5", "add": "-0.5, 0.5"}
"""The noise's first range: where it adds, and elsewhere."""
_LARGEST_END, _MOST_NUMBERS = 100.0, 64
"""The largest size of an end of the noise's range; the most numbers in a list."""
_LARGEST_NUMBER = 100_000.0
"""The largest size of a number in a list."""
_HALF_WIDTH = 3.0
"""The least half width of the plot."""
_CLEAN = "clean"
_START = "z = "
"""Comes before the function that the learner types, and makes it a line."""
MOST_OPS = 24
"""Ops of a typed function. With a rule for each op, both variants take a third of a second."""


@dataclass(frozen=True, eq=False)
class Setting:
    """The settings of the bench. Two are equal if their controls have the same texts.

    Args:
        trick, example: the trick, and the function to try it on.
        function: the function, one op a line, without any trick.
        shared, values: the parameters that A and B share, and their values.
        own, sides: the parameters of one variant, and their values in A and in B.
        variants: the function with the trick, A and B.
    """

    trick: Trick
    example: Example
    function: Function
    shared: tuple[Parameter, ...]
    values: Values
    own: tuple[Parameter, ...]
    sides: tuple[Values, Values]
    variants: tuple[Variant, Variant]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Setting) and self.form == other.form

    def __hash__(self) -> int:
        return hash(tuple(self.form.items()))

    @cached_property
    def form(self) -> Form:
        """The text of every control."""
        found = {one.name: one.format(self.values[one.name]) for one in self.shared}
        for side, values in zip(SIDES, self.sides, strict=True):
            found |= {f"{side}.{one.name}": one.format(values[one.name]) for one in self.own}
        return found

    def document(self, variant: Variant | None = None) -> Document:
        """The program of a variant, or of the function without any trick."""
        function = variant.function if variant else self.function
        lines, values = function.lines, self.values
        if variant and variant.intended:
            lines = (*lines, Line((_CLEAN,), variant.intended))
        reads = {name for line in lines for name in line.reads}
        first = next(iter(self.example.inputs))
        x = values[f"in.{first}.values"]
        entry = min(values["point"], len(x))
        width = math.ceil(10 * max(_HALF_WIDTH, *(1.25 * abs(one) for one in x))) / 10
        inputs = [
            Input(name, values[f"in.{name}.values"], low=-width, high=width)
            for name in self.example.inputs
        ]
        if NOISE in reads:
            low, high = values["in.u.ends"]
            drawn = Noise("uniform", low, high, values["in.u.seed"], first)
            inputs.append(Input(NOISE, noise=drawn))
        return Document(
            tuple(inputs),
            "\n".join(line.text for line in lines),
            function.output,
            variant.overrides if variant else (),
            entry=entry,
            intended=_CLEAN if variant and variant.intended else "",
            dtype=values["dtype"],
            device=values["device"],
        )


def read_setting(told: Mapping[str, str], touched: Sequence[str] = ()) -> Setting:
    """Read the controls; a missing one has its default.

    Args:
        told: the text of each control, by name.
        touched: the controls that were just set, in order. A new trick or function starts with its
            own settings; of a list and its slider, the later one counts.

    Raises:
        InvalidParametersError: the refusals, by control.
    """
    tricks = choice(
        "trick", {name: f"{label(f'trick_{name}')}\n{label(f'says_{name}')}" for name in TRICKS}
    )
    trick = TRICKS[validate([tricks], _of(told, "trick"))["trick"]]
    functions = choice("function", {one.name: one.title for one in trick.functions})
    is_other = told.get("function", functions.default) not in functions.names  # another trick's
    chosen = validate([functions], {} if is_other else _of(told, "function"))["function"]
    example = next(one for one in trick.functions if one.name == chosen)
    form = {name: text for name, text in told.items() if not _is_stale(name, touched, is_other)}
    form |= {"trick": trick.name, "function": example.name}
    shared = [tricks, functions, *_shared(example, form)]
    values = _fitting(shared, form)
    if errors := refused(values):
        raise InvalidParametersError(errors)
    slider, x = _with_entry(f"in.{next(iter(example.inputs))}", values, form, touched)
    values |= x
    function = _function(example, values)
    own = trick.parameters(function)
    sides = []
    for side, first in zip(SIDES, (example.a, example.b), strict=True):
        texts = {f"{side}.{name}": text for name, text in first.items()} | form
        read = _fitting([replace(one, name=f"{side}.{one.name}") for one in own], texts)
        sides.append({one.name: read[f"{side}.{one.name}"] for one in own})
    a, b = (_variant(trick, function, tuple(one.items())) for one in sides)
    every = (*shared, slider)
    return Setting(trick, example, function, every, values, own, (sides[0], sides[1]), (a, b))


@lru_cache(maxsize=64)
def _variant(trick: Trick, function: Function, values: tuple[tuple[str, Any], ...]) -> Variant:
    """The function with the trick; a drag of the noise or of an input leaves it as it is."""
    return trick.variant(function, dict(values))


def _is_stale(name: str, touched: Sequence[str], is_other: bool) -> bool:
    """Whether a control's text belongs to the trick, function or kind of noise before.

    Args:
        is_other: the function is another one because the trick doesn't offer the one before.
    """
    if name.endswith(".values") or name == "own":
        return "function" in touched
    if name in ("noise", "in.u.ends") and (is_other or "function" in touched):
        return True
    if name == "in.u.ends":
        return "noise" in touched
    return name[:2] in ("a.", "b.") and bool({"trick", "function"} & {*touched})


def _with_entry(
    of: str, values: Values, form: Mapping[str, str], touched: Sequence[str]
) -> tuple[Number, Values]:
    """The slider of one number in a list, and the values of both after the last change."""
    x, entry = list(values[f"{of}.values"]), f"{of}.entry"
    place = min(values["point"], len(x)) - 1
    moved = [name for name in touched if name in (entry, f"{of}.values", "point")]
    slider = Number(
        entry,
        "0",
        label("entry", name=of.removeprefix("in.")),
        low=-_LARGEST_NUMBER,
        high=_LARGEST_NUMBER,
        slider=(-3.0, 3.0),
        step=0.05,
    )
    if moved[-1:] == [entry]:
        x[place] = validate([slider], _of(form, entry))[entry]
    return slider, {entry: x[place], f"{of}.values": tuple(x)}


def _shared(example: Example, form: Mapping[str, str]) -> list[Parameter]:
    """The parameters that both variants share, but for the slider of one number."""
    noise = form.get("noise", example.noise)
    bounds: Any = {"most": _MOST_NUMBERS, "largest": _LARGEST_NUMBER}
    lists = [
        Numbers(f"in.{name}.values", text, label("values_of", name=name), **bounds)
        for name, text in example.inputs.items()
    ]
    own = Text("own", example.text, label("own"), label("own_help"))
    # The learner decides where a typed function has its noise.
    typed = example.name == OWN
    names = ("off", *["typed"] * typed)
    if not (typed and re.search(rf"\b{NOISE}\b", form.get("own", example.text))):
        names = (*names, "multiply", "add")
    modes = {name: label(f"noise_{name}") for name in names}
    usual = "typed" if typed else example.noise
    return [
        *([own] if example.name == OWN else []),
        *lists,
        Index("point", "1", label("point"), low=1, high=_MOST_NUMBERS, of=lists[0].name),
        replace(choice("noise", modes), default=usual),
        Interval("in.u.ends", _RANGES.get(noise, _RANGES["typed"]), label("ends")),
        Integer("in.u.seed", "0", label("draw")),
        *ComputedIn.parameters,
    ]


@dataclass(frozen=True)
class Interval(Numbers):
    """Two numbers, the ends of a range, the lower one first."""

    def parse(self, text: str) -> tuple[float, ...]:
        ends = super().parse(text) or ()
        if len(ends) != 2 or max(map(abs, ends)) > _LARGEST_END:
            raise ValueError(WORDS("not_two_ends", most=f"{_LARGEST_END:g}"))
        return tuple(sorted(ends))


def _function(example: Example, values: Mapping[str, Any]) -> Function:
    """The function that was picked or typed.

    Raises:
        InvalidParametersError: what was typed can't be read.
    """
    text, names = values.get("own", example.text).strip(), tuple(example.inputs)
    try:
        if example.name == OWN:
            _check_typed(text, names)
        middle = sum(values["in.u.ends"]) / 2 if needs_middle(text) else 1.0
        return _read(text, names, values["noise"], middle)
    except PlaygroundError as error:
        column = max(error.column - len(_START), 0) if error.line < 2 else 0
        said = str(PlaygroundError(error.message, min(column, 1), column))
        raise InvalidParametersError({"own": said}) from None


@lru_cache(maxsize=64)
def _check_typed(text: str, names: tuple[str, ...]) -> None:
    """Read a typed function as the playground reads a line.

    Raises:
        PlaygroundError: it can't be read, or is no function of its input.
    """
    if "\n" in text:
        raise PlaygroundError(WORDS("one_line"))
    program = parse_program(_START + text, [*names, NOISE])
    if names[0] not in program.reads or kind_of(program.assignments[0].value) != "tensor":
        raise PlaygroundError(WORDS("not_of_x", name=names[0]))
    if program.ops > MOST_OPS:
        raise PlaygroundError(WORDS("many_ops", most=MOST_OPS))


@lru_cache(maxsize=64)
def _read(text: str, names: tuple[str, ...], noise: str, middle: float) -> Function:
    function = read_function(text, names, noise, middle)
    parse_program(function.text, [*names, NOISE])  # with its noise it may be too long
    return function


def _fitting(parameters: Sequence[Parameter], form: Mapping[str, str]) -> dict[str, Any]:
    """Read these parameters. An option that a choice doesn't have belongs to another function."""
    known = [one for one in parameters if one.name in form]
    fit = (one for one in known if not isinstance(one, Choice) or form[one.name] in one.names)
    return validate(parameters, {one.name: form[one.name] for one in fit})


def _of(form: Mapping[str, str], name: str) -> dict[str, str]:
    return {name: form[name]} if name in form else {}
