"""An op after the clean block, and other ways to make the block."""

from collections.abc import Callable, Iterable

import torch

from lessons.contract.lesson import Lesson
from lessons.contract.result import Result
from lessons.contract.settings import choice, slider
from lessons.contract.sketch import Sketch
from lessons.contract.words import Words
from lessons.gradient_tricks.tricks import forward_backward, gradient_override_map, stop_gradient
from lessons.kit.answers import which
from lessons.kit.curve_lab import Curve, Run, curve_lab
from lessons.kit.experiment import Program, Roles
from lessons.kit.inputs import AlongX
from lessons.kit.nan_notes import too_large

WORDS = Words(__file__)

AFTER: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "nothing": lambda z: z,
    "linear": lambda z: 3 * z + 1,
    "square": lambda z: z**2,
}

TRANSFER_X, TRANSFER_U, TRANSFER_WEIGHT = -2.0, 1.44, 1.5
"""The input, noise and weight of the last question."""


class Settings(AlongX):
    u = slider(1.44, -0.5, 2, accepts=(-10, 10))
    way = choice("block", "custom", "second", "whole", "rule")
    after = choice("nothing", "linear", "square", default="square")


def the_end(x: torch.Tensor, u: float, way: str, after: str) -> torch.Tensor:
    op = AFTER[after]
    y = x**2
    noise = torch.full_like(y, u)
    clean = torch.sqrt(y)
    if way == "rule":
        with gradient_override_map({"mul": lambda mul, g: (torch.sqrt(mul.inputs[1]) * g, None)}):
            yu = y * noise
        return op(torch.sqrt(yu))
    if way == "custom":
        return op(forward_backward(lambda y: torch.sqrt(y * noise), torch.sqrt)(y))
    z = torch.sqrt(y * noise)
    if way == "second":
        return op(clean)
    if way == "whole":
        return stop_gradient(op(z) - op(clean)) + op(clean)
    return op(stop_gradient(z - clean) + clean)


def no_trick(x: torch.Tensor, u: float, way: str, after: str) -> torch.Tensor:
    """The same forward expression without any trick; ``second`` has no noise in it."""
    z = torch.sqrt(x**2) if way == "second" else torch.sqrt(x**2 * u)
    return AFTER[after](z)


def of_the_clean_value(x: torch.Tensor, u: float, way: str, after: str) -> torch.Tensor:
    """The derivative of |x|, of 3|x| + 1 or of x², by hand; |x| has none at 0."""
    sign = x / x.abs()
    return {"nothing": sign, "linear": 3 * sign, "square": 2 * sign * x.abs()}[after]


def at_the_input(run: Run, settings: Settings) -> dict[str, float]:
    """The gradient of several ways, each with an op after it (``block_square``), and of answers."""
    found = {
        f"{way}_{after}": run(way=way, after=after)
        for way, after in (
            *(("block", after) for after in ("nothing", "linear", "square")),
            *(("custom", after) for after in ("nothing", "square")),
            ("whole", "square"),
        )
    }
    noisy = found["block_nothing"]["forward"]
    clean = run(way="second", after="nothing")["forward"]
    exact = found["whole_square"]["intended_gradient"]
    slopes = {name: roles["trick_gradient"] for name, roles in found.items()}
    return {
        **slopes,
        "noisy_z": noisy,
        "clean_z": clean,
        "noisy_square": noisy**2,
        "clean_square": clean**2,
        "reads_noisy": 2 * noisy * slopes["block_nothing"],
        "reads_clean": exact,
        "reads_u": exact * settings.u,
        "reads_reciprocal": exact * clean / noisy if noisy else float("nan"),
    }


def learned(run: Run, settings: Settings) -> dict[str, float]:
    """The gradients of the input and of a learned weight, with an absolute error after them."""
    found = {
        when: _through_a_weight(run.program, noise)
        for when, noise in (("noisy", TRANSFER_U), ("clean", 1.0))
    }
    return {
        "transfer_x": TRANSFER_X,
        "transfer_u": TRANSFER_U,
        "transfer_weight": TRANSFER_WEIGHT,
        **{f"transfer_dx_{when}": to_x for when, (to_x, _) in found.items()},
        **{f"transfer_da_{when}": to_weight for when, (_, to_weight) in found.items()},
    }


def _through_a_weight(program: Program, u: float) -> tuple[float, float]:
    """Gradients of x and of a learned weight that multiplies the block's value before the loss."""
    x, a = (
        torch.tensor([one], dtype=torch.float64, requires_grad=True)
        for one in (TRANSFER_X, TRANSFER_WEIGHT)
    )
    loss = (a * program(x, u, "block", "nothing") - 1).abs()
    to_x, to_weight = torch.autograd.grad(loss, (x, a), materialize_grads=True)
    return to_x.item(), to_weight.item()


def what_the_noise_changes(result: Result) -> str:
    """With a learned weight and an absolute error after the block: whose gradient moves with u."""
    to_x, to_weight = (
        result.facts[f"transfer_{by}_noisy"] != result.facts[f"transfer_{by}_clean"]
        for by in ("dx", "da")
    )
    return which(input=to_x, weight=to_weight)


def where_it_breaks(x: torch.Tensor, roles: Roles) -> Iterable[tuple[torch.Tensor, str]]:
    """Notes on values and gradients that are not finite at these inputs."""
    y = x**2
    return (
        too_large("x²", y),
        (x == 0, WORDS("slope_at_0")),
        ((y == 0) & (x != 0), WORDS("square_too_small")),
        (roles["forward"].isnan(), WORDS("negative")),
        (torch.ones_like(x, dtype=torch.bool), WORDS("zero")),
    )


CURVE = Curve(
    settings=Settings,
    plain=no_trick,
    intended=of_the_clean_value,
    words=WORDS,
    facts=(at_the_input, learned),
    causes=where_it_breaks,
)

LESSON = Lesson(
    program=the_end,
    lab=curve_lab(CURVE),
    predictions={"transfer": what_the_noise_changes},
    sketches={"square": Sketch(x=(-2.4, -1.8, -1.2, -0.6, 0.6, 1.2, 1.8, 2.4), near=0.5)},
    highlight="op(stop_gradient(z - clean) + clean)",
)
