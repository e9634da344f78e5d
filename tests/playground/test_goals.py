"""Goals: some program reaches each, another way as well, and one that is nearly right does not."""

import pytest

from lessons.playground.document.as_text import from_text
from lessons.playground.document.check import check
from lessons.playground.goals import GOALS, looked_at

X = "input x = [-2, -1, 1]\n"
ONE = "input x = 0.5\n"
NOISY = X + "input u = normal(1, 0.3) seed 0 like x\n"
PARTNER = X + "input w = 1\n"

REACHED = {
    "stop": (X + "program\ny = stop_gradient(x**2)", X + "program\ny = x.detach() * x.detach()"),
    "half": (
        X + "program\ny = x * x.detach()",
        X + "override square = grad * in1\nprogram\ny = square(x)",
    ),
    "flip": (X + "program\ny = flip_gradient(x)", ONE + "program\ny = 2 * x.detach() - x"),
    "ghost": (X + "program\ny = x**2 - stop_gradient(x**2)",),
    "round": (
        X + "program\ny = straight_through(round)(x)",
        ONE + "program\ny = x + (torch.round(x) - x).detach()",
        X + "override round = grad\nprogram\ny = round(x)",
    ),
    "tanh": (X + "program\ny = forward_backward(sign, tanh)(x)",),
    "window": (
        X + "program\nc = clamp(x, -1, 1)\ny = c + stop_gradient(sign(x) - c)",
    ),
    "clip": (
        X + "program\ny = clip_gradient(x, -1, 1)**2",
        X + "program\nd = clamp(2 * x, -1, 1)\n"
        "y = stop_gradient(x**2) + stop_gradient(d) * (x - stop_gradient(x))",
    ),
    "table": (X + "override square = -2 * in1 * grad\nprogram\ny = square(x)",),
    "noise": (NOISY + "program\ny = x + stop_gradient(x * u - x)",),
    "partner": (PARTNER + "program\ny = x * stop_gradient(w)",),
    "root": (
        X + "program\na = abs(x)\nsafe = where(a > 0, a, 1)\ny = where(a > 0, sqrt(safe), 0)",
    ),
}  # fmt: skip
MISSED = {
    "stop": X + "program\ny = stop_gradient(x) * x",
    "half": X + "program\ny = 0.5 * x**2",
    "flip": X + "program\ny = -x",
    "ghost": X + "program\ny = 0 * x",
    "round": X + "program\ny = round(x)",
    "tanh": X + "program\ny = tanh(x)",
    "window": X + "program\ny = straight_through(sign)(x)",
    "clip": X + "program\ny = clip_gradient(x**2, -1, 1)",
    "table": X + "program\ny = flip_gradient(x)**2",
    "noise": NOISY + "program\ny = x * u",
    "partner": PARTNER + "program\ny = x",  # right as long as w is 1
    "root": X + "program\ny = sqrt(abs(x))",
}


def looked(text: str) -> dict[str, tuple[bool, bool]]:
    return looked_at(check(from_text(text)))


@pytest.mark.parametrize("name", [goal.name for goal in GOALS])
def test_a_goal_is_reached_whatever_the_way_and_what_is_nearly_right_does_not_reach_it(name):
    first, *others = map(looked, REACHED[name])
    assert [one for one, met in first.items() if met == (True, True)] == [name]
    assert all(found[name] == (True, True) for found in others)
    assert looked(MISSED[name])[name] != (True, True)


@pytest.mark.parametrize(
    "text", [X + "program\ny = mean(x)", "input x = [[1, 2], [3, 4]]\nprogram\ny = x @ [1, 2]"]
)
def test_what_has_not_the_shape_of_x_reaches_nothing(text):
    assert not any(value or gradient for value, gradient in looked(text).values())


def test_another_input_may_have_another_number_of_entries():
    found = looked("input x = 0.5\ninput w = [1, 2, 3]\nprogram\ny = x + mean(w)")
    assert found["partner"] == (False, False)
