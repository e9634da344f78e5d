"""A quiz has five questions of different steps, and torch decides which answer is right."""

import pytest

from lessons.outputs.catalogue import chapters
from lessons.outputs.quiz import LENGTH, quiz
from pages.labs.lesson import frame
from pages.labs.messages import Wish
from tests.support.amount import cases

SEEDS = cases(3, 200)
CHAPTERS = pytest.mark.parametrize("chapter", chapters(), ids=lambda one: one.slug)


def asked(chapter):
    """The steps whose questions are in the chapter's quizzes."""
    return [(one, step) for one in chapter.lessons for step in one.prose.steps if step.quiz]


@pytest.mark.random
@CHAPTERS
def test_a_quiz_asks_at_five_steps_of_as_many_lessons_as_can_be(chapter):
    lessons = {lesson.slug for lesson, _ in asked(chapter)}
    for seed in range(SEEDS):
        items = quiz(chapter.slug, seed)
        steps = [(chapter.lessons.index(one.lesson), one.number) for one in items]
        assert len({*steps}) == LENGTH
        assert steps == sorted(steps), "easy first"
        assert len({one.lesson.slug for one in items}) == min(LENGTH, len(lessons))
        for item in items:
            assert {*item.keys} == {one.key for one in item.question.options}
    assert items == quiz.__wrapped__(chapter.slug, seed), "the address brings the same numbers"
    assert quiz(chapter.slug, 1) != quiz(chapter.slug, 2)


@CHAPTERS
def test_the_lab_covers_the_answer_until_it_is_given(chapter):
    for item in quiz(chapter.slug, 1):
        question = item.question
        names = [one.name for one in item.lesson.prose.questions]
        wish = Wish(lab=item.lesson.slug, step=item.number, values=dict(item.settings))
        before = frame(wish)
        assert before["covered"] or not question.hides
        assert before["form"].items() >= {n: item.settings[n] for n in question.reveal}.items()
        assert not frame(wish.model_copy(update={"answers": names}))["covered"]
        assert question.hides or question.reveal
