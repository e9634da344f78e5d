"""The end of a lesson and the quiz of a chapter, without a browser."""

from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from lessons.contract.lesson import Lesson
from lessons.contract.sketch import Sketch
from lessons.outputs import review as looked
from lessons.outputs.catalogue import find, lessons
from lessons.outputs.quiz import Match, Task, quiz
from lessons.outputs.review import Predicted, review
from pages.ui.words import WORDS
from tests.pages.test_questions import opened
from tests.support.present import present


def card() -> None:
    """The card of a lesson, where a test has been through it."""
    import streamlit as st

    from lessons.outputs import catalogue
    from pages.ui.end_card import at_end, has_ended
    from pages.ui.memory import Trail
    from pages.ui.place import Place

    lesson = catalogue.find("flip")
    place = Place.opened(lesson, {})
    first = dict(st.session_state.get("first", {}))
    trail = Trail(len(lesson.prose.steps), st.session_state["answers"], first)
    trail.skipped = st.session_state.get("skipped", False)
    if has_ended(lesson, trail):
        at_end(lesson, place, trail)


def test_the_card_comes_with_the_last_answer_or_when_it_is_skipped() -> None:
    page = AppTest.from_function(card, default_timeout=60)
    sketch = find("flip").sketch(present(find("flip").prose.steps[1].question))
    drawn = sketch.write(sketch.expected["everything"])
    page.session_state["answers"] = {"reversed": drawn, "twice": "12~product~12"}
    page.run()
    assert not page.markdown
    page.session_state["skipped"] = True
    page.run()
    told = "\n".join(one.value for one in page.markdown)
    assert f":material/close: {WORDS('you', answer='$-')}" in told
    assert "<br>Torch: $b - " in told
    assert not page.exception


def test_a_rerun_computes_no_question_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def counted(*given: Any) -> list[Predicted]:
        asked.append(1)
        return review(*given)

    monkeypatch.setattr(looked, "review", counted)
    looked.reviewed.cache_clear()
    page = AppTest.from_function(card, default_timeout=60)
    page.session_state["answers"] = {"transfer": "0~residual~0"}
    page.run()
    page.run()
    assert len(asked) == 1
    page.session_state["answers"] = {"transfer": "1"}
    page.run()
    assert len(asked) == 2


def a_zigzag(sketch: Sketch) -> str:
    return sketch.write(np.array([3.0 * (-1) ** place for place in range(len(sketch.x))]))


@pytest.mark.parametrize(
    "lesson",
    [one for one in lessons() if not one.lab.training],
    ids=lambda lesson: lesson.slug,
)
def test_looking_back_agrees_with_what_each_question_said_at_its_step(lesson: Lesson) -> None:
    answers, right = {}, {}
    for question in lesson.prose.questions:
        if question.kind in ("choice", "bug"):
            answers[question.name] = question.options[-1].key
            right[question.name] = lesson.answer(question) == question.options[-1].key
        elif question.kind == "sketch":
            answers[question.name] = a_zigzag(lesson.sketch(question))
            drawn = lesson.sketch(question).grade(
                answers[question.name], lesson.asked_about(question)
            )
            right[question.name] = drawn.key == lesson.answer(question)
        else:
            answers[question.name], right[question.name] = "987654~~1", False
    looked = review(lesson, answers)
    assert [one.right for one in looked] == list(right.values())
    for one, question in zip(looked, lesson.prose.questions, strict=True):
        assert lesson.prose.steps[one.step - 1].question == question
        assert one.said
        assert one.computed
        assert (one.said == one.computed) == one.right
        if question.kind == "number":
            assert one.said == "987654"
    assert not any(one.said or one.computed for one in review(lesson, {})), "nothing is given away"


def quizzed() -> None:
    import streamlit as st

    from lessons.outputs.catalogue import chapters
    from pages.ui import memory, quiz_view

    chapter = next(one for one in chapters() if one.slug == "reversal")
    link = quiz_view.link
    quiz_view.link = lambda *given: None  # a link needs the app's pages
    st.page_link = lambda *given, **named: st.caption(named["label"])
    try:
        quiz_view.quiz_view(chapter, quiz_view.seed_of(st.session_state["asked"]))
    finally:
        quiz_view.link = link
    st.session_state["score"] = memory.score(chapter)


def test_a_quiz_replies_to_each_answer_and_ends_with_the_score(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import streamlit as st

    monkeypatch.setattr(st, "page_link", st.page_link)  # put back at the end
    page = opened(quizzed, "7")
    items = quiz("reversal", 7)
    for item in items:
        if isinstance(item, Task):
            assert page.markdown[2].value == item.text
            assert page.button[0].label == WORDS("show_a_way")
            page.button[0].click().run()
            told = "\n".join(one.value for one in page.markdown)
            assert f"**{WORDS('one_way')}**\n\n{item.reason}" in told
            page.button[-1].click().run()
            continue
        if isinstance(item, Match):
            assert page.markdown[1].value == f"## {WORDS('which_chart')}"
            (other,) = {*item.keys} - {item.right}
            page.button(f"match_{other}").click().run()
            told = "\n".join(one.value for one in page.markdown)
            assert f"**{WORDS('you_said', answer=other.upper())}**" in told
            assert WORDS("is_chart", side=item.right.upper(), reason=item.reason) in told
            page.button[-1].click().run()
            continue
        right = item.options[item.right]
        wrong = next(one for one in item.options.values() if one != right)
        assert page.markdown[1].value == f"## {item.step.title}"
        told = "\n".join(one.value for one in page.markdown)
        assert not any(option.reply in told for option in item.options.values())
        page.button(f"{item.lesson.slug}_{wrong.key}").click().run()
        told = "\n".join(one.value for one in page.markdown)
        assert f"**{WORDS('you_said', answer=wrong.text)}**\n\n{wrong.reply}" in told
        assert page.markdown[1].value == f"## {right.text}"
        assert right.reply in told
        page.button[-1].click().run()
    told = "\n".join(one.value for one in page.markdown)
    assert f"## {WORDS('score', right=0, all=5)}" in told
    missed = [
        WORDS("missed", lesson=one.lesson.prose.front["short"], step=one.step.title)
        for one in items
    ]
    assert [one.value for one in page.caption][:5] == missed
    assert page.session_state["score"] == 0
    assert not page.button
    assert not page.exception


@pytest.mark.parametrize("text", ["", "x", "-1", "1000000", "9" * 5000, "²", "<b>"])
def test_a_seed_that_is_none_makes_a_quiz_of_its_own(text: str) -> None:
    page = opened(quizzed, text)
    assert page.warning[0].value == WORDS("no_such_quiz")
    assert len(page.button) in (1, 2, 3, 4)
    assert not page.exception


FIRST_RIGHT = sum(one.keys[0] == one.right for one in quiz("reversal", 7))


@pytest.mark.parametrize(
    ("said", "at", "heading"),
    [
        ("", "", WORDS("question_of", number=1, all=5)),
        ("00", "1", WORDS("question_of", number=2, all=5)),
        ("00", "2", WORDS("question_of", number=3, all=5)),
        ("00", "-1", WORDS("question_of", number=3, all=5)),
        ("0٣0", "x" * 9999, WORDS("question_of", number=2, all=5)),
        ("9", "0", WORDS("question_of", number=1, all=5)),
        ("0" * 999, "5", f"## {WORDS('score', right=FIRST_RIGHT, all=5)}"),
    ],
)
def test_an_address_opens_a_quiz_where_it_was_left(said: str, at: str, heading: str) -> None:
    page = opened(quizzed, "7", said=said, at=at)
    assert page.markdown[0].value.startswith(heading)
    assert page.session_state["score"] is None, "nobody answered here"
    assert not page.exception
