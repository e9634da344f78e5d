"""What the presets that draw a class say of the mean gradient, over all draws."""

from typing import Any

import pytest
import torch

from lessons.playground.document.contents import Document, Input
from lessons.playground.document.presets import preset
from lessons.playground.running.outcome import run
from tests.support.present import present

LOGITS = ((0.3, -0.1, 0.5), (0.0, 2.0, -1.0), (-3.0, 0.4, 4.0))


def at(document: Document, **values: Any) -> Document:
    """The document with other values for some inputs, drawn ones too."""
    inputs = {one.name: one for one in document.inputs}
    inputs |= {name: Input(name, value) for name, value in values.items()}
    return document.with_(inputs=tuple(inputs.values()))


def gradient(document: Document, role: str = "trick_gradient") -> torch.Tensor:
    return present(run(document, curves=False).gradients[role]["x"])


def every_class(
    document: Document, x: tuple[float, float, float]
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The probability of each class, the gradient where it is drawn, and the exact gradient."""
    p = torch.softmax(torch.tensor(x, dtype=torch.float64), -1)
    drawn = [at(document, x=x, u=float(u)) for u in p.cumsum(-1) - p / 2]
    for place, one in enumerate(drawn):
        assert run(one, curves=False).values["drawn"].argmax() == place
    exact = gradient(at(document, x=x), "intended_gradient")
    return p, torch.stack([*map(gradient, drawn)]), exact


@pytest.mark.parametrize("x", LOGITS)
def test_reinforce_is_right_on_average_and_in_no_draw(x: tuple[float, float, float]) -> None:
    p, found, exact = every_class(preset("reinforce"), x)
    torch.testing.assert_close(p @ found, exact, rtol=1e-10, atol=1e-12)
    assert float((found - exact).abs().max()) > 0.1, "no draw is the mean"


@pytest.mark.parametrize("x", LOGITS)
def test_a_draw_straight_through_has_the_exact_gradient_of_a_linear_reward(
    x: tuple[float, float, float],
) -> None:
    document = preset("sample_straight_through")
    _, found, exact = every_class(document, x)
    torch.testing.assert_close(found, exact.expand(3, 3))
    reward, squares = "torch.sum(hard * torch.tensor([1.0, 2.0, 3.0]))", "p * [1, 4, 9]"
    program = document.program.replace(reward, f"torch.square({reward})")
    program = program.replace("p * torch.tensor([1.0, 2.0, 3.0])", squares)
    _, found, exact = every_class(document.with_(program=program), x)
    assert float((found - exact).abs().max()) > 0.01, "another reward has another one"
