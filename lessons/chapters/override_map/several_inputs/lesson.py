"""A rule for an op with two inputs returns two gradients, in their order."""

from collections.abc import Mapping

import torch

from lessons.contract.lesson import Lesson
from lessons.contract.settings import choice, slider
from lessons.contract.words import Words
from lessons.gradient_tricks.tricks import gradient_override_map
from lessons.gradient_tricks.tricks.rule import Op
from lessons.kit.curve_lab import Curve, Run, curve_lab
from lessons.kit.inputs import AlongX, inputs, point_in_text

WORDS = Words(__file__)


class Settings(AlongX):
    product = choice("weight_first", "weight_second", "matmul")
    rule = choice("both", "first", "sign", default="first")
    factor = slider(10, -20, 20, 0.5, accepts=(-100, 100))
    power = choice("1", "2")
    x = inputs("-1, 0.013, 2")
    point = point_in_text(2)


def several_inputs(
    x: torch.Tensor, factor: float, product: str, rule: str, power: str
) -> torch.Tensor:
    def override(op: Op, upstream: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor | None]:
        first, second = op.inputs
        if op.type == "matmul":
            own = upstream @ second.T, first.T @ upstream
        else:
            own = upstream * second, upstream * first
        if rule == "both":
            return own
        return (own[0], None) if rule == "first" else (torch.sign(own[0]), None)

    w, i = x, torch.full(x.shape, factor, dtype=x.dtype, device=x.device)
    with gradient_override_map({"matmul" if product == "matmul" else "mul": override}):
        if product == "matmul":
            rows = torch.stack([w, torch.ones_like(w)], 1)
            y = (rows @ rows.new_tensor([[factor, 1], [2, -1]])).sum(1)
        else:
            y = torch.mul(w, i) if product == "weight_first" else torch.mul(i, w)
    return y if power == "1" else y**2


def without_rule(
    x: torch.Tensor, factor: float, product: str, power: str, **_: str
) -> torch.Tensor:
    """The same forward expression, without a product to override; no map."""
    y = (factor + 1) * x + 1 if product == "matmul" else factor * x
    return y ** int(power)


def as_meant(x: torch.Tensor, factor: float, product: str, rule: str, power: str) -> torch.Tensor:
    """The intended gradient: the derivative with respect to the weight, or its sign."""
    slope = factor + 1 if product == "matmul" else factor
    y = slope * x + 1 if product == "matmul" else slope * x
    own = slope * torch.ones_like(x) if power == "1" else 2 * slope * y
    return torch.sign(own) if rule == "sign" else own


def beliefs(run: Run, settings: Settings) -> dict[str, float]:
    """The gradient of the weight in each case, with L = y, and what each belief expects."""

    def of_output(product: str, rule: str) -> Mapping[str, float]:
        return run(product=product, rule=rule, power="1")

    article, matmul = of_output("weight_first", "first"), of_output("matmul", "both")
    return {
        "mulgrad": article["trick_gradient"],
        "builtin": article["true_gradient"],
        "visible": of_output("weight_first", "sign")["trick_gradient"],
        "swapped": of_output("weight_second", "first")["trick_gradient"],
        "matmul_both": matmul["trick_gradient"],
        "matmul_builtin": matmul["true_gradient"],
        "matmul_sign": of_output("matmul", "sign")["trick_gradient"],
    }


def as_torch_says(run: Run, settings: Settings) -> dict[str, float | str]:
    """The gradient of the swapped product as torch hands it out, where a curve can only draw 0."""
    leaf = run.x.detach().requires_grad_()
    y = run.output(leaf, product="weight_second", rule="first", power="1").sum()
    (came,) = torch.autograd.grad(y, leaf, allow_unused=True) if y.requires_grad else (None,)
    return {"swapped_in_torch": _as_text(came), **power_rule(run.x)}


def power_rule(x: torch.Tensor) -> dict[str, float | str]:
    """The same mistake in another place: a rule for pow that returns None for the exponent."""
    at = {"pow_b": 3.0, "pow_e": 2.0}
    b, e = (x.new_tensor(value).requires_grad_() for value in at.values())

    def pow_grad(op: Op, upstream: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor | None]:
        b, e = op.inputs
        return upstream * e * b ** (e - 1), None

    with gradient_override_map({"pow": pow_grad}):
        y = torch.pow(b, e)
    base, exponent = torch.autograd.grad(y, (b, e), allow_unused=True)
    _, builtin = torch.autograd.grad(torch.pow(b, e), (b, e))
    return {
        **at,
        "pow_base": float(base),
        "pow_builtin": float(builtin),
        "pow_exponent": 0.0 if exponent is None else float(exponent),
        "pow_in_torch": _as_text(exponent),
    }


def _as_text(came: torch.Tensor | None) -> str:
    return "None" if came is None else format(float(came), ".4g")


CURVE = Curve(
    settings=Settings,
    plain=without_rule,
    intended=as_meant,
    words=WORDS,
    facts=(beliefs, as_torch_says),
)

LESSON = Lesson(
    program=several_inputs,
    lab=curve_lab(CURVE),
    highlight='return (own[0], None) if rule == "first" else (torch.sign(own[0]), None)',
)
