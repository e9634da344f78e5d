"""The notes below a lab say why a number is not finite, and what else a learner should know."""

import re

import pytest

from lessons.chapters.stop_gradient.shared_noise.lab import WORDS as NOISE
from lessons.contract.devices import WORDS as CONTRACT
from lessons.kit.nan_notes import WORDS as KIT
from lessons.outputs.catalogue import find
from tests.lessons.titles import pattern
from tests.support.course import run

NARROW = {"dtype": "float32"}
# lesson, settings, the Words that hold the note (None: the lesson's own), its name there
NOTES = [
    ("noise_leaks", {"x": "0, 1"}, NOISE, "slope_at_0"),
    ("noise_leaks", {"x": "1e-30"} | NARROW, NOISE, "square_too_small"),
    ("noise_leaks", {"x": "1e200"}, NOISE, "square_too_large"),
    ("noise_leaks", {"x": "1", "u": "-0.5"}, NOISE, "negative"),
    ("noise_leaks", {"x": "1", "u": "0"}, NOISE, "zero"),
    ("noise_leaks", {"noise_low": "-0.5", "noise_high": "1"}, NOISE, "gradient_lost"),
    ("noise_leaks", {"device": "cuda:99"}, CONTRACT, "no_device"),
    ("wrong_place", {"x": "0, 1"}, NOISE, "slope_at_0"),
    ("the_end", {"x": "0, 1"}, None, "slope_at_0"),
    ("the_end", {"u": "-0.5", "after": "linear"}, None, "negative"),
    ("the_end", {"u": "0"}, None, "zero"),
    ("the_end", {"x": "1e-200"}, None, "square_too_small"),
    ("the_end", {"x": "1e200"}, KIT, "too_large"),
    ("pick_surrogate", {"g": "sqrt(x)", "x": "-1, 4"}, None, "g_not_finite"),
    ("cut_by_accident", {"w": "1e300"}, None, "too_large"),
    ("cut_by_accident", {"w": "1e30"} | NARROW, None, "too_large"),
    ("in_place", {"x": "1000"}, KIT, "value_too_large"),
    ("flip", {"x": "1e200, 1"}, KIT, "value_too_large"),
    ("flip", {"x": "1e39, 1"} | NARROW, KIT, "x_too_large"),
    ("flip", {"x": "1e154"}, KIT, "value_too_large"),
    ("clip_identity", {"x": "1e200", "power": "2"}, KIT, "value_too_large"),
    ("value_or_norm", {"g1": "0", "g2": "0"}, None, "no_gradient"),
    ("value_or_norm", {"limit": "0"}, None, "nothing_left"),
    ("not_finite", {}, None, "at_zero"),
    ("not_finite", {"w": "-1, 2"}, None, "below_zero"),
    ("not_finite", {"root": "where"}, None, "other_branch"),
    ("not_finite", {"clip": "norm"}, None, "norm_not_finite"),
    ("not_finite", {"root": "where", "clip": "norm"}, None, "norm_not_finite"),
    ("not_finite", {"w": "1e300"} | NARROW, KIT, "too_large"),
    ("scaled", {"scale": "1073741824", "tokens": "1"}, None, "already"),
    ("scaled", {"scale": "536870912"}, None, "scaled_beyond"),
    ("scaled", {"scale": "536870912", "clip": "after"}, None, "by_norm"),
    ("learned_step", {"x": "0.9375", "s": "0.3125"}, None, "at_limit"),
    ("one_outlier", {"clip": "batch", "limit": "0"}, None, "no_direction"),
]


@pytest.mark.parametrize(("slug", "given", "words", "name"), NOTES)
def test_a_note_gives_the_reason(slug: str, given: dict[str, str], words: None, name: str) -> None:
    said = [note.text for note in run(slug, **given).notes]
    asked = pattern(words or find(slug).lab.words, name)
    assert any(re.search(asked, text) for text in said), said


@pytest.mark.parametrize(
    ("slug", "given"),
    [
        ("noise_leaks", {}),
        ("learned_step", {}),
        ("not_finite", {"root": "safe", "clip": "norm"}),
        ("one_outlier", {}),
        ("value_one", {}),
    ],
)
def test_nothing_is_said_where_there_is_nothing_to_say(slug: str, given: dict[str, str]) -> None:
    assert not run(slug, **given).notes


def test_a_device_that_is_not_there_is_said_and_the_cpu_used() -> None:
    assert run("noise_leaks", device="cuda:99").device == "cpu"
