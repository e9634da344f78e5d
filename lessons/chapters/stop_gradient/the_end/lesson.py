"""What an op behind the fixed block does, and three other ways to fix it."""

from collections.abc import Callable, Iterable

import torch

from lessons.contract.lesson import Lesson
from lessons.contract.parameters import Choice, Number, Values
from lessons.contract.result import Result
from lessons.kit.answers import nearest
from lessons.kit.curve_figures import CurveText
from lessons.kit.curve_lab import Curve, Roles, Run, curve_lab
from lessons.tricks import forward_backward, gradient_override_map, stop_gradient

BEHIND: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "nothing": lambda z: z,
    "linear": lambda z: 3 * z + 1,
    "square": lambda z: z**2,
}


def the_end(x: torch.Tensor, u: float, way: str, after: str) -> torch.Tensor:
    behind = BEHIND[after]
    y = x**2
    noise = torch.full_like(y, u)
    clean = torch.sqrt(y)
    if way == "rule":
        with gradient_override_map({"mul": lambda op, g: (torch.sqrt(op.inputs[1]) * g, None)}):
            yu = y * noise
        return behind(torch.sqrt(yu))
    if way == "custom":
        return behind(forward_backward(lambda y: torch.sqrt(y * noise), torch.sqrt)(y))
    z = torch.sqrt(y * noise)
    if way == "second":
        return behind(clean)
    if way == "whole":
        return stop_gradient(behind(z) - behind(clean)) + behind(clean)
    return behind(stop_gradient(z - clean) + clean)


def no_trick(x: torch.Tensor, u: float, way: str, after: str) -> torch.Tensor:
    """The same forward expression as anyone would write it; ``second`` has no noise in it."""
    z = torch.sqrt(x**2) if way == "second" else torch.sqrt(x**2 * u)
    return BEHIND[after](z)


def of_the_clean_value(x: torch.Tensor, u: float, way: str, after: str) -> torch.Tensor:
    """The derivative of |x|, of 3|x| + 1 or of x², by hand; |x| has none at 0."""
    sign = x / x.abs()
    return {"nothing": sign, "linear": 3 * sign, "square": 2 * sign * x.abs()}[after]


def at_the_input(run: Run, settings: Values) -> dict[str, float]:
    """The gradient of several ways with several ops behind them, and what the beliefs expect."""
    found = {
        f"{way}_{after}": run(way=way, after=after)
        for way, after in (
            *(("block", after) for after in ("nothing", "linear", "square")),
            *(("rule", after) for after in ("nothing", "square")),
            ("custom", "nothing"),
            ("whole", "square"),
        )
    }
    noisy = found["block_nothing"]["forward"]
    clean = run(way="second", after="nothing")["forward"]
    exact = found["whole_square"]["intended_gradient"]
    slopes = {name: one["trick_gradient"] for name, one in found.items()}
    return {
        **slopes,
        "noisy_z": noisy,
        "clean_z": clean,
        "noisy_square": noisy**2,
        "clean_square": clean**2,
        "reads_noisy": 2 * noisy * slopes["block_nothing"],
        "reads_clean": exact,
        "reads_u": exact * settings["u"],
        "reads_reciprocal": exact * clean / noisy if noisy else float("nan"),
    }


def what_a_square_reads(result: Result) -> str:
    """Which value the square behind the block took its slope from."""
    names = ("reads_noisy", "reads_clean", "reads_u", "reads_reciprocal")
    return nearest(result, "block_square", {name: name for name in names})


def does_it_help(result: Result) -> str:
    """Which value the square behind the rule on the Mul took its slope from."""
    beliefs = {"noisy": "reads_noisy", "clean": "reads_clean", "reciprocal": "reads_reciprocal"}
    return nearest(result, "rule_square", beliefs)


def where_it_breaks(x: torch.Tensor, here: Roles) -> Iterable[tuple[torch.Tensor, str]]:
    """Why a value or gradient is not finite at these inputs."""
    y = x**2
    return (
        (y.isinf(), "x² is too large for this number format and becomes ∞."),
        (x == 0, "√ has slope ∞ at 0 and x² has slope 0 there; ∞ · 0 is NaN."),
        ((y == 0) & (x != 0), "x² is too small for this number format and becomes 0."),
        (
            here["forward"].isnan(),
            "u is negative, so √ is asked for the root of a negative number: NaN. "
            "A gradient that is still a number no longer looks at the forward value.",
        ),
        (torch.ones_like(x, dtype=torch.bool), "u is 0, so √ is taken at 0, where its slope is ∞."),
    )


CURVE = Curve(
    parameters=(
        Number("u", "Noise u", "1.44", low=-10.0, high=10.0, slider=(-0.5, 2.0)),
        Choice(
            "way",
            "How it is fixed",
            "block",
            options=(
                ("block", "stop_gradient around the block"),
                ("rule", "a rule on the noise’s Mul"),
                ("custom", "a custom gradient for the block"),
                ("second", "a second expression without noise"),
                ("whole", "stop_gradient around block and op"),
            ),
        ),
        Choice(
            "after",
            "Op behind it",
            "square",
            options=(("nothing", "none"), ("linear", "3z + 1"), ("square", "z²")),
        ),
    ),
    expression=no_trick,
    intended=of_the_clean_value,
    text=CurveText(
        value="w",
        gradient="dw/dx",
        gradient_caption="Dotted: no trick. Dashed: as if there were no noise. Click a point to "
        "have its numbers in the text.",
        forward_caption="The same for every way but one: the second expression has no noise.",
    ),
    facts=at_the_input,
    causes=where_it_breaks,
)

LESSON = Lesson(
    program=the_end,
    lab=curve_lab(CURVE),
    predictions={"square": what_a_square_reads, "rule": does_it_help},
    highlight="behind(stop_gradient(z - clean) + clean)",
)
