"""One expert a token, and its gate divided by itself: the router gets only rounding errors."""

import torch
from torch import Tensor

from lessons.contract.bug import Bug, Code, changed


def mixed(weight: Tensor, index: Tensor, experts: Tensor, x: Tensor) -> Tensor:
    """The outputs of the kept experts, shape [t, k, d], weighted and added."""
    return (weight.unsqueeze(-1) * torch.einsum("tkij,tj->tki", experts[index], x)).sum(1)


def forward(x: Tensor, router: Tensor, experts: Tensor, k: int) -> Tensor:
    scores = torch.softmax(x @ router.T, dim=-1)
    weight, index = torch.topk(scores, k, dim=-1)
    weight = weight / (weight.sum(dim=-1, keepdim=True) + 1e-20)
    return mixed(weight, index, experts, x)


def check(code: Code) -> None:
    """With one expert, a small step on the router lowers the loss.

    With two, the output stays that of `forward`, which is wrong only for k = 1.
    """
    generator = torch.Generator().manual_seed(0)
    router, experts, x = (
        torch.randn(*shape, dtype=torch.float64, generator=generator)
        for shape in ((4, 8), (4, 8, 8), (32, 8))
    )
    apart = float((code(x, router, experts, 2) - forward(x, router, experts, 2)).abs().max())
    assert apart < 1e-4, f"k = 2: the output differs by {apart:.2g}, expected no change"
    router.requires_grad_()
    loss = ((code(x, router, experts, 1) - 1) ** 2).mean()
    (slope,) = torch.autograd.grad(loss, router)
    length = float(slope.norm())
    assert length > 1e-3, f"k = 1: the router's gradient has the length {length:.1g}"
    moved = router.detach() - 1e-4 * slope / length
    after = ((code(x, moved, experts, 1) - 1) ** 2).mean()
    fall = float(loss.detach() - after)
    assert fall > 1e-6, f"k = 1: a step against the gradient lowers the loss by {fall:.1g}"


BUG = Bug(
    source="jingyaogong/minimind#858",
    title="[Bug] num_experts_per_tok=1 时 MoE 路由器收不到梯度（topk 权重归一化后退化为常数）",
    opened="2026-09-17",
    broken=forward,
    fixes={
        "epsilon": changed(forward, {"1e-20": "1e-6"}),
        "numerator": changed(forward, {"= weight /": "= weight.detach() /"}),
        "only_several": changed(forward, {"weight = weight": "if k > 1:\n    weight = weight"}),
    },
    check=check,
)
