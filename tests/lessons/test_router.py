"""The router: one normalised gate passes nothing, in the lab and in a whole layer."""

from functools import partial

import numpy as np
import pytest
import torch

from lessons.chapters.gone_missing.router import bug
from lessons.chapters.gone_missing.router.lesson import attention_to_one, router_gradient
from lessons.outputs.catalogue import find
from tests.support import course

OUTPUTS = (2.0, -1.0, 0.5)


run = partial(course.run, "router")


def by_hand(x, k, gate):
    """Value and slope by central differences; a stopped divisor is held at its value at x."""
    p = np.exp([x, 0.0, -1.0])
    kept = np.argsort(-p, kind="stable")[:k]
    held = p[kept].sum() / p.sum()

    def value(x):
        p = np.exp([x, 0.0, -1.0])
        v = (p / p.sum())[kept]
        divisor = {"normalised": v.sum(), "stopped": held, "raw": 1.0}[gate]
        return float((v / divisor) @ np.array(OUTPUTS)[kept])

    return value(x), (value(x + 1e-6) - value(x - 1e-6)) / 2e-6


@pytest.mark.parametrize("gate", ["normalised", "raw", "stopped"])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_value_and_gradient_are_those_computed_by_hand(k, gate):
    result = run(k=str(k), gate=gate, x="-2.5, -0.4, 0.3, 1, 4")
    for place, x in enumerate(result["forward"].x):
        value, slope = by_hand(float(x), k, gate)
        assert result["forward"].y[place] == pytest.approx(value)
        assert result["trick_gradient"].y[place] == pytest.approx(slope, abs=1e-8)


def test_one_normalised_gate_has_no_slope_anywhere_and_the_value_is_one_of_the_outputs():
    for outputs in ({}, {"first": "0.7", "second": "1.3", "third": "-3"}):
        result = run(x="-50, -3, -1, 1, 0.1, 20", **outputs)
        assert np.abs(result["trick_gradient"].y).max() < 1e-15
        assert set(result["forward"].y) <= {float(result.facts[n]) for n in ("first", "second")}


def test_all_three_normalised_are_the_mixture_that_is_wanted():
    result = run(k="3")
    assert np.allclose(result["trick_gradient"].y, result["intended_gradient"].y)
    assert not np.allclose(run(k="2")["trick_gradient"].y, result["intended_gradient"].y)


def test_the_two_operands_of_the_division_send_back_opposite_parts():
    facts = run().facts
    lesson = find("router")
    recorded = lesson.record(lesson.validate({}))
    sent = {(e.consumer.name, e.operand): e.gradient.component((0,)) for e in recorded.edges
            if e.gradient}  # fmt: skip
    assert sent["div", 0] == pytest.approx(facts["by_numerator"]) == facts["chosen"] / facts["kept"]
    assert sent["div", 1] == pytest.approx(facts["by_divisor"])
    assert sent["stack", 0] == 0


def test_the_scissors_at_the_divisor_are_the_stop():
    cut, stopped = run(cuts=[("div", 1)]), run(gate="stopped")
    for role in ("forward", "trick_gradient"):
        assert np.allclose(cut[role].y, stopped[role].y)
    assert np.allclose(cut["forward"].y, run()["forward"].y), "the value stays"
    assert np.abs(cut["trick_gradient"].y).min() > 0.05
    facts = run().facts
    assert facts["stopped_1"] == pytest.approx(facts["raw_1"] / facts["kept"])


def test_what_rounding_leaves_is_called_0_in_the_answers():
    result = run(x="0.2", first="0.7", second="1.3", third="-3")
    assert result["trick_gradient"].y[0] != 0
    assert result.facts["normalised_1"] == 0
    assert min(abs(result.facts[name]) for name in ("raw_1", "stopped_1", "all_three")) > 0.01


def test_the_raw_gate_knows_only_the_chosen_expert():
    one, other = run(gate="raw"), run(gate="raw", second="3")
    assert one["trick_gradient"].y[0] == other["trick_gradient"].y[0]
    assert one["intended_gradient"].y[0] != other["intended_gradient"].y[0]


def test_a_layer_of_tokens_has_the_same_three_answers():
    """The numbers that the lesson was made for: 4e-8, 1.69, 1.40."""
    assert 0 < router_gradient(1, "normalised").norm() < 1e-6
    assert router_gradient(1, "normalised", torch.float64).norm() < 1e-14
    assert float(router_gradient(1, "raw").norm()) == pytest.approx(1.694, abs=0.002)
    assert float(router_gradient(2, "normalised").norm()) == pytest.approx(1.399, abs=0.002)
    small = router_gradient(1, "normalised", torch.float64, epsilon=1e-6).norm()
    assert 1e-7 < small < 1e-4, "an epsilon leaves a gradient of its own size"
    facts = run().facts
    assert facts["batch_exact"] < facts["batch_entries"] / 2


def test_the_first_token_of_causal_attention_gets_a_gradient_for_its_value_alone():
    facts = attention_to_one()
    assert facts["first_value"] > 0.1
    assert max(facts["first_query"], facts["first_key"]) < 1e-12 * facts["first_value"]


def test_each_wrong_fix_fails_for_its_own_reason():
    said = {key: bug.BUG.failure(fix) for key, fix in bug.BUG.fixes.items()}
    assert "gradient has the length" in bug.BUG.failure(bug.BUG.broken)
    assert "gradient has the length" in said["epsilon"]
    assert "lowers the loss by" in said["numerator"]
    assert said["only_several"] is None
