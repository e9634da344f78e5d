"""What the sentence of each preset in "In the wild" and "Gone missing" says, by numbers."""

import math

import numpy as np
import pytest
import torch

from lessons.playground import Document, Input, Noise, cut, operations, run
from lessons.playground.document.presets import preset, presets

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


def mean_and_variance(found) -> tuple[torch.Tensor, float]:
    mean = sum(p * one for p, one in found)
    return mean, sum(p * float((one - mean).square().sum()) for p, one in found)


def test_the_two_groups_stand_behind_the_others():
    groups = list(dict.fromkeys(one.group for one in presets()))
    assert groups[-2:] == ["In the wild", "Gone missing"]
    for group in groups[-2:]:
        assert sum(one.group == group for one in presets()) >= 3


@pytest.mark.parametrize("z", [(2.0, -2.0), (1000.0, 0.0), (-1000.0, 3.0)])
def test_cross_entropy_from_the_logits_is_softmax_minus_one_hot(z):
    document = at(preset("cross_entropy_logits"), z=z)
    close(gradient(document, "z"), probabilities(z) - torch.tensor([0.0, 1.0]))
    by_log_softmax = run(at(preset("cross_entropy"), z=z), curves=False)
    assert by_log_softmax.values["loss"] == pytest.approx(run(document).values["loss"])


@pytest.mark.parametrize("x", LOGITS)
def test_a_policy_loss_prints_0_and_has_the_plain_ones_gradient(x):
    zero, plain = (at(preset(f"policy_loss_{name}"), x=x) for name in ("zero", "plain"))
    here, there = run(zero, curves=False), run(plain, curves=False)
    assert here.values["loss"] == 0
    assert here.values["ratio"].tolist() == [1, 1, 1]
    assert abs(float(there.values["loss"])) > 0.01
    close(gradient(zero), gradient(plain))
    close(gradient(zero), gradient(zero, role="intended_gradient"))
    assert gradient(zero).abs().max() > 0.1
    unstopped = zero.with_(program=zero.program.replace("stop_gradient(logp)", "logp"))
    assert not gradient(unstopped).any()


@pytest.mark.parametrize("x", LOGITS)
def test_reinforce_is_right_on_average_and_the_baseline_narrows_it(x):
    based, bare = (every_class(preset(name), x) for name in ("reinforce", "reinforce_bare"))
    exact = gradient(at(preset("reinforce"), x=x), role="intended_gradient")
    for found in (based, bare):
        close(mean_and_variance(found)[0], exact, rtol=1e-10, atol=1e-12)
    assert mean_and_variance(bare)[1] > 20 * mean_and_variance(based)[1]
    assert any(float((one - exact).abs().max()) > 0.1 for _, one in based), "no draw is the mean"


def test_the_band_without_a_baseline_is_far_wider():
    widths = {}
    for name in ("reinforce", "reinforce_bare"):
        curves = {one.name: one for one in run(preset(name)).curves}
        band = curves["trick_gradient"]
        widths[name] = float(np.nanmax(band.high - band.low))
    assert widths["reinforce_bare"] > 5 * widths["reinforce"]


def test_a_drawn_class_has_no_gradient():
    document = preset("reinforce").with_(output="reward", intended="")
    assert gradient(document) is None


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
    program = document.program.replace("sum(hard * [1, 2, 3])", "square(sum(hard * [1, 2, 3]))")
    program = program.replace("sum(p * [1, 2, 3])", "sum(p * [1, 4, 9])")
    squared = document.with_(program=program)
    exact = gradient(at(squared, x=x), role="intended_gradient")
    assert any(float((one - exact).abs().max()) > 0.01 for _, one in every_class(squared, x))


def test_straight_through_gumbel_draws_a_class_and_is_biased():
    document, rows = preset("gumbel"), 340
    x = document.input("x").values
    slopes, drawn = [], []
    for seed in range(12):
        noise = Noise("uniform", 0.001, 0.999, seed, "x")
        many = document.with_(inputs=(Input("x", (x,) * rows), Input("u", noise=noise)))
        found = run(many, curves=False)
        slopes.append(found.gradients["trick_gradient"]["x"])
        drawn.append(found.values["hard"])
    hard, slope = torch.cat(drawn), torch.cat(slopes)
    assert set(hard.flatten().tolist()) == {0.0, 1.0}
    close(hard.mean(0), probabilities(x), rtol=0, atol=0.03)
    error = slope.std(0) / math.sqrt(len(slope))
    exact = gradient(document, role="intended_gradient")
    assert ((slope.mean(0) - exact).abs() > 4 * error).all()


@pytest.mark.parametrize("s", [0.3, 0.45, 0.9])
def test_a_learned_step_gets_the_rounding_error_and_the_true_slope_is_another(s):
    document = at(preset("learned_step"), s=s)
    q = torch.tensor(document.input("x").values, dtype=torch.float64) / s
    inside = (q > -4) & (q < 3)
    straight = torch.where(inside, q.round() - q, q.clamp(-4, 3)).sum()
    close(gradient(document, "s"), straight)
    true = gradient(document, "s", "true_gradient")
    close(true, q.clamp(-4, 3).round().sum())
    ends = [
        float(run(at(document, s=s + h), curves=False).values["y"].sum()) for h in (-1e-6, 1e-6)
    ]
    assert (ends[1] - ends[0]) / 2e-6 == pytest.approx(float(true), rel=1e-6)
    if s == 0.3:
        close(straight, 2.0)
        close(true, 6.0)


def test_each_stop_of_a_codebooks_losses_decides_which_side_it_moves():
    document = preset("commitment")
    found = run(document, curves=False)
    assert found.values["codebook"] == found.values["commitment"] > 0
    for output, moved, still in (("codebook", "e", "z"), ("commitment", "z", "e")):
        one = run(document.with_(output=output), curves=False)
        slopes = one.gradients["trick_gradient"]
        assert slopes[still] is None
        close(slopes[moved], 2 * (one.values[moved] - one.values[still]))


@pytest.mark.parametrize("theta", [0.0, 1.5, -2.0])
def test_an_undetached_advantage_sends_the_critic_log_p_and_a_cut_edge_nothing(theta):
    document = at(preset("critic_leak"), theta=theta)
    found = run(document, curves=False)
    close(found.gradients["trick_gradient"]["v"], found.values["logp"])
    (product,) = (op for op in operations(document) if op.name == "mul")
    place = [operand.text for operand in product.operands].index("advantage")
    apart = run(cut(document, "mul", place), curves=False)
    assert apart.gradients["trick_gradient"]["v"] is None
    close(apart.gradients["trick_gradient"]["theta"], found.gradients["trick_gradient"]["theta"])
    assert apart.values["loss"] == found.values["loss"]


@pytest.mark.parametrize("w", [0.95, -1.2, 0.3])
def test_a_cut_recurrence_has_the_gradient_of_its_last_two_steps(w):
    document = at(preset("truncated"), w=w)
    close(run(document, curves=False).values["h4"], w**4)
    close(gradient(document, "w"), 2 * w**3)
    close(gradient(document, "w", "true_gradient"), 4 * w**3)


@pytest.mark.parametrize("x", LOGITS)
def test_a_gate_divided_by_itself_sends_the_router_nothing_and_the_raw_one_does(x):
    p = probabilities(x)
    best = int(p.argmax())
    output, v = [2.0, -1.0, 0.5][best], float(p[best])
    slope = output * v * (torch.eye(3, dtype=torch.float64)[best] - p)
    values, slopes = {}, {}
    for name in ("gate_by_itself", "gate_raw", "gate_stopped"):
        document = at(preset(name), x=x)
        values[name] = float(run(document, curves=False).values["y"])
        slopes[name] = gradient(document)
    assert values == pytest.approx(
        {"gate_by_itself": output, "gate_raw": v * output, "gate_stopped": output}
    )
    close(slopes["gate_by_itself"], [0.0, 0.0, 0.0], rtol=0, atol=1e-15)
    close(slopes["gate_raw"], slope)
    close(slopes["gate_stopped"], slope / v)
