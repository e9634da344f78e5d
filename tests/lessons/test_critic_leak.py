"""The critic's leak: gradients and values against closed forms, and with the stop taken away."""

import math
from functools import partial

import numpy as np
import pytest
import torch

from lessons.chapters.in_the_wild.critic_leak.lesson import (
    EXPERIMENT,
    actor_steps,
    by_autograd,
    by_formula,
    critic_leak,
    learn,
)
from lessons.outputs.catalogue import find
from lessons.recorder.cutting import cut
from tests.lessons.titles import read_back
from tests.support import course

EDGE = ("mul", 1)  # the advantage, on its way into the actor's loss


run = partial(course.run, "critic_leak")


def scalar(value):
    return torch.tensor(value, dtype=torch.float64)


def sigmoid(z):
    return 1 / (1 + math.exp(-z))


@pytest.mark.parametrize("v", [-1000.0, -0.3, 0.0, 0.5, 1.0, 1000.0])
@pytest.mark.parametrize("logit", [-50.0, -2.0, 0.0, 3.0, 50.0])
@pytest.mark.parametrize(("reward", "weight"), [(1.0, 0.0), (-2.0, 1.0), (0.0, 0.5)])
def test_the_gradients_are_those_of_the_formula(v, logit, reward, weight):
    log_p = -math.log1p(math.exp(-logit)) if logit > -30 else logit
    own = weight * (v - reward)
    actor = -(1 - sigmoid(logit)) * (reward - v)
    plain, stopped = (
        course.by_role(
            EXPERIMENT,
            critic_leak,
            {"reward": reward, "weight": weight, "stop": stop},
            v=scalar(v),
            logit=scalar(logit),
        )
        for stop in ("no", "yes")
    )
    near = {"rel": 1e-9, "abs": 1e-12}
    assert plain["trick_gradient"].tolist() == pytest.approx([own + log_p, actor], **near)
    assert torch.equal(plain["trick_gradient"], plain["true_gradient"])
    assert stopped["trick_gradient"].tolist() == pytest.approx([own, actor], **near)
    assert torch.equal(stopped["trick_gradient"], stopped["intended_gradient"])
    assert torch.equal(plain["forward"], stopped["forward"])


def test_the_actors_loss_alone_sends_the_critic_its_log_probability():
    facts = run(weight="0").facts
    assert facts["example_leak"] == pytest.approx(-math.log(2))
    assert run(weight="0")["trick_gradient"].y[0] == pytest.approx(-math.log(2))
    assert run(weight="0", stop="yes")["trick_gradient"].y[0] == 0


def test_the_scissors_on_the_advantages_edge_do_what_detach_does():
    cut_open = run(cuts=[EDGE])
    stopped = run(stop="yes")
    for role in ("forward", "trick_gradient"):
        assert np.array_equal(cut_open[role].y, stopped[role].y)
    curves = [{one.name: one.y for one in result.curves} for result in (cut_open, stopped)]
    assert all(np.array_equal(y, curves[1][name]) for name, y in curves[0].items())
    assert not np.array_equal(run()["trick_gradient"].y, stopped["trick_gradient"].y)


def settled(stop, weight, logit, rewards, rate=0.3, updates=400):
    def loss(v, z, r):
        return critic_leak(v, z, r, weight, stop)

    given = scalar(0.0), scalar(logit), rewards, (rate, 0.0), updates
    return float(learn(by_autograd(loss), *given)[0][-1])


@pytest.mark.parametrize("weight", [0.3, 1.0, 2.0])
@pytest.mark.parametrize("logit", [-3.0, 0.0, 1.5])
@pytest.mark.parametrize("rewards", [(1.0, 0.0), (-2.0, 5.0)])
def test_the_value_settles_at_the_mean_reward_plus_entropy_over_weight(weight, logit, rewards):
    p = sigmoid(logit)
    mean = p * rewards[0] + (1 - p) * rewards[1]
    entropy = -p * math.log(p) - (1 - p) * math.log(1 - p)
    assert settled("no", weight, logit, rewards) == pytest.approx(mean + entropy / weight, rel=1e-6)
    assert settled("yes", weight, logit, rewards) == pytest.approx(mean, rel=1e-6)


def test_with_no_loss_of_its_own_the_value_rises_by_the_entropy_each_update():
    curves = {one.name: one.y for one in run(weight="0", rate="0.1").curves}
    assert np.diff(curves["value"]) == pytest.approx(0.1 * math.log(2))
    assert np.ptp(curves["value_own"]) == 0


def test_at_the_defaults_the_value_passes_the_best_reward():
    facts = run().facts
    assert facts["example_settled"] == pytest.approx(facts["example_plus"], rel=1e-6)
    assert facts["example_settled"] > facts["example_best"]
    assert facts["example_stopped"] == pytest.approx(facts["example_mean"])
    above = facts["example_half_weight"] - facts["example_mean"]
    assert above == pytest.approx(2 * facts["example_entropy"], rel=1e-6)
    assert {one.name: one.y for one in run().curves}["value"][-1] > 1


@pytest.mark.parametrize("v", [-3.0, 0.0, 0.5, 7.0])
@pytest.mark.parametrize("logit", [-2.0, 0.0, 1.0])
def test_the_actors_mean_step_is_the_same_whatever_the_value(v, logit):
    p, rewards = sigmoid(logit), (1.0, -0.5)
    mean, spread = actor_steps(v, logit, rewards)
    assert mean == pytest.approx(-p * (1 - p) * (rewards[0] - rewards[1]))
    each = [-(1 - p) * (rewards[0] - v), p * (rewards[1] - v)]
    off = p * (each[0] - mean) ** 2 + (1 - p) * (each[1] - mean) ** 2
    assert spread == pytest.approx(math.sqrt(off), abs=1e-7)


def test_the_leaked_value_spreads_the_actors_steps():
    facts = run().facts
    assert facts["step_leaked"] == pytest.approx(facts["step_right"])
    assert facts["spread_right"] == pytest.approx(0, abs=1e-12)
    assert facts["spread_leaked"] > 0.3
    assert facts["visit_leaked"] > 0 > facts["step_leaked"]
    one = run(v=str(facts["example_plus"]), weight="0", stop="yes")["trick_gradient"].y
    assert facts["visit_leaked"] == pytest.approx(one[1])
    assert facts["example_settled"] > max(1.0, 0.0)  # so the advantage is negative with a and b


def test_a_stop_takes_nothing_from_the_actor():
    facts = run().facts
    assert facts["actor_stopped"] == facts["actor_plain"] == pytest.approx(-0.25)
    assert facts["critic_stopped"] == pytest.approx(-0.5)


def test_the_leak_fades_as_the_policy_becomes_certain():
    given = {"actor_rate": "1", "updates": "200", "rate": "0.3"}
    curves = {one.name: one.y for one in run(**given).curves}
    over = curves["value"] - curves["value_own"]
    assert over.max() > 0.3
    assert 0 < over[-1] < 0.1 * over.max()


def test_what_the_text_says_of_the_examples_stays_under_the_scissors():
    whole, snipped = run().facts, run(cuts=[EDGE]).facts
    names = [name for name in whole if name.startswith(("example_", "actor_", "critic_"))]
    assert len(names) > 10
    assert {name: snipped[name] for name in names} == {name: whole[name] for name in names}


@pytest.mark.parametrize("weight", [0.0, 0.7, 2.0])
@pytest.mark.parametrize("logit", [-3.0, 0.3])
def test_the_formula_of_the_own_losses_is_what_autograd_gives(weight, logit):
    given = scalar(0.5), scalar(logit), (1.0, -0.4), (0.3, 0.2), 50
    formula = learn(partial(by_formula, weight), *given)
    autograd = learn(by_autograd(lambda v, z, r: critic_leak(v, z, r, weight, "yes")), *given)
    for one, other in zip(formula, autograd, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-12, atol=1e-14)


def test_a_cut_program_learns_too():
    both = [
        learn(
            by_autograd(lambda v, z, r, program=program, stop=stop: program(v, z, r, 1.0, stop)),
            scalar(0.5),
            scalar(0.0),
            (1.0, 0.0),
            (0.1, 0.1),
            20,
        )
        for program, stop in ((cut(critic_leak, [EDGE]), "no"), (critic_leak, "yes"))
    ]
    assert torch.equal(both[0][0], both[1][0])


def test_before_the_first_update_each_name_stands_beside_its_point():
    lesson = find("critic_leak")
    for updates, beside in (("0", True), ("60", False)):
        values = course.settings(lesson, updates=updates)
        figure = lesson.lab.figures(lesson.compute(values), values)[1]
        end = figure.layout["xaxis"]["range"][1]
        names = [one for one in figure.data if one.get("mode") == "text"]
        assert len(names) == 4
        assert all((one["x"][0] < 0.1 * end) is beside for one in names[:3]), "no line leads there"
        assert names[3]["x"] == [end]
        started = read_back(lesson.lab.words, "starts", figure.title)
        assert (started is not None and started["v"] == "0.5") is beside


def test_the_guess_is_sent_away_from_its_target():
    facts = run().facts
    assert facts["guess_came"] == pytest.approx((1 - 3) * 2 * (2.0 - 1.0))
    assert facts["guess_came"] * facts["guess_own"] < 0


def test_with_an_actor_that_learns_the_leak_goes_and_the_value_meets_the_mean_reward():
    asked = find("critic_leak").prose.steps[5].lab
    for rate, apart in (("0", 0.6), ("1", 0.05)):
        curves = {one.name: one.y for one in run(**{**asked, "actor_rate": rate}).curves}
        left = curves["value"][-1] - curves["mean_reward"][-1]
        assert (left > apart) if rate == "0" else (0 <= left < apart)
