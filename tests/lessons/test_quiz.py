"""A quiz has five items of different steps, and torch decides which answers and moves are right."""

from collections import Counter
from itertools import chain
from random import Random

import pytest

from lessons.outputs.catalogue import chapters, find
from lessons.outputs.computed import computed
from lessons.outputs.quiz import LENGTH, Prediction, cut, offered, quiz
from lessons.prose.goal import is_reached
from pages.labs.lesson import frame
from pages.labs.messages import Wish
from tests.support.amount import cases

SEEDS = cases(3, 200)
CHAPTERS = pytest.mark.parametrize("chapter", chapters(), ids=lambda one: one.slug)


def kind_of(item):
    if isinstance(item, Prediction):
        return "question"
    return "cut" if "cuts" in item.solved else "move"


@pytest.mark.random
@CHAPTERS
def test_a_quiz_mixes_the_kinds_that_its_chapter_offers(chapter):
    there = {kind for lesson in chapter.lessons for _, kind, _ in offered(lesson)}
    assert there >= {"move", "question"}
    kinds = Counter({"move": 2, "question": 2, "cut": "cut" in there})
    for seed in range(SEEDS):
        items = quiz(chapter.slug, seed)
        steps = [(chapter.lessons.index(one.lesson), one.number) for one in items]
        assert len({*steps}) == LENGTH
        assert steps == sorted(steps), "easy first"
        assert max(Counter(place for place, _ in steps).values()) <= 2
        assert Counter(map(kind_of, items)) >= kinds
    assert items == quiz.__wrapped__(chapter.slug, seed), "the address brings the same numbers"
    assert quiz(chapter.slug, 1) != quiz(chapter.slug, 2)


@CHAPTERS
def test_the_lab_covers_the_answer_until_it_is_given(chapter):
    for item in filter(lambda one: isinstance(one, Prediction), quiz(chapter.slug, 1)):
        question = item.question
        assert {*item.keys} == {one.key for one in question.options}
        names = [one.name for one in item.lesson.prose.questions]
        wish = Wish(lab=item.lesson.slug, step=item.number, values=dict(item.settings))
        before = frame(wish)
        assert before["covered"] or not question.hides
        assert before["form"].items() >= {n: item.settings[n] for n in question.reveal}.items()
        assert not frame(wish.model_copy(update={"answers": names}))["covered"]
        assert question.hides or question.reveal


@CHAPTERS
def test_a_task_is_open_at_first_and_its_solution_reaches_the_goal(chapter):
    makes = chain.from_iterable(
        (make(lesson, number, Random(seed)) for seed in range(cases(1, 12)))
        for lesson in chapter.lessons
        for number, kind, make in offered(lesson)
        if kind != "question"
    )
    for task in makes:
        names = [one.name for one in task.lesson.prose.questions]
        for given, done in ((task.settings, False), ({**task.settings, **task.solved}, True)):
            values = dict(given)
            cuts = values.pop("cuts", "")
            wish = Wish(lab=task.lesson.slug, step=task.number, values=values, cuts=cuts)
            told = frame(wish.model_copy(update={"answers": names, "goal": task.goal}))
            assert told["turn"] is done, (task.lesson.slug, task.goal)


def test_any_cut_that_leaves_the_number_is_right():
    task = cut(find("in_place"), 3, Random(0))
    values = task.lesson.validate(task.settings)
    reaching = [
        edge
        for edge in sorted(task.lesson.edges(values))
        if is_reached(task.goal, computed(task.lesson, values, [edge]).facts)
    ]
    assert reaching == [("mul", 0), ("mul", 1)]
    assert task.solved["cuts"] in ("mul:0", "mul:1")


@pytest.mark.parametrize(
    "goal", ["", "x_grad", "x_grad = ", "nothing = 1", "x_grad = y", "²" * 999]
)
def test_a_goal_that_says_nothing_is_not_reached(goal):
    assert not frame(Wish(lab="flip", goal=goal))["turn"]
