"""What the bench offers: tricks, functions to try each on, and what each trick can be set to.

To add a function, add a row to a trick's ``functions``. To add a trick, add a class and a row of
``TRICKS``, and the labels of its settings to en.md.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

from lessons.bench.function import NOISE, Function, after_trick, expression, put
from lessons.bench.words import label
from lessons.contract.parameters import Choice, Number, Parameter, Text
from lessons.playground.document.contents import Override
from lessons.playground.document.override_rules import RULES, Ops, ops_by_type, rules_of
from lessons.playground.language.parse import parse_program

OWN = "own"
"""The name of the function that the learner types."""


@dataclass(frozen=True)
class Example:
    """A function to try a trick on.

    Args:
        name: as in addresses.
        text: an expression or lines in the playground's language, over the inputs and ``u``.
        inputs: the values of each, as text; the charts move the first one.
        noise: "off", "multiply" or "add" at first; a typed function decides this itself.
        a, b: the first settings of the variants, where they differ from the parameters' defaults.
    """

    name: str
    text: str
    inputs: Mapping[str, str]
    noise: str = "off"
    a: Mapping[str, str] = field(default_factory=dict)
    b: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return label(f"function_{self.name}") if self.name == OWN else self.text.partition("\n")[0]


@dataclass(frozen=True)
class Variant:
    """A function with a trick in it.

    Args:
        function: its lines with the trick.
        overrides: the rules of an override map.
        around: the names of the results that the trick covers, in order.
        intended: an expression whose gradient is the intended one, if there is one.
    """

    function: Function
    overrides: tuple[Override, ...] = ()
    around: tuple[str, ...] = ()
    intended: ast.expr | None = None


_X = {"x": "-2, -1, 1"}
_BETWEEN = {"x": "-1.6, 0.4, 1.2"}
"""Values between the steps of a rounding."""
_ROOT = Example("root", "sqrt(x**2 * u)", _X, "multiply")
_TYPED = Example(OWN, "sin(3 * x) * u", _X)


class Trick:
    """A trick as the bench offers it.

    Attributes:
        name: as in addresses.
        functions: examples to try it on, the default first.
    """

    name: ClassVar[str]
    functions: ClassVar[tuple[Example, ...]]

    def parameters(self, function: Function) -> tuple[Parameter, ...]:
        """The settings of one variant."""
        raise NotImplementedError

    def variant(self, function: Function, values: Mapping[str, Any]) -> Variant:
        """The function with the trick set like this."""
        raise NotImplementedError


class StopGradient(Trick):
    """Stops the gradient of the noise. The value keeps the noise."""

    name = "stop_gradient"
    functions = (
        replace(_ROOT, a={"cut": "yu"}, b={"cut": "z"}),
        Example("product", "x**2 * x", _X, a={"cut": "factor_x"}, b={"cut": "factor_y"}),
        replace(_TYPED, b={"cut": "z"}),
    )

    def parameters(self, function: Function) -> tuple[Parameter, ...]:
        return (choice("cut", {name: cut.label for name, cut in cuts(function).items()}),)

    def variant(self, function: Function, values: Mapping[str, Any]) -> Variant:
        cut = cuts(function)[values["cut"]]
        wanted = function.without_noise.get(function.output)
        return Variant(function.with_line(cut.name, cut.value), (), cut.around, wanted)


class Cut(NamedTuple):
    """A place for stop_gradient: its label, the name whose value it changes, and what it covers."""

    label: str
    name: str
    value: ast.expr
    around: tuple[str, ...] = ()


@lru_cache(maxsize=64)
def cuts(function: Function) -> Mapping[str, Cut]:
    """The places for stop_gradient in a function, by the name of their option."""
    output, value = function.output, function.lines[-1].value
    found = {"none": Cut(label("cut_none"), output, value)}
    # The results on the way from x to the output that the noise reaches, each one tensor.
    bridges = [
        line
        for line in function.lines
        if len(line.names) == 1 and line.names[0] in function.noisy & function.moving
    ]
    around: tuple[str, ...] = ()
    for line in bridges:
        name = line.names[0]
        around = (*around, name)
        told = label("cut_up_to", name=name)
        if line is bridges[0]:
            told = label("cut_at_noise")
        elif line is bridges[-1]:
            told = label("cut_around_block")
        found[name] = Cut(told, name, _bridge(line.value, function.without_noise[name]), around)
    for one in _factors(function):
        stopped = put(value, {one: expression(f"stop_gradient({one})")})
        found[f"factor_{one}"] = Cut(label("cut_factor", name=one), output, stopped, (one,))
    every = tuple(line.names[0] for line in function.lines)
    stopped = expression("stop_gradient(f)", f=value)
    return found | {"everything": Cut(label("cut_everything"), output, stopped, every)}


class StraightThrough(Trick):
    """The value of a step and the gradient of something smooth."""

    name = "straight_through"
    functions = (
        Example("round", "round(x)", _BETWEEN, b={"backward": "identity"}),
        Example("sign", "sign(x)", _BETWEEN, a={"backward": "window"}, b={"backward": "tanh"}),
        Example("step", "step(x)", _BETWEEN, b={"backward": "sigmoid"}),
        Example(OWN, "round(2 * x) / 2", _BETWEEN, b={"backward": "identity"}),
    )
    surrogates: ClassVar[Mapping[str, str]] = {
        "identity": "s",
        "window": "clamp(s, -1, 1)",
        "tanh": "tanh(s)",
        "sigmoid": "sigmoid(s)",
    }

    def parameters(self, function: Function) -> tuple[Parameter, ...]:
        return (choice("backward", {n: label(f"by_{n}") for n in ("own", *self.surrogates)}),)

    def variant(self, function: Function, values: Mapping[str, Any]) -> Variant:
        if values["backward"] == "own":
            return Variant(function)
        last = function.lines[-1]
        reads = [name for line in function.lines for name in line.reads if name in function.moving]
        operand = reads[0] if len(function.lines) < 3 else function.inputs[0]
        names = tuple(line.names[0] for line in function.lines if operand not in line.names)
        surrogate = self.surrogates[values["backward"]]
        smooth = expression(surrogate, s=ast.Name(operand, ast.Load()))
        return Variant(function.with_line(function.output, _bridge(last.value, smooth)), (), names)


class OverrideMap(Trick):
    """Another rule for all ops of one type."""

    name = "override_map"
    functions = (
        replace(_ROOT, b={"rule": "halve"}),
        Example("identity", "identity(x)", {"x": "3"}, b={"rule": "clip"}),
        Example("six_squared", "identity(square(6 * x))", {"x": "3"}, b={"rule": "halve"}),
        Example(
            "w_times_i",
            "W * I",
            {"W": "0.013", "I": "10"},
            b={"rule": "typed", "expression": "grad * in2, None"},
        ),
        Example(
            "three_outputs",
            "o1, o2, o3 = py_func(a + b, a * b, a - b)\nL = o1 + o2 + o3",
            {"a": "1, 2", "b": "3, -1"},
            a={"op": "py_func"},
            b={"op": "py_func", "rule": "typed", "expression": "grad1 * grad2 * in2, None"},
        ),
        replace(_TYPED, b={"rule": "halve"}),
    )
    ready = ("halve", "clip", "flip", "zero")

    def parameters(self, function: Function) -> tuple[Parameter, ...]:
        types = tuple(_ops(function)) or ("–",)  # no op passes a gradient on
        rules = {name: label(f"rule_{name}") for name in ("own", *self.ready, "typed")}
        expression = Text("expression", "grad * 0.5", label("rule"), label("expression_help"))
        return (
            replace(choice("op", dict.fromkeys(types, "")), default=types[-1], labels=()),
            choice("rule", rules),
            expression,
        )

    def variant(self, function: Function, values: Mapping[str, Any]) -> Variant:
        op, rule = values["op"], values["rule"]
        ops = _ops(function).get(op, {})
        around = tuple(name for names in ops.values() for name in names)
        if rule == "own" or not ops:
            return Variant(function, (), around)
        text = values["expression"] if rule == "typed" else RULES[rule][0]
        return Variant(function, tuple(rules_of(op, text, ops)), around)


class Reversal(Trick):
    """The gradient times −λ."""

    name = "reversal"
    functions = (
        Example("square", "x**2", _X, a={"times": "0"}),
        replace(_ROOT, a={"times": "0"}),
        replace(_TYPED, a={"times": "0"}),
    )

    def parameters(self, function: Function) -> tuple[Parameter, ...]:
        name = function.inputs[0]
        places = {
            "input": label("at_input", name=name),
            "output": label("at_output", name=function.output),
        }
        return (
            Number(
                "scale", "1", label("scale"), "", low=-100, high=100, slider=(0.0, 3.0), step=0.1
            ),
            choice("times", {str(n): label(f"times_{n}") for n in range(3)}, "1"),
            choice("at", places),
        )

    def variant(self, function: Function, values: Mapping[str, Any]) -> Variant:
        flipped = "f"
        for _ in range(int(values["times"])):
            flipped = f"flip_gradient({flipped}, {values['scale']!r})"
        if flipped == "f":
            return Variant(function)
        return _with_trick(function, flipped, values["at"])


class Clipping(Trick):
    """Bounds the gradient: each entry, or the norm over all of them."""

    name = "clipping"
    functions = (
        Example("cube", "x**3", _X, a={"by": "value"}, b={"by": "norm"}),
        replace(_ROOT, a={"by": "value", "limit": "1"}, b={"by": "norm", "limit": "1"}),
        replace(_TYPED, a={"by": "value", "limit": "1"}, b={"by": "norm", "limit": "1"}),
    )

    def parameters(self, function: Function) -> tuple[Parameter, ...]:
        return (
            choice("by", {name: label(f"clip_{name}") for name in ("none", "value", "norm")}),
            Number(
                "limit", "4", label("limit"), "", low=1e-6, high=1e6, slider=(0.1, 12.0), step=0.1
            ),
        )

    def variant(self, function: Function, values: Mapping[str, Any]) -> Variant:
        limit = values["limit"]
        clipped = {
            "value": f"clip_gradient(f, {-limit!r}, {limit!r})",
            "norm": f"clip_gradient_norm(f, {limit!r})",
        }
        if values["by"] == "none":
            return Variant(function)
        return _with_trick(function, clipped[values["by"]], "input")


TRICKS: Mapping[str, Trick] = {
    trick.name: trick
    for trick in (StopGradient(), StraightThrough(), OverrideMap(), Reversal(), Clipping())
}


def names_in_rule(function: Function, op: str) -> list[str]:
    """Return the names that a rule for this op type may read."""
    ops = _ops(function).get(op, {})
    inputs = max(map(len, ops), default=0)
    named = {name for names in ops.values() for name in names}
    outputs = max((len(line.names) for line in function.lines if named & {*line.names}), default=1)
    counts = {"grad": outputs, "in": inputs, "out": outputs}
    names = [f"{word}{n}" for word, count in counts.items() for n in range(1, count + 1)]
    return names if outputs > 1 else ["grad", *names[1:]]


def choice(name: str, options: Mapping[str, str], default: str = "") -> Choice:
    """A choice between options, each with its label; the first one is the default."""
    names = tuple(options)
    return Choice(
        name, default or names[0], label(name), names=names, labels=tuple(options.values())
    )


def _bridge(value: ast.expr, instead: ast.expr) -> ast.expr:
    """The value of one expression and the gradient of another one."""
    return expression("g + stop_gradient(f - g)", f=value, g=instead)


def _with_trick(function: Function, trick: str, at: str) -> Variant:
    """The function with a trick around its first input or its output."""
    name = function.inputs[0]
    if at == "output":
        value = expression(trick, f=function.lines[-1].value)
        return Variant(function.with_line(function.output, value), (), (function.output,))
    value = expression(trick, f=ast.Name(name, ast.Load()))
    made = function.with_input(name, after_trick(name), value)
    return Variant(made, (), (name,))


def _factors(function: Function) -> list[str]:
    """Both operands of the last op, if both depend on the first input."""
    value = function.lines[-1].value
    if not isinstance(value, ast.BinOp):
        return []
    sides = [one.id for one in (value.left, value.right) if isinstance(one, ast.Name)]
    both = [name for name in sides if name in function.moving]
    return both if len({*both}) == 2 else []


@lru_cache(maxsize=64)
def _ops(function: Function) -> Mapping[str, Ops]:
    return ops_by_type(parse_program(function.text, [*function.inputs, NOISE]))
