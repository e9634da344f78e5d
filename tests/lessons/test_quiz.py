"""A quiz has five items of different steps, and torch decides which answers and moves are right."""

from collections import Counter
from itertools import chain
from random import Random

import pytest

from lessons.bench.comparison import compare
from lessons.bench.setting import SIDES, read_setting
from lessons.outputs.catalogue import Chapter, chapters, find
from lessons.outputs.computed import computed
from lessons.outputs.quiz import (
    LENGTH,
    Item,
    Match,
    Task,
    cut,
    match,
    offered,
    on_bench,
    prediction,
    quiz,
)
from lessons.playground.document.as_text import to_text
from lessons.prose.goal import is_reached
from pages.labs.lesson import frame
from pages.labs.messages import Wish
from tests.support.amount import cases

SEEDS = cases(3, 200)
CHAPTERS = pytest.mark.parametrize("chapter", chapters(), ids=lambda one: one.slug)


def kind_of(item: Item) -> str:
    if not isinstance(item, Task):
        return "match" if isinstance(item, Match) else "question"
    return "cut" if "cuts" in item.solved else "move"


@pytest.mark.random
@CHAPTERS
def test_a_quiz_mixes_the_kinds_that_its_chapter_offers(chapter: Chapter) -> None:
    there = {kind for lesson in chapter.lessons for _, kind, _ in offered(lesson)}
    assert there >= {"move", "question"}
    kinds = Counter({"question": 2, **{kind: kind in there for kind in ("move", "cut", "match")}})
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
def test_the_lab_covers_the_answer_until_it_is_given(chapter: Chapter) -> None:
    for item in (
        prediction(lesson, number, Random(1))
        for lesson in chapter.lessons
        for number, kind, _ in offered(lesson)
        if kind == "question"
    ):
        question = item.question
        assert {*item.keys} == {one.key for one in question.options}
        names = [one.name for one in item.lesson.prose.questions]
        wish = Wish(lab=item.lesson.slug, step=item.number, values=dict(item.settings))
        before = frame(wish)
        assert before["covered"] or not question.hides
        assert (
            before["form"].items()
            >= {n: item.settings[n] for n in question.holds if n in item.settings}.items()
        )
        assert not frame(wish.model_copy(update={"answers": names}))["covered"]
        assert question.hides or question.reveal


@CHAPTERS
def test_a_task_is_open_at_first_and_its_solution_reaches_the_goal(chapter: Chapter) -> None:
    makes = chain.from_iterable(
        (make(lesson, number, Random(seed)) for seed in range(cases(1, 12)))
        for lesson in chapter.lessons
        for number, kind, make in offered(lesson)
        if kind not in ("question", "match")
    )
    for task in makes:
        assert isinstance(task, Task)
        names = [one.name for one in task.lesson.prose.questions]
        for given, done in ((task.settings, False), ({**task.settings, **task.solved}, True)):
            values = dict(given)
            cuts = values.pop("cuts", "")
            wish = Wish(lab=task.lesson.slug, step=task.number, values=values, cuts=cuts)
            told = frame(wish.model_copy(update={"answers": names, "goal": task.goal}))
            assert told["turn"] is done, (task.lesson.slug, task.goal)


@pytest.mark.random
@CHAPTERS
def test_a_programs_chart_is_not_that_of_the_other_program(chapter: Chapter) -> None:
    for lesson in [*filter(on_bench, chapter.lessons)][: cases(1, 99)]:
        rights = set()
        for seed in range(8):
            item = match(lesson, 1, Random(seed))
            compared = compare(read_setting(dict(item.settings)))
            sides = dict(zip(SIDES, (compared.a, compared.b), strict=True))
            (right,) = (name for name, side in sides.items() if to_text(side.document) == item.code)
            assert item.right == right
            assert ("trick_gradient", "different") in [
                (role, said.split()[0].lower()) for role, said in compared.sentence
            ]
            assert item.reason == " ".join(said for _, said in compared.sentence)
            rights.add(right)
        assert rights == {*SIDES}


def test_any_cut_that_leaves_the_number_is_right() -> None:
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
def test_a_goal_that_says_nothing_is_not_reached(goal: str) -> None:
    assert not frame(Wish(lab="flip", goal=goal))["turn"]
