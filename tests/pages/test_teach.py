"""The teachers' page and the links it makes."""

from types import SimpleNamespace
from urllib.parse import parse_qs, parse_qsl

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from lessons.contract.lesson import Lesson
from lessons.outputs.address import query as query_of
from lessons.outputs.address import without_hidden
from lessons.outputs.catalogue import find, lessons
from pages.labs import bench
from pages.labs.lesson import frame
from pages.labs.messages import Wish
from pages.ui import teach_view
from pages.ui.memory import Trail
from pages.ui.place import Place
from tests.pages.test_chapter_view import opened
from tests.support.folded import folded


def test_the_link_follows_the_preview_of_its_lesson_as_far_as_that_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    flip, hot = find("flip"), "?lesson=flip&step=1&scale=3&" + "a=1&" * 5000
    own = flip.prose.steps[0].lab
    for query, wanted in (
        (hot, {"scale": "3"}),
        ("?lesson=two_passes&step=1&scale=3", own),
        ("?lesson=flip&step=2&scale=3", own),
        ("?scale=3", own),
        ("?lesson=flip&step=1&scale=<script>", {}),
        (None, own),
        (3, own),
    ):
        monkeypatch.setattr(st, "session_state", {"teach_preview": {"query": query}})
        asked = dict(parse_qsl(teach_view._query(flip, 1, [], [])))
        assert (asked.pop("lesson"), asked.pop("step")) == ("flip", "1")
        assert flip.validate(asked) == flip.validate(wanted), query


def test_the_link_takes_along_the_edges_that_were_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    lesson = find("right_place")
    query = "?lesson=right_place&step=3&cuts=sqrt_1:0"
    monkeypatch.setattr(st, "session_state", {"teach_preview": {"query": query}})
    assert "cuts=sqrt_1:0" in teach_view._query(lesson, 3, [], [])


def test_the_frame_is_as_high_as_a_stage_and_what_is_hidden_cannot_be_locked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = "https://lab.example.org/course/teach?embed=true#part"
    monkeypatch.setattr(st, "context", SimpleNamespace(cookies={}, url=url))
    page = AppTest.from_function(teach, default_timeout=60).run()
    assert not page.exception
    page.multiselect[0].select("stopped").run()
    assert "stopped" not in page.multiselect[1].options
    link, frame = (code.value for code in page.code)
    assert link.startswith("https://lab.example.org/course/stop_gradient?")
    assert "hide=stopped" in link
    assert 'height="660"' in frame
    assert "embed=true" in frame


def test_the_bench_has_a_link_as_its_preview_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    url = "https://lab.example.org/teach"
    monkeypatch.setattr(st, "context", SimpleNamespace(cookies={}, url=url))
    page = AppTest.from_function(teach, default_timeout=60)
    page.session_state["teach_preview"] = {"query": "?trick=clipping&a.limit=3&lesson=x&nonsense=1"}
    page.run()
    page.selectbox[0].select("").run()
    page.selectbox[1].select("clipping").run()
    page.multiselect[0].select("b.limit").run()
    assert not page.exception
    link, frame = (code.value for code in page.code)
    assert link == "https://lab.example.org/?trick=clipping&a.limit=3&hide=b.limit"
    assert "embed=true" in frame


def test_a_link_of_the_bench_brings_its_settings_and_offers_what_is_in_sight(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = "https://lab.example.org/teach"
    monkeypatch.setattr(st, "context", SimpleNamespace(cookies={}, url=url))
    there = bench.frame(Wish(lab="bench", values={"a.cut": "none"}))["links"][-1]["address"]
    page = AppTest.from_function(teach, default_timeout=60)
    for name, text in parse_qsl(there.partition("?")[2]):
        page.query_params[name] = text
    page.run()
    link, _ = (code.value for code in page.code)
    assert link == "https://lab.example.org/?trick=stop_gradient&a.cut=none"
    assert {"u", "Draw"} <= {*page.multiselect[0].options}
    assert not {"Looked at", "Device"} & {*page.multiselect[0].options}
    page.multiselect[1].select("in.u.ends").run()
    page.session_state["teach_preview"] = {"query": "?noise=off"}
    page.run()
    assert not page.exception
    assert page.code[0].value == "https://lab.example.org/?trick=stop_gradient&noise=off"


@pytest.mark.parametrize("url", [None, "lab/teach"])
def test_without_the_sites_address_there_is_nothing_to_copy(
    url: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(st, "context", SimpleNamespace(cookies={}, url=url))
    page = AppTest.from_function(teach, default_timeout=60).run()
    assert "is not the address of a site" in page.error[0].value
    assert not page.code


def teach() -> None:
    from pages.ui.teach_view import teach_page

    teach_page()


def test_the_text_does_not_name_a_hidden_control() -> None:
    leaks = find("noise_leaks")
    text = leaks.prose.steps[0].text
    assert "**Noise to**" in text
    left = without_hidden(leaks, text, {"noise_high"})
    assert "Noise to" not in left
    assert left in text
    assert without_hidden(leaks, text, {"seed"}) == text


def test_a_teachers_address_hides_and_holds_and_comes_back() -> None:
    lesson = find("noise_leaks")
    place = Place.opened(lesson, {"noise_high": "1.5", "hide": "seed,u", "fix": "noise_high,draws"})
    place.order({"noise_high": "1.9"})
    place.reset(1)
    assert (place.text["noise_high"], place.text["draws"]) == ("1.5", "500")
    without = Place.arrived(lesson, {"step": "3", "fix": "x"}, Trail())
    assert lesson.prose.steps[2].lab["x"] != without.text["x"] == lesson.defaults["x"]
    hide, fix = sorted(place.hide), sorted(place.fix)
    shown = frame(Wish(lab="noise_leaks", values=place.text, hide=hide, fix=fix, step=3))
    controls = {c["name"]: c for group in shown["groups"] for c in group["controls"]}
    assert {name for name, c in controls.items() if c["hidden"]} == {"seed", "u"}
    assert {name for name, c in controls.items() if c["disabled"]} == {"noise_high", "draws"}
    again = {name: text for name, (text,) in parse_qs(shown["query"]).items()}
    assert again["hide"].split(",") == ["seed", "u"]
    assert (again["noise_high"], again["draws"]) == ("1.5", "500")


@pytest.mark.parametrize(
    "names", ["nothing", "seed,<script>", "," * 5_000, "seed," * 5_000, "\x00", "__class__"]
)
def test_hostile_names_in_a_teachers_address_are_left_out(names: str) -> None:
    place = Place.opened(find("noise_leaks"), {"hide": names, "fix": names})
    assert place.hide == place.fix <= {"seed"}


@pytest.mark.parametrize("names", ["x" * 101, "seed," * 5_000, "seed,<script>"])
def test_hostile_names_in_the_benchs_address_are_left_out(names: str) -> None:
    opened("", hide=names, fix=names)  # which looks for exceptions


@folded("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_a_link_for_teaching_opens_the_lab_as_it_was(lesson: Lesson) -> None:
    for number, step in enumerate(lesson.prose.steps, start=1):
        for values in (lesson.validate({}), lesson.validate(step.lab)):
            query = query_of(lesson, values, number, stated=step.lab)
            asked = {n: t for n, (t,) in parse_qs(query, keep_blank_values=True).items()}
            assert (asked.pop("lesson"), asked.pop("step")) == (lesson.slug, str(number))
            assert lesson.validate(asked) == values
            assert asked or not step.lab, "an address without values takes the step's own"
