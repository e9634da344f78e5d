"""What can be found, and that a made-up wish from the browser leads nowhere."""

import json

from starlette.responses import PlainTextResponse

from lessons.outputs.catalogue import lessons
from lessons.outputs.glossary import terms
from lessons.outputs.search import as_data, index
from pages.server.addresses import Addresses
from pages.ui import search
from tests.pages.test_questions import opened
from tests.server.asgi import ask
from tests.support.node import node


def test_every_lesson_step_and_term_can_be_found() -> None:
    entries = index()
    found = [(entry.page, entry.lesson, entry.step) for entry in entries]
    for lesson in lessons():
        assert (lesson.chapter, lesson.slug, 1) in found
        for step, one in enumerate(lesson.prose.steps, start=1):
            (entry,) = (
                e
                for e in entries
                if (e.lesson, e.step) == (lesson.slug, step) and e.kind.endswith(f"step {step}")
            )
            assert entry.title[:8] == one.title.replace("`", "").replace("$", "")[:8]
    assert {("glossary", term.slug, 1) for term in terms()} <= set(found)


def test_the_text_is_plain_and_the_index_small() -> None:
    for entry in index():
        assert not set("`{}") & set(entry.title + entry.text), entry
    assert len(json.dumps(as_data())) < 200_000


SEARCHED = {
    "detach vs no_grad": "two_passes no_grad",
    "my gradient is None": "two_passes",
    "what is detach": "two_passes stop_gradient",
    "loss prints 0": "right_place",
    "why is my gradient zero": "starved",
    "RuntimeError: element 0 of tensors does not require grad": "two_passes",
    "leaf": "leaf",
    "stop gradient": "stop_gradient",
    "straight through": "straight-through-estimator",
    "what is a vector jacobian product": "vector-jacobian-product",
    "NaN": "nan",
    "why is my loss nan": "not_finite",
    "should I clip before or after backward": "where_to_clip",
    "what does clip_grad_norm_ return": "where_to_clip",
    "difference between clipping by value and by norm": "value_or_norm",
    "exploding gradients in an LSTM": "cliff",
    "gradient reversal layer": "flip",
    "my override map does nothing": "type_not_name",
    "KeyError: Registering two gradient with name 'FlipGradient0'!": "type_not_name",
    "how do I train through torch.round": "straight_through",
    "dropout with a clean gradient": "noise_layer",
    "once_differentiable": "second_derivative",
    "Function 'SqrtBackward0' returned nan values in its 0th output": "not_finite",
    "surrog": "surrogate-gradient pick_surrogate",
}
RANKED = """
import { readFileSync } from "node:fs";
const { prepared, ranked } = await import(process.argv[1]);
const { entries, questions } = JSON.parse(readFileSync(0, "utf8"));
const index = prepared(entries);
console.log(JSON.stringify(questions.map((one) => ranked(index, one).map((e) => e.lesson))));
"""


def found(*questions: str) -> list[list[str]]:
    """The places that the browser's script finds for each question, the best first."""
    given = json.dumps({"entries": as_data(), "questions": questions})
    answers: list[list[str]] = json.loads(node(RANKED, "search/search.js", given=given))
    return answers


def test_a_question_finds_its_lesson_or_term_first() -> None:
    answers = dict(zip(SEARCHED, found(*SEARCHED), strict=True))
    wrong = {q: answers[q][:3] for q, good in SEARCHED.items() if answers[q][0] not in good.split()}
    assert wrong == {}


def test_results_far_from_the_best_are_dropped_and_nonsense_finds_nothing() -> None:
    exact, nonsense, empty = found("retain_graph", "qwxyz", "...")
    assert 1 <= len(exact) < 5
    assert nonsense == empty == []


def test_the_index_is_served_under_an_address_that_names_what_it_holds() -> None:
    answer = ask(Addresses(PlainTextResponse("not there", 404)), f"/{search._index()}")
    assert json.loads(answer.body) == as_data()
    assert "immutable" in answer.headers["cache-control"]


def follow() -> None:
    import streamlit as st

    from pages.ui import search

    search._follow(st.session_state["asked"])
    st.text("still here")


def test_a_made_up_wish_is_ignored() -> None:
    page = opened(follow, {})
    for asked in (
        {},
        {"page": "../app", "lesson": "x"},
        {"page": "glossary", "query": {"term": "no such term"}},
        {"page": "stop_gradient", "query": {"lesson": ["wrong_place"], "step": 1}},
        {"page": "stop_gradient", "query": [["lesson", "wrong_place"]]},
        {"page": None, "query": {"lesson": "a" * 100_000, "step": "1"}},
    ):
        page.session_state["asked"] = asked
        page.run()
        assert not page.exception
        assert page.text[0].value == "still here"
