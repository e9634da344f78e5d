"""TensorFlow's answers to the first two articles: a product's rule, clip, halve, flip."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from lessons.tricks import (
    TrickError,
    flip_gradient,
    gradient_override_map,
    identity,
    register_gradient,
)
from tests.engine.reference import (
    CASES,
    RUN,
    bound,
    case,
    fresh,
    grad,
    halve,
    same,
    tensor,
    times10,
)


@case("s0_alt_mul_override_identity")
def mul_as_identity(c: dict[str, Any]) -> None:
    x, u = tensor(c, "x"), tensor(c, "u", grad=False)
    with gradient_override_map({"Mul": fresh(lambda op, upstream: (upstream, None))}):
        yu = x**2 * u
    same(yu, c["outputs"]["yu"])
    same(torch.sqrt(yu), c["outputs"]["z"])
    same(grad(torch.sqrt(yu), x), c["gradients"]["dz_dx"])


def clip_rule(low: float, high: float) -> Callable[..., torch.Tensor]:
    return lambda op, upstream: torch.clamp(upstream, low, high)


@case("s1_clip_article")
def clip_article(c: dict[str, Any]) -> None:
    x = tensor(c, "input")
    with gradient_override_map({"Identity": fresh(clip_rule(-0.1, 0.1))}):
        clipped = identity(x)
    same(clipped, c["outputs"]["output_clip"])
    same(grad(clipped, x), c["gradients"]["with_clipping"])
    same(grad(identity(x), x), c["gradients"]["without_clipping"])


@case("s1_clip_two_identities")
def clip_twice(c: dict[str, Any]) -> None:
    x, k = tensor(c, "x"), tensor(c, "c", grad=False)
    with gradient_override_map({"Identity": clip_rule(c["inputs"]["lo"], c["inputs"]["hi"])}):
        loss = (k * identity(x)).sum() + (k * identity(x)).sum()
    same(loss, c["outputs"]["out"])
    same(grad(loss, x), c["gradients"]["dout_dx"])


@case("s1_clip_upstream", "s1_clip_after_scale")
def clip_upstream(c: dict[str, Any]) -> None:
    x, k = tensor(c, "x"), tensor(c, "c", grad=False)
    with gradient_override_map({"Identity": clip_rule(c["inputs"]["lo"], c["inputs"]["hi"])}):
        loss = (k * identity(x)).sum()
    same(loss, c["outputs"]["out"])
    same(grad(loss, x), c["gradients"]["dout_dx"])


@case("s1_half_in")
def half_inside(c: dict[str, Any]) -> None:
    """Torch has no reference variables: reading a leaf is no op, in either case."""
    x, seen = tensor(c, "Input"), []
    rule = fresh(lambda op, upstream: (seen.append(upstream), upstream * 0.5)[1])
    with gradient_override_map({"Identity": rule}):
        squared = torch.square(x * 6)
        halved = identity(squared)
    same(halved, c["outputs"]["output_A"])
    same(grad(halved, x), c["gradients"]["d_output_A"])
    same(seen[0], c["gradients"]["upstream_grad_received_by_A"])
    same(grad(squared, x), c["gradients"]["d_output_clip"])
    same(grad(identity(x), x), c["gradients"]["d_plain_identity"])


@case("s1_half_out")
def half_outside(c: dict[str, Any]) -> None:
    """Torch differs: TensorFlow is silent that the key matched nothing, the engine warns."""
    x = tensor(c, "Input")
    with (
        pytest.warns(UserWarning, match="identity.*matched no op"),
        gradient_override_map({"Identity": fresh(halve)}),
    ):
        squared = torch.square(x * 6)
    out = identity(squared)
    same(grad(out, x), c["gradients"]["d_output_A"])
    same(grad(squared, x), c["gradients"]["d_output_clip"])


@case("s1_all_inside")
def all_inside(c: dict[str, Any]) -> None:
    x = tensor(c, "Input")
    with gradient_override_map({"Identity": clip_rule(-0.1, 0.1)}):
        same(grad(identity(x), x), c["gradients"]["clip_with"])
        same(grad(identity(x), x), c["gradients"]["clip_comparison"])
    with gradient_override_map({"Identity": halve}):
        out = identity(torch.square(6 * x))
        same(out, c["outputs"]["half_output"])
        same(grad(out, x), c["gradients"]["half_with"])
        same(grad(identity(x), x), c["gradients"]["half_comparison"])


@case("s1_half_var_inside")
def variable_inside(c: dict[str, Any]) -> None:
    """Torch differs for the reference variable: reading a leaf is no op, so it is 108 always."""
    with gradient_override_map({"Identity": halve}):
        v = torch.tensor([3.0], requires_grad=True)
        out = identity(torch.square(6 * v))
    same(out, c["outputs"]["resource_variable"])
    same(grad(out, v), c["gradients"]["resource_variable"])


@case("s1_half_override_mul")
def half_on_mul(c: dict[str, Any]) -> None:
    """A Python 6 is no tensor operand in torch; as a tensor it is, and then torch raises too."""
    assert c["outputs"]["raised"]
    x = tensor(c, "x")
    with gradient_override_map({"Mul": halve}):
        out = torch.square(torch.tensor(6.0, dtype=x.dtype) * x)
        number = torch.square(6 * x)
    with pytest.raises(TrickError, match=r"wrong count of gradients\. Got 1, expected 2"):
        grad(out, x)
    same(grad(number, x), [18.0])


@case("s1_flip_l_tensor")
def flip_schedule(c: dict[str, Any]) -> None:
    for scale, expected in zip(c["inputs"]["l"], c["gradients"]["dL_dx_per_l"], strict=True):
        x = tensor(c, "x")
        lam = torch.tensor(scale, dtype=torch.float64)
        same(grad(flip_gradient(x, lam) ** 3, x), expected)
        with gradient_override_map({"Identity": lambda op, upstream, lam=lam: -lam * upstream}):
            y = identity(x)
        same(grad(y**3, x), expected)


@case("s1_flip_two_builders")
def two_builders(c: dict[str, Any]) -> None:
    assert c["outputs"]["raised"]
    register_gradient("ReferenceFlip0")(times10)
    with pytest.raises(TrickError, match="'ReferenceFlip0' is taken"):
        register_gradient("ReferenceFlip0")(times10)


@case("s1_flip")
def flip(c: dict[str, Any]) -> None:
    x, scale = tensor(c, "x"), c["inputs"]["l"]
    y = flip_gradient(x, scale)
    same(y, c["outputs"]["y"])
    same((y**3).sum(), c["outputs"]["L"])
    got = grad(y**3, x)
    same(got, c["gradients"]["dL_dx"])
    expected = torch.tensor(c["gradients"]["dL_dx"])
    assert torch.equal(torch.signbit(got), torch.signbit(expected))


@pytest.mark.parametrize("name", bound(__name__))
def test_case(name: str) -> None:
    RUN[name](CASES[name])
