"""The value of one function, the gradient of another, both written by hand."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType

import numpy as np
import torch

from lessons.chapters.stop_gradient.pick_surrogate.formula import read
from lessons.chapters.stop_gradient.pick_surrogate.lab import surrogate_lab
from lessons.chapters.stop_gradient.pick_surrogate.surrogate import Function, Program, by_role
from lessons.contract.lesson import Lesson
from lessons.contract.result import Array, Result
from lessons.contract.sketch import Facts, Sketch
from lessons.kit.gradients import gradient
from lessons.tricks import stop_gradient


def surrogate(x: torch.Tensor, f: Function, g: Function, spelling: str) -> torch.Tensor:
    soft = g(x)
    if spelling == "apart":
        return f(x) - stop_gradient(soft) + soft
    return soft + stop_gradient(f(x) - soft)


@lru_cache(maxsize=4)
def observed(program: Program) -> Mapping[str, float]:
    """The numbers that the text speaks of, from runs of the program with pairs of its own.

    They do not depend on what the learner sets.
    """

    def run(
        f: str, g: str, x: list[float], weights: list[float], spelling: str = "together"
    ) -> dict[str, float]:
        rows, upstream = (torch.tensor(values, dtype=torch.float64) for values in ([x], weights))
        found = by_role(program, read(f), read(g), spelling, rows, upstream)
        return {role: value[0, 0].item() for role, value in found.items()}

    steep = run("step(x)", "sigmoid(5 * x)", [0.2], [1.0])
    logits, upstream = [1.0, 2.0, 0.5], [1.0, 2.0, 3.0]
    hard = {
        spelling: run("onehot_argmax(x)", "softmax(x)", logits, upstream, spelling)
        for spelling in ("together", "apart")
    }
    kink = {
        spelling: run("relu(x)", "softplus(x)", [0.4], [1.0], spelling)["trick_gradient"]
        for spelling in ("together", "apart")
    }
    return MappingProxyType(
        {
            "steep_x": 0.2,
            "steep_value": steep["forward"],
            "steep_slope": steep["trick_gradient"],
            "steep_g": steep["intended_gradient"],
            "one": 1.0,
            "zero": 0.0,
            "steep_at_zero": run("step(x)", "sigmoid(5 * x)", [0.0], [1.0])["intended_gradient"],
            "hard_together": hard["together"]["trick_gradient"],
            "hard_apart": hard["apart"]["trick_gradient"],
            "hard_soft": hard["together"]["intended_gradient"],
            "hard_twice": 2 * hard["together"]["intended_gradient"],
            "kink_x": 0.4,
            "kink_together": kink["together"],
            "kink_apart": kink["apart"],
            "spoilt_value": run("sign(x)", "sqrt(x)", [-1.0], [1.0])["forward"],
            "tanh_far": run("sign(x)", "tanh(x)", [-2.0], [1.0])["trick_gradient"],
            **leaky_spellings(),
            **over_gumbel_noise(),
        }
    )


def over_gumbel_noise() -> dict[str, float]:
    """The mean of Gumbel-softmax's gradient for two equal logits and the cost of the first alone,
    and that cost's own slope. The difference of two Gumbel noises is the logit of a uniform."""
    x = torch.zeros((), dtype=torch.float64, requires_grad=True)
    uniform = (torch.arange(10_000, dtype=torch.float64) + 0.5) / 10_000
    soft, choice = torch.sigmoid(x + uniform.logit()), torch.sigmoid(x)
    return {
        "gumbel_mean": gradient(soft.mean(), x).item(),
        "gumbel_true": gradient(choice, x).item(),
    }


LEAK = 0.1
LEAKY_X = (-2.0, 3.0)
LINES = {
    "leaky_outside": lambda relu, leaky: leaky + (relu - leaky).detach(),
    "relu_outside": lambda relu, leaky: relu + (leaky - relu).detach(),
    "all_inside": lambda relu, leaky: relu.detach() + (leaky - relu).detach(),
    "apart": lambda relu, leaky: relu - leaky.detach() + leaky,
}
"""The lines of code to choose from at the end."""


def leaky_spellings() -> dict[str, float]:
    """Whether each of ``LINES`` has the value of relu and the slope of a leaky relu: 1 or 0."""

    def of(line: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> list[list[float]]:
        x = torch.tensor(LEAKY_X, dtype=torch.float64, requires_grad=True)
        y = line(torch.relu(x), torch.nn.functional.leaky_relu(x, LEAK))
        return [y.tolist(), gradient(y, x).tolist()]

    found = {name: of(line) for name, line in LINES.items()}
    wanted = [of(lambda relu, leaky: relu)[0], of(lambda relu, leaky: leaky)[1]]
    return {
        "leak": LEAK,
        "leaky_x": LEAKY_X[0],
        "leaky_y": LEAKY_X[1],
        **{f"{name}_fits": float(np.allclose(one, wanted)) for name, one in found.items()},
        **{f"{name}_value": one[0][0] for name, one in found.items()},
        "apart_slope": found["apart"][1][1],
        "leaky_outside_below": found["leaky_outside"][1][0],
        "leaky_outside_above": found["leaky_outside"][1][1],
    }


def which_line(result: Result) -> str:
    """The first line with relu's value and the leaky slope."""
    return next(name for name in LINES if result.facts[f"{name}_fits"])


def slopes(x: Array, facts: Facts) -> dict[str, Array]:
    """As ``whose_slope``: the gradient that each answer expects, at these x."""
    sigmoid = 1 / (1 + np.exp(-5 * x))
    ones = np.ones_like(x)
    return {
        "steep_g": 5 * sigmoid * (1 - sigmoid),
        "zero": 0 * ones,
        "one": ones,
        "steep_at_zero": float(facts["steep_at_zero"]) * ones,
    }


LESSON = Lesson(
    program=surrogate,
    lab=surrogate_lab(observed),
    predictions={"transfer": which_line},
    sketches={
        "slope": Sketch(
            beliefs=slopes,
            x=(-1.2, -0.8, -0.4, -0.2, 0.0, 0.2, 0.4, 0.8, 1.2),
            near=0.25,
        )
    },
    highlight="soft + stop_gradient(f(x) - soft)",
)
