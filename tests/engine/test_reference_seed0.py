"""TensorFlow's answers to the first article: where to put stop_gradient."""

from typing import Any

import pytest
import torch

from lessons.tricks import forward_backward, gradient_override_map, stop_gradient
from tests.engine.reference import CASES, RUN, bound, case, fresh, grad, same, tensor


@case("s0_article", "s0_vec64", "s0_near0", "s0_zero", "s0_uneg", "s0_ubroadcast")
def noise(c: dict[str, Any]) -> None:
    x, u = tensor(c, "x"), tensor(c, "u", grad=False)
    y = x**2
    yu = y * u
    naive = torch.sqrt(yu)
    fixed = stop_gradient(yu - y) + y
    midgraph = torch.sqrt(fixed)
    end = stop_gradient(naive - torch.sqrt(y)) + torch.sqrt(y)
    out, slopes = c["outputs"], c["gradients"]
    same(y, out["y"])
    same(yu, out["yu"])
    same(naive, out["z_naive"])
    same(fixed, out["yu_fixed_midgraph"])
    same(midgraph, out["z_midgraph"])
    same(end, out["z_fixed_end"])
    same(grad(naive, x), slopes["dz_dx_naive"])
    same(grad(midgraph, x), slopes["dz_dx_midgraph"])
    same(grad(end, x), slopes["dz_dx_end"])
    trick = forward_backward(lambda x: torch.sqrt(x**2 * u), lambda x: torch.sqrt(x**2))
    same(grad(trick(x), x), slopes["dz_dx_end"])


@case("s0_down_linear")
def down_linear(c: dict[str, Any]) -> None:
    x, u = tensor(c, "x"), tensor(c, "u", grad=False)
    z = stop_gradient(torch.sqrt(x**2 * u) - torch.sqrt(x**2)) + torch.sqrt(x**2)
    same(z, c["outputs"]["z_fixed"])
    same(3 * z + 1, c["outputs"]["w"])
    same(grad(3 * z + 1, x), c["gradients"]["dw_dx"])
    same(grad(3 * torch.sqrt(x**2) + 1, x), c["gradients"]["dw_dx_noise_free"])


@case("s0_alt_custom_gradient")
def custom_gradient(c: dict[str, Any]) -> None:
    x, u = tensor(c, "x"), tensor(c, "u", grad=False)
    z = forward_backward(lambda x: torch.sqrt(x**2 * u), lambda x: torch.sqrt(x**2))(x)
    w = z**2
    same(z, c["outputs"]["z"])
    same(w, c["outputs"]["w"])
    same(grad(z, x), c["gradients"]["dz_dx"])
    same(grad(w, x), c["gradients"]["dw_dx"])


@case("s0_alt_mul_override_identity")
def mul_as_identity(c: dict[str, Any]) -> None:
    x, u = tensor(c, "x"), tensor(c, "u", grad=False)
    with gradient_override_map({"Mul": fresh(lambda op, upstream: (upstream, None))}):
        yu = x**2 * u
    same(yu, c["outputs"]["yu"])
    same(torch.sqrt(yu), c["outputs"]["z"])
    same(grad(torch.sqrt(yu), x), c["gradients"]["dz_dx"])


@case("s0_stop_gradient_none")
def stopped(c: dict[str, Any]) -> None:
    """Torch differs: where TensorFlow returns None, torch has no graph at all and raises."""
    x = tensor(c, "x")
    s = stop_gradient(x)
    same(s, c["outputs"]["s"])
    assert c["gradients"]["ds_dx"] is None
    assert not s.requires_grad
    same(grad(s + 0 * x.sum() * 0, x), c["gradients"]["ds_dx_unconnected_zero"])
    same(grad(s * x, x), c["gradients"]["d_s_times_x_dx"])


@pytest.mark.parametrize("name", bound(__name__))
def test_case(name: str) -> None:
    RUN[name](CASES[name])
