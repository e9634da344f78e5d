"""Goals: some program reaches each, another way as well, and one that is nearly right does not."""

import pytest

from lessons.playground.document.as_text import from_text
from lessons.playground.document.check import check
from lessons.playground.goals import GOALS, looked_at

X = "x = input([-2, -1, 1])\n"
ONE = "x = input(0.5)\n"
NOISY = X + "u = normal(1, 0.3, like=x)\n"
PARTNER = X + "w = input(1)\n"


def ruled(op: str, rule: str) -> str:
    """A program of one op that has a rule."""
    rules = f'{{"{op}": lambda op, grad: {rule}}}'
    return f"{X}with gradient_override_map({rules}):\n    y = {op}(x)"


REACHED = {
    "stop": (X + "y = stop_gradient(x**2)", X + "y = x.detach() * x.detach()"),
    "half": (
        X + "y = x * x.detach()",
        ruled("square", "grad * op.inputs[0]"),
    ),
    "flip": (X + "y = flip_gradient(x)", ONE + "y = 2 * x.detach() - x"),
    "ghost": (X + "y = x**2 - stop_gradient(x**2)",),
    "round": (
        X + "y = straight_through(round)(x)",
        ONE + "y = x + (torch.round(x) - x).detach()",
        ruled("round", "grad"),
    ),
    "tanh": (X + "y = forward_backward(sign, tanh)(x)",),
    "window": (
        X + "c = clamp(x, -1, 1)\ny = c + stop_gradient(sign(x) - c)",
    ),
    "clip": (
        X + "y = clip_gradient(x, -1, 1)**2",
        X + "d = clamp(2 * x, -1, 1)\n"
        "y = stop_gradient(x**2) + stop_gradient(d) * (x - stop_gradient(x))",
    ),
    "table": (ruled("square", "-2 * op.inputs[0] * grad"),),
    "noise": (NOISY + "y = x + stop_gradient(x * u - x)",),
    "partner": (PARTNER + "y = x * stop_gradient(w)",),
    "root": (
        X + "a = abs(x)\nsafe = where(a > 0, a, 1)\ny = where(a > 0, sqrt(safe), 0)",
    ),
}  # fmt: skip
MISSED = {
    "stop": X + "y = stop_gradient(x) * x",
    "half": X + "y = 0.5 * x**2",
    "flip": X + "y = -x",
    "ghost": X + "y = 0 * x",
    "round": X + "y = round(x)",
    "tanh": X + "y = tanh(x)",
    "window": X + "y = straight_through(sign)(x)",
    "clip": X + "y = clip_gradient(x**2, -1, 1)",
    "table": X + "y = flip_gradient(x)**2",
    "noise": NOISY + "y = x * u",
    "partner": PARTNER + "y = x",  # right as long as w is 1
    "root": X + "y = sqrt(abs(x))",
}


def looked(text: str) -> dict[str, tuple[bool, bool]]:
    return looked_at(check(from_text(text)))


@pytest.mark.parametrize("name", [goal.name for goal in GOALS])
def test_a_goal_is_reached_whatever_the_way_and_what_is_nearly_right_does_not_reach_it(name):
    first, *others = map(looked, REACHED[name])
    assert [one for one, met in first.items() if met == (True, True)] == [name]
    assert all(found[name] == (True, True) for found in others)
    assert looked(MISSED[name])[name] != (True, True)


@pytest.mark.parametrize("text", [X + "y = mean(x)", "x = input([[1, 2], [3, 4]])\ny = x @ [1, 2]"])
def test_what_has_not_the_shape_of_x_reaches_nothing(text):
    assert not any(value or gradient for value, gradient in looked(text).values())


def test_another_input_may_have_another_number_of_entries():
    found = looked("x = input(0.5)\nw = input([1, 2, 3])\ny = x + mean(w)")
    assert found["partner"] == (False, False)
