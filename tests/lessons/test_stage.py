"""Each step shows one part of its lab, its first touch changes it, and its task can be done."""

import pytest

from lessons.contract.lesson import Lesson, step_controls
from lessons.contract.parameters import InvalidParametersError
from lessons.contract.prose import Step
from lessons.outputs.catalogue import lessons
from lessons.training.under_way import Run
from pages.labs import wire
from pages.labs.lesson import frame
from pages.labs.messages import Wish
from pages.labs.words import VIEWS

STAGED = {step.stage for lesson in lessons() for step in lesson.prose.steps} | {"table"}
"""The views that some step shows; a chart's name says what it is of."""

EVERY = pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)


def looked_at(lesson: Lesson, number: int, settings=None, answered=True):
    """A step's stage as bytes, and its facts, at these settings; ``run`` steps of its training."""
    step = lesson.prose.steps[number - 1]
    settings = {**step.lab, **({"cuts": step.cuts} if step.cuts else {}), **(settings or {})}
    run, cuts = int(settings.pop("run", 0)), settings.pop("cuts", "")
    settings.pop("at", "")
    answers = [one.name for one in lesson.prose.questions] if answered else []
    asked = Wish(
        lab=lesson.slug,
        values=lesson.spelled(settings),
        cuts=cuts,
        step=number,
        answers=answers,
        good={},
    )
    whole = frame(asked)
    assert whole["accepted"], f"{settings} is refused: {whole['groups']}"
    assert not any("edge" in note["text"] for note in whole["notes"]), whole["notes"]
    parts = {name: whole[name] for name in ("figures", "graph", "table")}
    values = lesson.validate(lesson.spelled(settings))
    facts = dict(lesson.compute(values, lesson.cuts_in(cuts, values)[0]).facts)
    if training := lesson.lab.training:
        made = Run(lesson.lab, lesson.cut_open(lesson.cuts_in(cuts, values)[0]), values)
        if run:
            made.advance(10**6, values, run)
        facts |= made.history.facts
        figures = training.figures(made.history, values)
        parts["figures"] = [
            *parts["figures"],
            *(
                {"id": one.name, "figure": {"data": one.data, "layout": one.layout}}
                for one in figures
                if one.name == step.stage
            ),
        ]
    else:
        assert not run, "there is nothing to train"
    return wire.encode(parts), facts


def views(lesson: Lesson, step: Step) -> set[str]:
    values = lesson.validate(lesson.spelled(step.lab))
    figures = lesson.lab.figures(lesson.compute(values), values)
    if training := lesson.lab.training:
        figures += training.figures(Run(lesson.lab, lesson.program, values).history, values)
    return {"table", *(["graph"] if lesson.lab.start else []), *(one.name for one in figures)}


@EVERY
def test_each_step_of_the_lab_has_a_stage(lesson):
    for step in lesson.prose.steps:
        assert views(lesson, step) <= VIEWS.keys() | lesson.views.keys(), "label the drawer"
        assert views(lesson, step) <= STAGED, "no step of the course shows this chart"
        if step.question and not step.question.is_of_lab:
            assert not step.stage, f"“{step.title}” shows its own code"
        else:
            assert step.stage in views(lesson, step), f"“{step.title}” needs a stage"


@EVERY
def test_no_step_has_more_than_four_controls_in_reach(lesson):
    known = {one.name for one in lesson.lab.parameters}
    for step in lesson.prose.steps:
        assert step_controls(lesson, step) <= known
        assert len(step_controls(lesson, step)) <= 4, step.title


@EVERY
def test_the_first_touch_changes_what_is_on_the_stage(lesson):
    first = lesson.prose.steps[0]
    assert first.touch, "the first step says what to touch, as `touch: …`"
    before, _ = looked_at(lesson, 1, answered=False)
    after, _ = looked_at(lesson, 1, first.touch, answered=False)
    assert before != after


@EVERY
def test_an_answer_changes_what_is_on_the_stage(lesson):
    for number, step in enumerate(lesson.prose.steps, 1):
        if lesson.lab.training or not (step.question and step.question.is_of_lab):
            continue  # what a training shows comes as it runs
        before, _ = looked_at(lesson, number, answered=False)
        try:
            lesson.case(step.question)
        except InvalidParametersError:
            continue  # the answer is that this case is refused
        after, _ = looked_at(lesson, number, step_case(step))
        assert before != after, f"“{step.title}”: its stage looks the same once it is answered"


@EVERY
def test_a_task_is_done_by_its_solution_and_by_no_near_miss(lesson):
    tasks = [(n, step) for n, step in enumerate(lesson.prose.steps, 1) if step.turn]
    assert tasks, "a lesson has one task at least: **Your turn:**"
    for number, step in tasks:
        assert step.turn.goal.is_reached(looked_at(lesson, number, step.turn.solved)[1])
        for missed in ({}, *step.turn.missed):
            facts = looked_at(lesson, number, {**step_case(step), **missed})[1]
            assert not step.turn.goal.is_reached(facts), f"{missed} is no solution"


def step_case(step):
    """What the lab is set to when the task is read: what the answer to the question revealed."""
    return dict(step.question.reveal) if step.question else {}
