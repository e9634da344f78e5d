"""Questions on a page, without a browser: verdicts come from running, tries go on."""

import pytest
from streamlit.testing.v1 import AppTest


def bug_page():
    """A lesson with a small bug of the test's own, asked as any other."""
    from dataclasses import replace

    import streamlit as st

    from lessons import find
    from lessons.bug import Bug
    from lessons.prose import Option, Question
    from pages.ui import questions
    from pages.ui.lab_state import LabState
    from pages.ui.memory import Trail
    from tests.pages import a_bug

    fixes = dict(a_bug.FIXES)
    if st.session_state.get("swap"):
        fixes = {"none": fixes["absolute"], "absolute": fixes["none"], "raises": fixes["raises"]}
    bug = Bug("somebody#1", "https://example.com/1", a_bug.broken, fixes, a_bug.check)
    options = tuple(Option(key, f"Fix {key}", f"Reply to {key}.") for key in fixes)
    question = Question("bug", (), options, "bug")
    lesson = replace(find("wrong_place"), bug=bug)
    state = LabState(lesson)
    state.update(lambda values: (lesson.compute(values), 0.0))
    trail = st.session_state.setdefault("trail", Trail())
    questions.ask(lesson, question, state, trail)


@pytest.mark.parametrize("swap", [False, True])
def test_a_fix_is_judged_by_running_it_and_only_the_first_try_counts(swap):
    right, wrong = ("none", "absolute") if swap else ("absolute", "none")
    page = AppTest.from_function(bug_page, default_timeout=60)
    page.session_state["swap"] = swap
    page.run()
    assert page.code[0].value == "-3.0 came, 3.0 was expected"
    for key, fails in ((wrong, True), ("raises", True), (right, False)):
        page.radio[0].set_value(key).run()
        page.button[0].click().run()
        assert not page.exception
        texts = [one.value for one in page.markdown]
        assert f"Reply to {key}." in texts
        assert ("The assertion **holds**." in texts) is not fails
    assert not page.radio
    assert page.session_state["trail"].first == {"bug": False}
    assert page.session_state["trail"].answers == {"bug": right}


def test_an_error_in_a_fix_is_shown_as_it_came():
    page = AppTest.from_function(bug_page, default_timeout=60).run()
    page.radio[0].set_value("raises").run()
    page.button[0].click().run()
    assert [one.value for one in page.code][-1] == "ValueError: this fix raises"
