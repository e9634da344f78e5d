"""What can be found, and that a made-up wish from the browser leads nowhere."""

import json

import pytest
from starlette.applications import Starlette
from streamlit.testing.v1 import AppTest

from lessons.outputs.catalogue import lessons
from lessons.outputs.glossary import terms
from lessons.outputs.search import as_data, index
from pages.server import assets
from pages.ui import search
from tests.server.asgi import ask


def test_every_lesson_step_and_term_can_be_found():
    found = [(entry.page, entry.lesson, entry.step) for entry in index()]
    for lesson in lessons():
        assert (lesson.chapter, lesson.slug, 1) in found
        for step, one in enumerate(lesson.prose.steps, start=1):
            (entry,) = (
                e
                for e in index()
                if (e.lesson, e.step) == (lesson.slug, step) and e.kind.endswith(f"step {step}")
            )
            assert entry.title[:8] == one.title.replace("`", "").replace("$", "")[:8]
    assert {("glossary", term.slug, 1) for term in terms()} <= set(found)


def test_the_text_is_plain_and_the_index_small():
    for entry in index():
        assert not set("`{}") & set(entry.title + entry.text), entry
    assert len(json.dumps(as_data())) < 100_000


def test_the_index_is_served_under_an_address_that_names_what_it_holds():
    answer = ask(Starlette(routes=assets.routes("")), f"/{search._index()}")
    assert json.loads(answer.body) == as_data()
    assert "immutable" in answer.headers["cache-control"]


def follow():
    import streamlit as st

    from pages.ui import search

    search._follow(st.session_state["asked"])
    st.text("still here")


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"page": "../app", "lesson": "x"},
        {"page": "glossary", "lesson": "no such term"},
        {"page": "stop_gradient", "lesson": ["wrong_place"], "step": 1},
        {"page": None, "lesson": "a" * 100_000, "step": "1"},
    ],
)
def test_a_made_up_wish_is_ignored(asked):
    page = AppTest.from_function(follow)
    page.session_state["asked"] = asked
    page.run()
    assert not page.exception
    assert page.text[0].value == "still here"
