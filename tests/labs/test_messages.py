"""What is sent is as it is described, for every lab: the browser's types are made from that."""

from typing import Any

import pytest
from pydantic import ConfigDict, TypeAdapter, with_config

from lessons.contract.lesson import Lesson
from lessons.outputs.catalogue import lessons
from pages.labs import bench, lesson, playground
from pages.labs.messages import Frame, Picture, TrainingWish, Wish
from pages.labs.training import Watch
from pages.labs.wire import encode

LABS = [*(one.slug for one in lessons()), "bench", "playground"]
TRAINED = [one for one in lessons() if one.lab.training]
# Bytes of a frame: the cliff has thousands of polygons, the playground a graph and two charts, the
# bench four.
LARGEST = {"cliff": 400_000, "playground": 40_000, "bench": 60_000}
SOURCES = {"bench": bench.frame, "playground": playground.frame}


def exact(kind: Any) -> TypeAdapter[Any]:
    """Refuses what is described otherwise, or not at all."""
    return TypeAdapter(with_config(ConfigDict(extra="forbid"))(kind))


@pytest.mark.parametrize("lab", LABS)
def test_a_frame_is_as_described_and_small(lab: str) -> None:
    compute = SOURCES.get(lab, lesson.frame)
    for step in (1, 99):
        frame = compute(Wish(lab=lab, step=step))
        exact(Frame).validate_python(frame)
        assert len(encode(frame)) < LARGEST.get(lab, 30_000)


@pytest.mark.parametrize("one", TRAINED, ids=lambda one: one.slug)
def test_a_picture_is_as_described(one: Lesson) -> None:
    watch = Watch(one, Wish(lab=one.slug, values={"seeds": "1"}, step=99), TrainingWish())
    exact(Picture).validate_python(watch.picture())
