"""Gradients that are not finite: what clipping does to them, against torch's own clipping."""

import math

import numpy as np
import pytest
import torch

from lessons.chapters.clipping.not_finite.lesson import LABELS, finite_part, not_finite
from lessons.outputs.catalogue import find
from tests.support import course
from tests.support.present import present

EXAMPLE = torch.tensor([4.0, 1.0, 0.25, 0.0], dtype=torch.float64)


def test_what_a_clip_should_leave_is_the_clip_of_the_finite_components() -> None:
    slopes = torch.tensor([3.0, math.nan, 4.0, math.inf], dtype=torch.float64)
    assert finite_part(slopes, "norm", 1.0).tolist() == pytest.approx([0.6, 0.0, 0.8, 0.0])
    assert finite_part(slopes, "norm", 9.0).tolist() == [3.0, 0.0, 4.0, 0.0]
    assert finite_part(slopes, "value", 3.5).tolist() == [3.0, 0.0, 3.5, 0.0]


def test_words_stand_where_a_stick_cannot() -> None:
    lesson = find("not_finite")
    values = lesson.validate({"clip": "norm"})
    figure = lesson.lab.figures(lesson.compute(values), values)[0]
    words = [trace["text"] for trace in figure.data if trace["mode"] == "text"]
    assert words[:3] == [["∞"], ["NaN"], []]
    assert [word.strip() for (word,) in words[3:]] == list(LABELS.values())


@pytest.mark.parametrize("clip", ["none", "norm"])
def test_the_limit_is_drawn_where_there_is_a_clip(clip: str) -> None:
    lesson = find("not_finite")
    values = lesson.validate({"clip": clip})
    (line,) = (
        one for one in lesson.lab.figures(lesson.compute(values), values)[0].data if one.get("meta")
    )
    assert line["visible"] == (clip != "none")


@pytest.mark.parametrize("root", ["plain", "where", "safe"])
@pytest.mark.parametrize("clip", ["none", "value", "norm"])
def test_torch_clips_the_gradients_of_a_parameter_to_the_same(root: str, clip: str) -> None:
    weight = torch.nn.Parameter(EXAMPLE.clone())
    not_finite(weight, root, "none", 1.0).sum().backward()
    if clip == "value":
        torch.nn.utils.clip_grad_value_([weight], 0.6)
    elif clip == "norm":
        torch.nn.utils.clip_grad_norm_([weight], 0.6)  # divides by the norm plus 1e-6
    ours = course.run("not_finite", root=root, clip=clip, limit="0.6")["trick_gradient"].y
    assert np.allclose(ours, present(weight.grad), rtol=1e-5, equal_nan=True)
