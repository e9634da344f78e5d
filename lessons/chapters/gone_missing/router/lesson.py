"""A router keeps the best experts of a token and divides their gates by their sum."""

from collections.abc import Mapping

import torch

from lessons.contract.lesson import Lesson
from lessons.contract.result import Result
from lessons.contract.settings import choice, slider, whole
from lessons.contract.words import Words
from lessons.gradient_tricks.tricks import stop_gradient
from lessons.kit.curve_lab import Curve, Run, curve_lab
from lessons.kit.inputs import AlongX, inputs

WORDS = Words(__file__)

ROUNDING = 1e-6
"""The share of the largest gradient below which a gradient is just rounding."""


class Settings(AlongX):
    k = whole(1, 1, 3)
    gate = choice("normalised", "raw", "stopped")
    first = slider(2, -3, 3, 0.1, accepts=(-1e6, 1e6))
    second = slider(-1, -3, 3, 0.1, accepts=(-1e6, 1e6))
    third = slider(0.5, -3, 3, 0.1, accepts=(-1e6, 1e6))
    x = inputs("1, -0.5, -2")


def router(
    x: torch.Tensor, k: int, gate: str, first: float, second: float, third: float
) -> torch.Tensor:
    logits = torch.stack([x, torch.zeros_like(x), torch.full_like(x, -1.0)])
    p = torch.softmax(logits, 0)
    v, kept = torch.topk(p, k, 0)
    gates = v
    if gate != "raw":
        total = v.sum(0)
        if gate == "stopped":
            total = stop_gradient(total)
        gates = v / total
    outputs = x.new_tensor([first, second, third])
    return (gates * outputs[kept]).sum(0)


def all_experts(
    x: torch.Tensor, first: float, second: float, third: float, **_: object
) -> torch.Tensor:
    """The intended slope, that of the mixture of all three, by hand: p₁ (y₁ − Σ pᵢ yᵢ)."""
    p = torch.softmax(torch.stack([x, torch.zeros_like(x), torch.full_like(x, -1.0)]), 0)
    mixture = p[0] * first + p[1] * second + p[2] * third
    return p[0] * (first - mixture)


def ways(run: Run, settings: Settings) -> dict[str, float]:
    """The gradient at the chosen x for each kind of gate, at any setting; rounding becomes 0."""
    found = {
        "normalised_1": run(k=1, gate="normalised")["trick_gradient"],
        "raw_1": run(k=1, gate="raw")["trick_gradient"],
        "stopped_1": run(k=1, gate="stopped")["trick_gradient"],
        "all_three": run()["intended_gradient"],
    }
    largest = max(map(abs, found.values()))
    return {name: 0.0 if abs(one) <= ROUNDING * largest else one for name, one in found.items()}


def on_the_way(run: Run, settings: Settings) -> dict[str, float]:
    """With one expert a token: its gate before the division, and what each operand sends back."""
    x = run.x
    logits = torch.stack([x, torch.zeros_like(x), torch.full_like(x, -1.0)])
    kept = float(torch.softmax(logits, 0).max())
    chosen = float(run.output(x, k=1, gate="normalised")[0])
    return {
        "kept": kept,
        "chosen": chosen,
        "by_numerator": chosen / kept,
        "by_divisor": -chosen / kept,
    }


def stopped_divisor(result: Result) -> str:
    """Grade which gradient arrives if only the divisor is stopped."""
    if abs(result.number("stopped_1") - result.number("raw_1")) < 1e-6:
        return "raw_1"
    return "stopped_1" if result.facts["stopped_1"] else "normalised_1"


def the_first_token(result: Result) -> str:
    """Grade which of query, key and value get a gradient where a token attends to itself alone."""
    value = result.number("first_value")
    query = result.number("first_query") > 1e-6 * value
    return ("all" if query else "value") if value else "none"


CURVE = Curve(
    settings=Settings,
    # The sum as a part of the expression.
    plain=lambda x, gate, **settings: router(
        x, gate="normalised" if gate == "stopped" else gate, **settings
    ),
    intended=all_experts,
    words=WORDS,
    intended_is=WORDS("intended"),
    facts=(ways, on_the_way),
)


TOKENS, WIDTH, EXPERTS = 32, 8, 4


def router_gradient(
    k: int, gate: str, dtype: torch.dtype = torch.float32, epsilon: float = 0.0
) -> torch.Tensor:
    """The gradient of the router's weights from a squared error, shape [EXPERTS, WIDTH].

    Args:
        k: experts a token.
        gate: ``normalised``, ``raw`` or ``stopped``, as in the lesson's program.
        dtype: to compute in.
        epsilon: what is added to the divisor.
    """
    generator = torch.Generator().manual_seed(0)
    weights = torch.randn(EXPERTS, WIDTH, generator=generator).to(dtype).requires_grad_()
    experts = torch.randn(EXPERTS, WIDTH, WIDTH, generator=generator).to(dtype)
    x = torch.randn(TOKENS, WIDTH, generator=generator).to(dtype)
    v, kept = torch.softmax(x @ weights.T, -1).topk(k, -1)
    total = v.sum(-1, keepdim=True) + epsilon
    if gate != "raw":
        v = v / (total.detach() if gate == "stopped" else total)
    y = (v.unsqueeze(-1) * torch.einsum("tkij,tj->tki", experts[kept], x)).sum(1)
    return torch.autograd.grad(((y - 1) ** 2).mean(), weights)[0]


def batches() -> Mapping[str, float]:
    """The length of that gradient for each kind of gate, and how many entries are exactly 0."""
    found = {
        "batch_normalised_1": router_gradient(1, "normalised"),
        "batch_raw_1": router_gradient(1, "raw"),
        "batch_normalised_2": router_gradient(2, "normalised"),
        "batch_bfloat16_1": router_gradient(1, "normalised", torch.bfloat16),
    }
    lengths = {name: float(gradient.norm()) for name, gradient in found.items()}
    return {
        **lengths,
        "batch_exact": int((found["batch_normalised_1"] == 0).sum()),
        "batch_entries": EXPERTS * WIDTH,
        "batch_tokens": TOKENS,
    }


def attention_to_one() -> Mapping[str, float]:
    """The gradients of the first token's query, key and value from its own output.

    The mask is causal: that token attends to itself alone.
    """
    generator = torch.Generator().manual_seed(0)
    query, key, value = (
        torch.randn(3, 4, dtype=torch.float64, generator=generator).requires_grad_()
        for _ in range(3)
    )
    mask = torch.ones(3, 3, dtype=torch.bool).tril()
    scores = (query @ key.T / 2).masked_fill(~mask, -torch.inf)
    out = torch.softmax(scores, -1) @ value
    named = {"query": query, "key": key, "value": value}
    gradients = torch.autograd.grad((out[0] ** 2).sum(), list(named.values()))
    return {
        f"first_{name}": float(slope[0].norm())
        for name, slope in zip(named, gradients, strict=True)
    }


LESSON = Lesson(
    program=router,
    lab=curve_lab(CURVE),
    predictions={"stopped": stopped_divisor, "transfer": the_first_token},
    highlight="v / total",
    facts=(batches, attention_to_one),
)
