"""What a page tells the browser, and the address that restores it."""

from urllib.parse import parse_qs

import pytest

from lessons import find, lessons
from lessons.devices import devices
from pages.ui import payload
from pages.ui.lab_state import LabState
from pages.ui.live.wire import encode


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_every_parameter_has_a_control(lesson):
    state = LabState(lesson)
    groups = payload.groups(lesson, state.values, state.text, {})
    shown = [control["name"] for group in groups for control in group["controls"]]
    assert sorted(shown) == sorted(parameter.name for parameter in lesson.lab.parameters)
    encode({"groups": groups})


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_the_address_restores_the_values(lesson):
    values = lesson.validate({}) | {"dtype": "float32"}
    asked = {name: text for name, (text,) in parse_qs(payload.query(lesson, values, 2)).items()}
    assert (asked.pop("lesson"), asked.pop("step")) == (lesson.slug, "2")
    assert lesson.validate(asked) == values


def test_an_error_stands_beside_its_control_with_what_was_typed():
    state = LabState(find("noise_leaks"))
    state.text["u"] = "one"
    groups = payload.groups(state.lesson, state.values, state.text, {"u": "not a number"})
    plain, more = groups
    (control,) = (c for c in more["controls"] if c["name"] == "u")
    assert (control["value"], control["error"]) == ("one", "not a number")
    assert more["open"]
    assert all(c["error"] is None for c in plain["controls"])


def test_an_absent_device_is_shown_as_absent():
    lesson = find("noise_leaks")
    values = lesson.validate({"device": "cuda:77"})
    _, more = payload.groups(lesson, values, lesson.text(values), {})
    (control,) = (c for c in more["controls"] if c["name"] == "device")
    labels = {option["value"]: option["label"] for option in control["options"]}
    assert labels["cuda:77"] == "cuda:77 (not here)"
    assert all(labels[name] == name for name in devices())


def test_a_slider_reaches_a_value_beyond_its_usual_span():
    lesson = find("noise_leaks")
    values = lesson.validate({"noise_high": "7"})
    plain, _ = payload.groups(lesson, values, lesson.text(values), {})
    (control,) = (c for c in plain["controls"] if c["name"] == "noise_high")
    assert control["max"] == 7
