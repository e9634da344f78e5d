"""A noise layer in a long network: what its clean backward changes, as means over seeds."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from lessons.chapters.stop_gradient.noise_layer.lesson import (
    LAB,
    LAYERS,
    WORDS,
    Long,
    NoiseLayer,
    inputs,
    layers_of,
)
from lessons.outputs.catalogue import find
from lessons.training.stacked import Draws
from lessons.training.under_way import Run
from tests.support import course
from tests.support.course import numbers
from tests.support.present import present

pytestmark = pytest.mark.slow

LESSON = find("noise_layer")


values = partial(course.settings, LESSON)


def at_first(**given: Any) -> Mapping[str, float]:
    """Means over the seeds before the first step."""
    return numbers(Run(LAB, NoiseLayer, values(**given)).history.facts)


@pytest.mark.parametrize("place", [1, 4, 9])
def test_the_layers_before_the_noise_are_quieter_and_those_after_it_as_noisy_as_without(
    place: int,
) -> None:
    facts = at_first(place=place, dtype="float64")
    assert facts["quieter"] > (3 if place > 1 else 1.5)
    assert facts["quieter_behind"] == pytest.approx(1, abs=1e-9)
    for layer in range(1, LAYERS + 1):
        share = facts[f"trick_noise_{layer}"] / facts[f"plain_noise_{layer}"]
        assert share < 0.8 if layer <= place else share == pytest.approx(1, rel=1e-3)


def test_without_noise_nothing_varies() -> None:
    facts = at_first(strength=0, seeds=2)
    assert facts["quieter"] == facts["quieter_behind"] == 1
    assert facts["plain_noise_1"] == facts["trick_noise_10"] == 0
    result = LESSON.compute(values(strength=0))
    assert result.notes[0].text == WORDS("no_noise")


def test_the_variance_against_a_plain_network_one_draw_at_a_time() -> None:
    """The same numbers with torch's own layers, without stacks, one backward pass a draw."""
    place, strength, seed = 6, 0.7, 3
    given = values(place=place, strength=strength, seed=seed, seeds=2, dtype="float64")
    trained = Long(NoiseLayer, given)
    ours = trained.gradient_noise(given)
    weights = [weight[0].detach() for weight in layers_of(Draws([seed])).parameters()]
    layers = [torch.nn.Linear(w.shape[1], w.shape[0], dtype=torch.float64) for w in weights[::2]]
    for layer, weight, bias in zip(layers, weights[::2], weights[1::2], strict=True):
        layer.weight.data, layer.bias.data = weight, bias[:, 0]
    x, target = (part.reshape(-1, 1) for part in inputs())
    for name, clean in (("trick", True), ("plain", False)):
        found = []
        for draw in trained.kept[0]:
            h = x
            for number, layer in enumerate(layers, start=1):
                h = layer(h) if number == LAYERS else torch.tanh(layer(h))
                if number == place:
                    u = 1 + strength * (2 * draw.T - 1)
                    h = h + (h.detach() * (u - 1)) if clean else h * u
            loss = ((h - target) ** 2).mean()
            found.append(torch.autograd.grad(loss, [layer.weight for layer in layers]))
        for number in range(1, LAYERS + 1):
            one = np.array([draw[number - 1].numpy().ravel() for draw in found])
            expected = one.var(0, ddof=1).sum() / (one.mean(0) ** 2).sum()
            assert float(ours[f"{name}_noise_{number}"][0]) == pytest.approx(expected, rel=1e-6)


def test_the_module_is_one_to_copy() -> None:
    """In a plain nn.Sequential, with torch's own noise: eval() turns it off, nothing is saved."""
    network = torch.nn.Sequential(torch.nn.Linear(3, 4), NoiseLayer(0.5), torch.nn.Linear(4, 1))
    x = torch.ones(2, 3)
    assert not torch.equal(network(x), network(x))
    network.eval()
    assert torch.equal(network(x), network(x))
    assert set(network.state_dict()) == {"0.weight", "0.bias", "2.weight", "2.bias"}
    leaf = torch.ones(5, requires_grad=True)
    out = NoiseLayer(0.5)(leaf)
    assert ((out - 1).abs() <= 0.5).all()
    assert torch.autograd.grad(out.sum(), leaf)[0].tolist() == [1.0] * 5


@pytest.mark.parametrize("strength", ["1e-5", "5e-5", "0.9", "2", "1000"])
def test_all_that_is_drawn_of_the_noise_lies_on_its_axis(strength: str) -> None:
    chosen = values(strength=strength)
    chart = present(LAB.training).figures(Run(LAB, NoiseLayer, chosen).history, chosen)[0]
    low, high = (10.0**end for end in chart.layout["yaxis"]["range"])
    drawn = np.concatenate(
        [np.asarray(one["y"], float) for one in chart.data if one["mode"] != "text"]
    )
    drawn = drawn[np.isfinite(drawn)]
    assert len(drawn) > 40
    assert (drawn >= low * (1 - 1e-9)).all()
    assert (drawn <= high).all()
