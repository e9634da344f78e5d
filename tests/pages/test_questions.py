"""Questions on a page, without a browser: verdicts come from running, tries go on."""

import html
import re
from collections.abc import Callable

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from lessons.contract.lesson import Lesson
from lessons.contract.sketch import Sketch
from lessons.outputs.catalogue import find, lessons
from lessons.prose.steps import fill
from pages.ui import questions
from pages.ui.words import WORDS
from tests.support.amount import also
from tests.support.present import present


def opened(script: Callable[[], None], asked: object = None, **query: str) -> AppTest:
    """The page of this script, for what it asks about, at an address with this query."""
    page = AppTest.from_function(script, default_timeout=60)
    page.session_state["asked"] = asked
    for name, text in query.items():
        page.query_params[name] = text
    return page.run()


def bug_page() -> None:
    """A lesson with a small bug of the test's own, asked as any other."""
    from dataclasses import replace

    import streamlit as st

    from lessons.contract.bug import Bug
    from lessons.outputs.catalogue import find
    from lessons.prose.steps import Option, Question
    from pages.ui import questions
    from pages.ui.memory import Trail
    from pages.ui.place import Place
    from tests.pages import a_bug

    fixes = dict(a_bug.FIXES)
    if st.session_state["asked"] == "swapped":
        fixes = {"none": fixes["absolute"], "absolute": fixes["none"], "raises": fixes["raises"]}
    bug = Bug("somebody/code#1", a_bug.broken, fixes, a_bug.check, "A title", "2026-01-02")
    options = tuple(Option(key, f"Fix {key}", f"Reply to {key}.") for key in fixes)
    question = Question("bug", (), options, kind="bug")
    lesson = replace(find("wrong_place"), bug=bug)
    trail = st.session_state.setdefault("trail", Trail())
    place = Place.opened(lesson, {})
    questions.ask(lesson, question, place, trail)
    questions.stage(lesson, question, place, trail)


def told(page: AppTest, kind: str) -> list[str]:
    """The page's own HTML of this class."""
    return [one.proto.body for one in page if one.type == "html" and kind in one.proto.body]


def failures(page: AppTest) -> list[str]:
    """What the assertion said on the page."""
    return told(page, "gt-failure")


@pytest.mark.parametrize("fixes", ["as they are", "swapped"])
def test_a_fix_is_judged_by_running_it_and_only_the_first_try_counts(fixes: str) -> None:
    right, wrong = ("none", "absolute") if fixes == "swapped" else ("absolute", "none")
    page = opened(bug_page, fixes)
    assert "-3.0 came, 3.0 was expected" in failures(page)[-1]
    for key, fails in ((wrong, True), ("raises", True), (right, False)):
        next(one for one in page.button if one.label == f"Fix {key}").click().run()
        assert not page.exception
        texts = [one.value for one in page.markdown]
        assert any(text.endswith(f"Reply to {key}.") for text in texts)
        assert (WORDS("assertion_holds") in texts) is not fails
        if key == "raises":
            assert "ValueError: this fix raises" in failures(page)[-1]
    assert not page.button
    assert page.session_state["trail"].first == {"bug": False}
    assert page.session_state["trail"].answers == {"bug": right}


def question_page() -> None:
    """A lesson's question of one kind, where the lab is set as the test wants it."""
    import streamlit as st

    from lessons.outputs.catalogue import find
    from pages.ui import questions
    from pages.ui.memory import Trail
    from pages.ui.place import Place

    slug, kind, settings = st.session_state["asked"]
    lesson = find(slug)
    step = next(one for one in lesson.prose.steps if one.question and one.question.kind == kind)
    place = Place.opened(lesson, {**step.lab, **settings})
    trail = st.session_state.setdefault("trail", Trail())
    assert step.question
    questions.ask(lesson, step.question, place, trail)
    if questions.has_stage(step.question, trail):
        questions.stage(lesson, step.question, place, trail)


Send = Callable[[object], AppTest]


@pytest.fixture
def send(monkeypatch: pytest.MonkeyPatch) -> Send:
    """The page of a sketch, after its browser has sent this."""

    def draw(sketch: Sketch, key: str, commit: Callable[[str], None]) -> None:
        st.button("send", on_click=lambda: commit(st.session_state["sent"]))

    monkeypatch.setattr(questions, "draw", draw)
    page = opened(question_page, ("wrong_place", "sketch", {}))

    def send(value: object) -> AppTest:
        page.session_state["sent"] = value
        next(one for one in page.button if one.label == "send").click().run()
        assert not page.exception
        return page

    return send


def test_a_sketch_that_is_none_is_refused_and_nothing_is_kept(send: Send) -> None:
    for value in (None, 3, {"a": 1}, ["0"] * 8, "", "0" * 7, "<b>12345", "0" * 10**6, "zzzzzzzz"):
        page = send(value)
        assert page.session_state["trail"].answers == {}, value
        assert "A sketch of this curve has" in told(page, "gt-refused")[0], value


@pytest.mark.parametrize(
    ("drawn", "head"),
    [
        ([-2] * 4 + [2] * 4, f":material/check: **{WORDS('your_sketch', answer='')}"),
        ([-0.5] * 4 + [0.5] * 4, f":material/close: **{WORDS('your_sketch', answer='')}"),
        ([3, -3] * 4, f":material/close: **{WORDS('another_curve')}"),
    ],
)
def test_a_sketch_is_answered_with_the_belief_it_resembles(
    send: Send, drawn: list[float], head: str
) -> None:
    lesson = find("wrong_place")
    text = lesson.sketch(present(lesson.prose.steps[1].question)).write(np.array(drawn))
    page = send(text)
    assert page.session_state["trail"].answers == {"gradient": text}
    assert page.session_state["trail"].first == {"gradient": "check" in head}
    (reply,) = [one.value for one in page.markdown if one.value.startswith(":material/")]
    assert reply.startswith(head)


def answered_page() -> None:
    """A step whose question is answered."""
    import streamlit as st

    from lessons.outputs.catalogue import find
    from pages.ui import lesson_view
    from pages.ui.memory import Trail
    from pages.ui.place import Place

    slug, number = st.session_state["asked"]
    lesson = find(slug)
    step = lesson.prose.steps[number - 1]
    kinds = {"number": "987654~~1", "choice": step.question.options[0].key}
    drawn = (
        "0" * len(lesson.sketches[step.question.name].x) if step.question.kind == "sketch" else ""
    )
    answer = kinds.get(step.question.kind, drawn)
    trail = Trail(number, {step.question.name: answer})
    lesson_view._words(lesson, Place.opened(lesson, step.lab), trail)


CODE = [
    (lesson.slug, number)
    for lesson in lessons()
    for number, step in enumerate(lesson.prose.steps, 1)
    if step.question and step.question.is_of_lab and "```" in step.text
]
"""Questions of a lab with code in their text."""


@pytest.mark.parametrize(("slug", "number"), [CODE[0], *also(*CODE[1:])])
def test_the_code_of_a_question_is_still_there_under_its_verdict(slug: str, number: int) -> None:
    page = opened(answered_page, (slug, number))
    assert not page.exception
    kinds = [part.type for part in page]
    assert kinds.index("html") > kinds.index("markdown") + 1, "under the heading and the verdict"
    shown = [re.sub("<[^>]*>", "", one.proto.body) for one in page if one.type == "html"]
    step = find(slug).prose.steps[number - 1]
    text = fill(step.text, find(slug).asked_about(present(step.question)).facts)
    code = re.findall(r"```\w+\n(.*?)\n", text)
    assert [html.unescape(one).splitlines()[0] for one in shown] == code


def type_in(page: AppTest, text: str) -> None:
    page.text_input[0].set_value(text)
    page.button[0].click().run()
    assert not page.exception


@pytest.mark.parametrize(
    ("slug", "settings"),
    [("in_place", {"x": "1000"}), ("scope", {"x": "1e308"}), ("flip", {"x": "1e308"})],
)
def test_a_number_typed_where_torch_gives_none_is_refused_and_can_be_typed_again(
    slug: str, settings: dict[str, str]
) -> None:
    page = opened(question_page, (slug, "number", settings))
    type_in(page, "1")
    assert "nothing to compare" in told(page, "gt-refused")[0]
    assert page.session_state["trail"].answers == {}
    page.session_state["asked"] = slug, "number", {}
    type_in(page.run(), "1")
    assert not told(page, "gt-refused")
    assert page.session_state["trail"].answers


def test_what_cannot_be_read_shows_as_it_was_typed() -> None:
    page = opened(question_page, ("flip", "number", {}))
    for typed in ("<b>x</b><img src=//a.bc>", "[Click](//a.bc)", "$x$", "1/0<i>"):
        type_in(page, typed)
        (refused,) = told(page, "gt-refused")
        assert html.escape(typed)[:16] in refused
        assert "<" not in refused.partition(">")[2].rpartition("<")[0]
        assert not [one for one in page.markdown if typed in one.value]


@pytest.mark.parametrize("lesson", [one for one in lessons() if one.bug], ids=lambda one: one.slug)
def test_a_bug_asks_without_the_story_of_its_thread(lesson: Lesson) -> None:
    (step,) = (one for one in lesson.prose.steps if one.question and one.question.kind == "bug")
    story, question = questions.story_and_question(step.text)
    assert story
    assert re.fullmatch(r"[^.?!]+\?", re.sub(r"`[^`]*`", "", question))
    assert step.text.split() == [*story.split(), *question.split()]


def test_numbers_stand_still_around_a_question_about_settings_and_follow_a_run() -> None:
    asked = {one.name: one for one in find("moving_target").prose.questions}
    assert questions.stands_still(find("moving_target"), asked["two"])
    assert not questions.stands_still(find("moving_target"), asked["certain"])


def test_what_the_answer_reveals_cannot_be_set_before() -> None:
    (step,) = (one for one in find("the_end").prose.steps if one.question and one.question.reveal)
    assert {*present(step.question).reveal} <= {*step.held(())}
