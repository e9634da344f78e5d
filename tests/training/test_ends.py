"""What the lessons claim about the ends of trainings, by the numbers that their files keep.

A notebook quotes these numbers. A long test trains again and compares.
"""

import inspect
import math
from collections.abc import Callable
from typing import Any

import pytest
import torch

from lessons.check.trainings import ends, read_trained
from lessons.contract.lesson import Lesson
from lessons.outputs.catalogue import find, lessons
from tests.support.amount import also
from tests.support.course import numbers

pytestmark = pytest.mark.slow

EACH = pytest.mark.parametrize(
    "lesson", [one for one in lessons() if one.lab.training], ids=lambda lesson: lesson.slug
)


def saved_ends(slug: str) -> dict[str, dict[str, float]]:
    """The facts under `ends` in a lesson's trained.json, by training; "" has the defaults."""
    return dict(read_trained(find(slug))["ends"])


@pytest.mark.long
@EACH
def test_the_kept_numbers_are_those_of_a_training(lesson: Lesson) -> None:
    """Only means are compared: on another machine the lowest or highest seed may differ."""
    found = ends(lesson, {})
    for name, facts in saved_ends(lesson.slug).items():
        means = [fact for fact in facts if not fact.endswith(("_lowest", "_highest"))]
        assert [facts[fact] for fact in means] == pytest.approx(
            [found[name][fact] for fact in means], rel=0.05, abs=0.01, nan_ok=True
        )


PAPERS_NETWORK = "scale=6 network=paper steps=600 rate=0.05 decay=none"


def test_a_reversal_lifts_every_seed_and_leaves_the_domain_head_to_guess() -> None:
    ends, paper = saved_ends("moons")[""], saved_ends("moons")[PAPERS_NETWORK]
    assert 0.65 < ends["source_only_target"] < ends["trick_target_lowest"], "every seed gains"
    assert ends["trick_target"] >= 0.93
    assert ends["trick_domain"] < 0.62 < 0.9 < ends["source_only_domain"], "chance is 0.5"
    gains = [one["trick_target"] - one["source_only_target"] for one in (paper, ends)]
    assert 0.05 < gains[0] < gains[1], "the paper's network gains less"
    spreads = [one["trick_target_highest"] - one["trick_target_lowest"] for one in (ends, paper)]
    assert spreads[0] < spreads[1], "and is less steady"


def test_clipped_by_norm_most_starts_reach_the_valley_and_unclipped_most_are_thrown_out() -> None:
    ends = saved_ends("cliff")[""]
    assert ends["norm_stayed"] > 0.8 > 0.15 > ends["none_stayed"], "few stay without clipping"
    assert ends["norm_left"] < 0.2 < 0.85 < ends["none_left"], "and most leave the window"
    assert ends["norm_stayed_lowest"] > ends["none_stayed_highest"] + 0.5, "in every seed"
    assert ends["norm_stayed"] - ends["value_stayed"] > 0.5
    assert 0.5 < ends["none_reached"] < 0.8, "some left the window and still reached the valley"


def test_the_lower_loss_is_that_of_the_collapsed_features() -> None:
    ends, headless = saved_ends("collapse")[""], saved_ends("collapse")["head=none"]
    assert ends["plain_loss_highest"] < -0.999 < -0.99 < ends["trick_loss_lowest"], "in every seed"
    assert ends["plain_spread_highest"] < 0.02 < 0.14 < ends["trick_spread_lowest"], "it collapses"
    assert ends["plain_accuracy"] < 0.58 < 0.7 < ends["trick_accuracy"], "and a head nearly guesses"
    assert headless["trick_spread"] == pytest.approx(headless["plain_spread"], rel=1e-2)
    assert headless["trick_spread"] < 0.02, "without a predictor the stop does not save it"


def test_with_the_stop_values_end_at_the_true_ones_and_without_at_the_lowest_loss() -> None:
    ends, sure = saved_ends("moving_target")[""], saved_ends("moving_target")["chance=1 steps=1000"]
    assert ends["trick_off_highest"] < 0.03 < 0.16 < ends["plain_off_lowest"]
    assert ends["plain_loss_highest"] < ends["trick_loss_lowest"]
    rests = find("moving_target").compute(find("moving_target").validate({})).facts
    assert ends["plain_off"] == pytest.approx(rests["open_rests_off"], rel=0.03)
    assert ends["plain_loss"] == pytest.approx(rests["open_rests_loss"], rel=0.02)
    assert max(sure["trick_off_highest"], sure["plain_off_highest"]) < 1e-4


def test_without_commitment_the_encodings_run_away() -> None:
    ends = saved_ends("codebook")["beta=0"]
    assert ends["trick_apart_lowest"] > 20 * ends["paper_apart_highest"]
    assert ends["trick_used"] < ends["paper_used"]


def test_a_clean_backward_ends_at_a_higher_loss_and_larger_values() -> None:
    ends = saved_ends("noise_layer")["place=9"]
    assert ends["trick_loss"] > 1.2 * ends["plain_loss"]
    assert ends["trick_size"] > 1.25 * ends["plain_size"]
    first = find("noise_layer").compute(find("noise_layer").validate({"place": "9"})).facts
    assert ends["quieter"] < 0.5 * numbers(first)["quieter"], "and so it saves less"


def test_guided_maps_stay_when_weights_are_randomised_and_plain_ones_do_not() -> None:
    ends = saved_ends("guided_relu")["randomised=1"]
    assert ends["accuracy"] > 0.96
    assert ends["guided_1"] > 0.75 > 0.45 > ends["plain_1"]
    guided = [ends[f"guided_{layers}"] for layers in range(1, 5)]
    assert sorted(guided, reverse=True) == guided, "they do change, more with each layer"
    assert guided[2] > 0.5 > 0.35 > guided[3], "the evidence is in the upper layers"
    assert all(abs(ends[f"plain_{layers}"]) < 0.15 for layers in range(2, 5)), "uncorrelated"
    assert abs(ends["deconvnet_4"]) < 0.2, "uncorrelated"


UNLIMITED = torch.tensor(math.inf, dtype=torch.float64)


@pytest.mark.parametrize(
    ("slug", "question", "plain", "answer"),
    [
        ("cliff", "which", {"value_limit": UNLIMITED, "norm_limit": UNLIMITED}, "same"),
        ("codebook", "commitment", {"beta": 0.25}, "same"),
        ("noise_layer", "where", {"clean_backward": False}, "none"),
        *also(
            ("moons", "classifier", {"scale": 0.0}, "alone"),
            ("collapse", "loss", {"stop": False}, "same"),
            ("noise_layer", "loss", {"clean_backward": False}, "same"),
            ("guided_relu", "random", {"rule": "plain"}, "both"),
        ),
    ],
)
def test_the_answers_follow_the_program(
    slug: str, question: str, plain: dict[str, float], answer: str
) -> None:
    """Without its trick a training has another right answer."""
    lesson = find(slug)

    def without(*args: torch.Tensor, **given: Any) -> object:
        return lesson.program(
            **inspect.signature(lesson.program).bind(*args, **given).arguments | plain
        )

    result = lesson.compute(lesson.validate({}))
    right: Callable[..., str] = lesson.predictions[question]
    assert right(result, without) == answer != right(result)
