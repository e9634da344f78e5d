"""What one target point tells its features before the first step, by role. Torch only."""

from collections.abc import Callable
from typing import Any

import torch

from lessons.parameters import Values
from lessons.reversal.moons_net import SOURCE, Networks, points_of, scale_at


def shown_seed(values: Values) -> int:
    """The seed whose pictures are drawn; past the last is the last."""
    return int(values["seed"]) + min(int(values["shown"]), int(values["seeds"])) - 1


def one_point(
    values: Values, device: torch.device, dtype: torch.dtype
) -> tuple[Networks, torch.Tensor]:
    """The untrained networks of the shown seed, and its first target point's features, [units]."""
    seeds = range(shown_seed(values), shown_seed(values) + 1)
    networks = Networks(values["network"], seeds, device, dtype).at(0)
    point = points_of(seeds, values["network"], values["angle"])[..., [SOURCE]]
    return networks, networks.features(point.to(device, dtype)).flatten()


def settings_of_one(networks: Networks, values: Values, features: torch.Tensor) -> dict[str, Any]:
    """What the program takes besides the features of one target point, λ at its full size."""

    def label_head(features: torch.Tensor) -> torch.Tensor:
        return networks.label_head(features.reshape(1, -1, 1))

    def domain_head(features: torch.Tensor, frozen: bool = False) -> torch.Tensor:
        return networks.domain_head(features.reshape(1, -1, 1), frozen)

    return {
        "label_head": label_head,
        "domain_head": domain_head,
        "labels": torch.zeros(1).to(features),
        "domains": torch.ones(1).to(features),
        "scale": float(values["scale"]),
        "scale_at_start": scale_at(0.0, values),
        "wiring": values["wiring"],
    }


def by_role(
    program: Callable[..., torch.Tensor],
    values: Values,
    device: torch.device,
    dtype: torch.dtype,
) -> dict[str, torch.Tensor]:
    """The features of one target point and the gradient of the loss at them, shape [units].

    Returns:
        forward: the features. trick_gradient: by autograd, wired as chosen. true_gradient: the
        domain loss's, by autograd, with no trick. intended_gradient: −λ times the domain loss's,
        by formula.
    """
    networks, features = one_point(values, device, dtype)
    features.requires_grad_()
    settings = settings_of_one(networks, values, features)

    def gradient(**other: Any) -> torch.Tensor:
        loss = program(features, **(settings | other))
        (found,) = torch.autograd.grad(loss.sum(), features, materialize_grads=True)
        return found

    return {
        "forward": features.detach(),
        "trick_gradient": gradient(),
        "true_gradient": gradient(wiring="never"),
        "intended_gradient": -float(values["scale"]) * domain_gradient(networks, features.detach()),
    }


def domain_gradient(networks: Networks, features: torch.Tensor) -> torch.Tensor:
    """The gradient of the domain loss at a target point's features, layer by layer by hand."""
    *hidden, (weight, bias) = networks.domain_layers()
    values, slopes = features[:, None], []
    for inner, shift in hidden:
        before = inner[0] @ values + shift[0]
        slopes.append((before > 0).to(before.dtype))
        values = before * slopes[-1]
    upstream = torch.sigmoid(weight[0] @ values + bias[0]) - 1
    upstream = weight[0].T @ upstream
    for (inner, _), slope in zip(reversed(hidden), reversed(slopes), strict=True):
        upstream = inner[0].T @ (upstream * slope)
    return upstream[:, 0]
