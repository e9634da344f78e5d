"""A quiz has five questions about the trick: the shown code runs, and prints the right answer."""

import pytest

from lessons.outputs.catalogue import chapters
from lessons.outputs.quiz import LENGTH, can_be_asked, quiz
from lessons.tricks import fresh_registry
from tests.support.amount import cases

CHAPTERS = pytest.mark.parametrize("chapter", chapters(), ids=lambda one: one.slug)
SEEDS = cases(6, 200)
TRUE = "the true gradient"


def value(text):
    return float(text.replace("−", "-"))


@pytest.mark.random
@CHAPTERS
def test_every_question_is_about_what_the_trick_does(chapter):
    """One right answer, which is not the true gradient; the true gradient is offered."""
    askable = [lesson for lesson in chapter.lessons if can_be_asked(lesson.slug)]
    assert len(askable) >= (3 if chapter.slug == "clipping" else 4)
    for seed in range(SEEDS):
        items = quiz(chapter.slug, seed)
        assert len(items) == LENGTH == len({item.code for item in items})
        assert len({item.lesson.slug for item in items}) == min(LENGTH, len(askable))
        for item in items:
            values = [value(text) for text in item.options]
            assert 3 <= len(values) <= 4
            assert values == sorted(set(values))
            (true,) = [text for text, one in item.options.items() if TRUE in one.reply]
            assert true != item.right
            assert item.options[item.right].reply == "That is what torch gives."
            assert item.right in item.why[-1]
            assert "true gradient" in item.why[-1]
            assert item.why[-1].endswith(f" {true}.")
    assert items == quiz.__wrapped__(chapter.slug, seed), "the address brings the same numbers"
    assert quiz(chapter.slug, 1) != quiz(chapter.slug, 2)


@pytest.mark.random
@CHAPTERS
def test_the_shown_code_runs_by_itself_and_gives_the_right_answer(chapter):
    for item in (item for seed in range(SEEDS) for item in quiz(chapter.slug, seed)):
        names = {}
        with fresh_registry():
            exec(compile(item.code, "quiz", "exec"), names)
        asked = item.question.split("`")[1]
        assert eval(asked, names).item() == pytest.approx(value(item.right), rel=2e-3), item.code
