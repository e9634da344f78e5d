"""A noise layer in a long network: what its clean backward changes, as means over seeds."""

import math
from functools import partial

import numpy as np
import pytest
import torch

from lessons.chapters.stop_gradient.noise_layer.lesson import (
    LAB,
    LAYERS,
    MOST_DRAWS,
    POINTS,
    WIDTH,
    WORDS,
    Long,
    NoiseLayer,
    changed_by_a_stop,
    how_it_ends,
    inputs,
    kept_draws,
    layers_of,
    quieter_where,
)
from lessons.outputs.catalogue import find
from lessons.training.stacked import Draws
from lessons.training.under_way import Run, finished
from tests.support import course

pytestmark = pytest.mark.slow

LESSON = find("noise_layer")


values = partial(course.settings, LESSON)


def at_first(program=NoiseLayer, **given):
    """Means over the seeds before the first step."""
    chosen = values(**given)
    numbers = Long(program, chosen).look(0, chosen).numbers
    return {name: float(seeds.mean()) for name, seeds in numbers.items()}


def trained(program=NoiseLayer, **given):
    return finished(LAB, program, values(**given)).facts


def untricked(strength, clean_backward=True, draw=torch.rand_like):
    """The lesson's module with its trick taken out."""
    return NoiseLayer(strength, False, draw)


def is_clean_before(facts, place):
    """What the lesson says of the variance: far less before the noise, the same behind it."""
    before = facts["quieter"] > 3.0 and all(
        facts[f"trick_noise_{layer}"] < 0.8 * facts[f"plain_noise_{layer}"]
        for layer in range(1, place + 1)
    )
    behind = [
        facts[f"trick_noise_{layer}"] == pytest.approx(facts[f"plain_noise_{layer}"], rel=1e-3)
        for layer in range(place + 1, LAYERS + 1)
    ]
    return before and all(behind)


@pytest.mark.parametrize("place", [1, 4, 9])
def test_the_layers_before_the_noise_are_quieter_and_those_behind_as_noisy_as_without(place):
    facts = at_first(place=place, dtype="float64")
    if place > 1:
        assert is_clean_before(facts, place)
    else:
        assert facts["quieter"] > 1.5
    assert facts["quieter_behind"] == pytest.approx(1, abs=1e-9)
    assert not is_clean_before(at_first(untricked, place=place, seeds=2), place)


def test_without_noise_nothing_varies():
    facts = at_first(strength=0, seeds=2)
    assert facts["quieter"] == facts["quieter_behind"] == 1
    assert facts["plain_noise_1"] == facts["trick_noise_10"] == 0
    result = LESSON.compute(values(strength=0))
    assert result.notes[0].text == WORDS("no_noise")


@pytest.fixture(scope="module")
def short():
    """A quarter of the training with the noise near the end, where the lesson has it."""
    return trained(place=9, steps=100, draws=8)


def ends_higher(facts):
    """What the lesson says of the loss and of the sizes."""
    sizes = facts["trick_size"] > 1.25 * facts["plain_size"]
    return facts["trick_loss"] > 1.2 * facts["plain_loss"] and sizes


def test_the_loss_ends_higher_with_the_clean_backward_and_the_noised_values_larger(short):
    assert ends_higher(short)
    start = at_first(place=9, draws=8)
    assert short["plain_size"] < start["plain_size"] < short["trick_size"]
    assert start["trick_loss"] == pytest.approx(start["plain_loss"], rel=1e-5)
    assert not ends_higher(trained(untricked, place=9, steps=100, seeds=2, draws=2))


def test_what_it_saves_fades_as_the_error_becomes_the_noise_itself(short):
    start = at_first(place=9, draws=8)
    assert start["quieter"] > 4
    assert short["quieter"] < 0.5 * start["quieter"]
    share = {
        when: 1 - facts["trick_clean_loss"] / facts["trick_loss"]
        for when, facts in (("start", start), ("short", short))
    }
    assert share["start"] < 0.2 < 0.4 < share["short"], "the part of the error that is noise"


def test_noise_whose_size_depends_on_x_has_one_even_where_it_is_added():
    changed = changed_by_a_stop()
    assert changed["a"] < 1e-12 < 0.01 < min(changed["b"], changed["c"])
    assert LESSON.predictions["transfer"](LESSON.compute(values(seeds=1, draws=2))) == "size"


def test_the_variance_against_a_plain_network_one_draw_at_a_time():
    """The same numbers with torch's own layers, without stacks, one backward pass a draw."""
    place, strength, count, seed = 6, 0.7, 5, 3
    given = values(place=place, strength=strength, draws=count, seed=seed, seeds=2, dtype="float64")
    ours = Long(NoiseLayer, given).gradient_noise(given)
    weights = [weight[0].detach() for weight in layers_of(Draws([seed])).parameters()]
    layers = [torch.nn.Linear(w.shape[1], w.shape[0], dtype=torch.float64) for w in weights[::2]]
    for layer, weight, bias in zip(layers, weights[::2], weights[1::2], strict=True):
        layer.weight.data, layer.bias.data = weight, bias[:, 0]
    x, target = (part.reshape(-1, 1) for part in inputs())
    for name, clean in (("trick", True), ("plain", False)):
        found = []
        for draw in kept_draws(seed)[:count]:
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


def test_the_layer_by_itself_against_central_differences():
    given = values(dtype="float64", strength=0.9)
    result = LESSON.compute(given)
    x = result["forward"].x
    u = 1 + 0.9 * (2 * (np.arange(1, 18) * (math.sqrt(5) - 1) / 2 % 1) - 1)
    assert result["forward"].y == pytest.approx(x * u, rel=1e-12)
    slope = (np.tanh((x + 1e-6) * u) - np.tanh((x - 1e-6) * u)) / 2e-6
    assert result["true_gradient"].y == pytest.approx(slope, abs=1e-8)
    assert result["trick_gradient"].y == pytest.approx(slope / u, abs=1e-6)
    assert result["intended_gradient"].y == pytest.approx(result["trick_gradient"].y, rel=1e-12)
    assert np.abs(result["trick_gradient"].y - slope).max() > 0.1


def test_the_module_is_one_to_copy():
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


def test_the_answers_follow_the_program():
    result = LESSON.compute(values())
    assert quieter_where(result) == "before"
    assert quieter_where(result, untricked) == "none"
    assert how_it_ends(result) == "higher"
    assert how_it_ends(result, untricked) == "same"


@pytest.mark.parametrize("strength", ["1e-5", "5e-5", "0.9", "2", "1000"])
def test_all_that_is_drawn_of_the_noise_lies_on_its_axis(strength):
    chosen = values(strength=strength)
    chart = LAB.training.figures(Run(LAB, NoiseLayer, chosen).history, chosen)[0]
    low, high = (10.0**end for end in chart.layout["yaxis"]["range"])
    drawn = np.concatenate(
        [np.asarray(one["y"], float) for one in chart.data if one["mode"] != "text"]
    )
    drawn = drawn[np.isfinite(drawn)]
    assert len(drawn) > 40
    assert (drawn >= low * (1 - 1e-9)).all()
    assert (drawn <= high).all()


def test_the_kept_noise_has_the_shape_of_the_layer_and_fills_the_interval():
    draws = kept_draws(0)
    assert draws.shape == (MOST_DRAWS, WIDTH, POINTS)
    assert 0 <= draws.min() < 0.01
    assert 0.99 < draws.max() < 1
