"""One backward pass for each player of a GAN, and a fake image that both of them need."""

# mypy: disable-error-code="no-untyped-call"

import torch

from lessons.contract.bug import Bug, Code, changed


def gan_step(g: torch.Tensor, d: torch.Tensor) -> None:
    fake = g * 2
    d_loss = d * fake
    d_loss.backward()
    g_loss = -d.detach() * fake
    g_loss.backward()


def check(step: Code) -> None:
    """Each player's gradient is that of its own loss: dd = fake, dg = −2d."""
    g, d = (torch.tensor(value, requires_grad=True) for value in (3.0, 0.5))
    try:
        step(g, d)
    except RuntimeError as error:
        raise AssertionError(f"torch raises: {str(error).split('. ')[0]}") from None
    for name, weight, expected in (("g", g, -1.0), ("d", d, 6.0)):
        got = None if weight.grad is None else float(weight.grad)
        assert got == expected, f"{name}.grad is {got}; its own loss asks for {expected}"


BUG = Bug(
    source="pytorch/examples#116",
    title="why is detach necessary",
    opened="2017-03-20",
    broken=gan_step,
    fixes={
        "detach": changed(gan_step, {"d * fake": "d * fake.detach()"}),
        "retain": changed(gan_step, {"d_loss.backward()": "d_loss.backward(retain_graph=True)"}),
        "no_grad": changed(gan_step, {"fake = g * 2": "with torch.no_grad():\n    fake = g * 2"}),
    },
    check=check,
)
