"""The router: one normalised gate passes nothing, in the lab and in a whole layer."""

from functools import partial

import pytest
import torch

from lessons.chapters.gone_missing.router.lesson import router_gradient
from lessons.outputs.catalogue import find
from tests.support import course
from tests.support.course import numbers
from tests.support.present import present

run = partial(course.run, "router")


def test_the_two_operands_of_the_division_send_back_opposite_parts() -> None:
    facts = numbers(run().facts)
    lesson = find("router")
    recorded = present(lesson.record(lesson.validate({})))
    sent = {(e.consumer.name, e.operand): e.gradient.component((0,)) for e in recorded.edges
            if e.gradient}  # fmt: skip
    assert sent["div", 0] == pytest.approx(facts["by_numerator"]) == facts["chosen"] / facts["kept"]
    assert sent["div", 1] == pytest.approx(facts["by_divisor"])
    assert sent["stack", 0] == 0


def test_what_rounding_leaves_is_called_0_in_the_answers() -> None:
    result = run(x="0.2", first="0.7", second="1.3", third="-3")
    assert result["trick_gradient"].y[0] != 0
    facts = numbers(result.facts)
    assert facts["normalised_1"] == 0
    assert min(abs(facts[name]) for name in ("raw_1", "stopped_1", "all_three")) > 0.01


def test_a_layer_of_tokens_has_the_same_three_answers() -> None:
    assert 0 < router_gradient(1, "normalised").norm() < 1e-6
    assert router_gradient(1, "normalised", torch.float64).norm() < 1e-14
    assert float(router_gradient(1, "raw").norm()) == pytest.approx(1.694, abs=0.002)
    assert float(router_gradient(2, "normalised").norm()) == pytest.approx(1.399, abs=0.002)
    small = router_gradient(1, "normalised", torch.float64, epsilon=1e-6).norm()
    assert 1e-7 < small < 1e-4, "an epsilon leaves a gradient of its own size"
