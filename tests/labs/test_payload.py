"""What a page tells the browser, and the address that restores it."""

import math
from dataclasses import replace

import pytest

from lessons.contract.lesson import Lesson
from lessons.outputs.catalogue import find, lessons
from pages.labs import payload
from pages.labs.lesson import frame
from pages.labs.messages import Control, Wish
from pages.labs.visit import visited
from pages.labs.wire import encode
from pages.labs.words import WORDS
from pages.ui.place import GRAPH, TEACHER
from tests.support.folded import folded
from tests.support.present import present


@folded("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_every_parameter_has_a_control_and_a_word_in_the_address(lesson: Lesson) -> None:
    visit = visited(lesson, Wish(lab=lesson.slug))
    groups = payload.groups(replace(visit, values=visit.values | {"dtype": "float32"}))
    shown = [control["name"] for group in groups for control in group["controls"]]
    names = [parameter.name for parameter in lesson.lab.parameters]
    assert sorted(shown) == sorted(names)
    encode({"groups": groups})
    assert not {*names} & {"lab", "lesson", "open", "step", "term", *GRAPH, *TEACHER}


def test_a_long_list_is_sent_whole_so_that_the_field_brings_it_back() -> None:
    lesson = find("noise_leaks")
    numbers = [math.sqrt(n) / 1e9 for n in range(256)]

    def shown(x: str) -> Control:
        made = frame(Wish(lab="noise_leaks", values={"x": x}, good={}))
        (control,) = (c for g in made["groups"] for c in g["controls"] if c["name"] == "x")
        return control

    assert lesson.validate({"x": shown(", ".join(map(repr, numbers)))["value"]})["x"] == tuple(
        numbers
    )
    control = shown("1, " * 50_000)
    assert "characters, not" in present(control["error"])
    assert len(control["value"]) < 50_000, "a refused text of any length is not sent back whole"
    with pytest.raises(ValueError, match="characters, not"):
        lesson.validate({"x": control["value"]})


@pytest.mark.parametrize("here", [["cpu"], ["cpu", "cuda:0"]])
def test_a_gpu_is_offered_where_a_lesson_trains_and_an_absent_one_is_shown(
    monkeypatch: pytest.MonkeyPatch, here: list[str]
) -> None:
    monkeypatch.setattr(payload, "devices", lambda: here)
    for lesson in lessons():
        visit = visited(lesson, Wish(lab=lesson.slug))
        values = visit.values | {"device": "cuda:77"}
        text = lesson.text(values)
        plain, more = payload.groups(replace(visit, values=values, text=text))
        offered = [c for c in plain["controls"] if c["name"] == "device"]
        assert bool(offered) == (lesson.lab.training is not None and len(here) > 1)
        for control in offered or [c for c in more["controls"] if c["name"] == "device"]:
            labels = {option["value"]: option["label"] for option in control["options"]}
            assert labels == {
                **{name: name for name in here},
                "cuda:77": WORDS("not_here", device="cuda:77"),
            }


def test_a_slider_reaches_a_value_beyond_its_usual_span() -> None:
    lesson = find("noise_leaks")
    visit = visited(lesson, Wish(lab=lesson.slug, values={"noise_high": "7"}))
    controls = (c for group in payload.groups(visit) for c in group["controls"])
    (control,) = (c for c in controls if c["name"] == "noise_high")
    assert control["max"] == 7
