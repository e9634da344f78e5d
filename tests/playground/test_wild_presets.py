"""What the presets that draw a class say of the mean gradient, over all draws."""

import pytest
import torch

from lessons.playground.document.contents import Document, Input
from lessons.playground.document.presets import preset
from lessons.playground.running.outcome import run

LOGITS = ((0.3, -0.1, 0.5), (0.0, 2.0, -1.0), (-3.0, 0.4, 4.0))


def at(document: Document, **values) -> Document:
    """The document with other values for some inputs, drawn ones too."""
    return document.with_(
        inputs=tuple(
            Input(one.name, values[one.name]) if one.name in values else one
            for one in document.inputs
        )
    )


def gradient(document: Document, by: str = "x", role: str = "trick_gradient"):
    return run(document, curves=False).gradients[role][by]


def close(mine, wanted, **tolerance):
    torch.testing.assert_close(mine, torch.as_tensor(wanted, dtype=torch.float64), **tolerance)


def probabilities(x) -> torch.Tensor:
    return torch.softmax(torch.tensor(x, dtype=torch.float64), -1)


def every_class(document: Document, x) -> list[tuple[float, torch.Tensor]]:
    """The probability of each class, and the gradient where that class is drawn."""
    p = probabilities(x)
    middle = p.cumsum(-1) - p / 2
    found = []
    for place in range(3):
        drawn = at(document, x=x, u=float(middle[place]))
        assert run(drawn, curves=False).values["drawn"].argmax() == place
        found.append((float(p[place]), gradient(drawn)))
    return found


@pytest.mark.parametrize("x", LOGITS)
def test_reinforce_is_right_on_average_and_in_no_draw(x):
    found = every_class(preset("reinforce"), x)
    exact = gradient(at(preset("reinforce"), x=x), role="intended_gradient")
    close(sum(p * one for p, one in found), exact, rtol=1e-10, atol=1e-12)
    assert any(float((one - exact).abs().max()) > 0.1 for _, one in found), "no draw is the mean"


@pytest.mark.parametrize("x", LOGITS)
def test_a_draw_straight_through_has_the_exact_gradient_of_a_linear_reward(x):
    document = preset("sample_straight_through")
    exact = gradient(at(document, x=x), role="intended_gradient")
    rewards = set()
    for p, slope in every_class(document, x):
        assert p > 0
        close(slope, exact)
    for u in (0.001, 0.5, 0.999):
        rewards.add(float(run(at(document, x=x, u=u), curves=False).values["reward"]))
    assert rewards <= {1.0, 2.0, 3.0}
    assert len(rewards) > 1
    reward, squares = "torch.sum(hard * torch.tensor([1.0, 2.0, 3.0]))", "p * [1, 4, 9]"
    program = document.program.replace(reward, f"torch.square({reward})")
    program = program.replace("p * torch.tensor([1.0, 2.0, 3.0])", squares)
    squared = document.with_(program=program)
    exact = gradient(at(squared, x=x), role="intended_gradient")
    assert any(float((one - exact).abs().max()) > 0.01 for _, one in every_class(squared, x))
