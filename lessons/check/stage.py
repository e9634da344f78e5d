"""Rules for what a step shows of the lab, and for what moves when the learner does as it says."""

import re
from collections.abc import Collection, Hashable, Mapping
from typing import Any

import numpy as np

from lessons.check.numbers import ends
from lessons.check.runs import Problems, Runs
from lessons.check.text import BOLD, try_it_paragraphs
from lessons.contract.covering import covered_figure, covered_table
from lessons.contract.figure import Figure
from lessons.contract.parameters import InvalidParametersError, Parameter
from lessons.contract.result import Facts
from lessons.contract.settings import Settings
from lessons.gradient_tricks.recorder.cutting import Cut
from lessons.gradient_tricks.text import suggestion
from lessons.gradient_tricks.text.words import HEADING, in_language, listed_under
from lessons.kit.formulas.drawing import covered
from lessons.prose.steps import Step

_LONGEST_TITLE = 48
"""Letters of a title on a phone's line, about."""
_NOT_OF_LAB = {"cuts", "at", "run"}
GRADIENTS = frozenset({"trick_gradient", "true_gradient"})


def read(runs: Runs, step: Step, given: Mapping[str, str]) -> tuple[Settings, tuple[Cut, ...], int]:
    """Read a step's settings with others over them: values, cuts, steps to train.

    Raises:
        ValueError: the lab refuses a setting, or has no such edge.
    """
    settings = {"cuts": step.cuts or "", **step.lab, **given}
    steps, cuts = int(settings.pop("run", 0)), settings.pop("cuts")
    settings.pop("at", None)
    if steps and runs.lesson.lab.training is None:
        raise ValueError(f"run={steps} is set, and there is nothing to train")
    values = runs.lesson.validate(settings)
    return values, runs.cuts(cuts, values), steps


def settings(runs: Runs) -> Problems:
    """The lab takes each setting that the text names."""
    for step in runs.lesson.prose.steps:
        reveal = step.question.reveal if step.question else {}
        tasks = (step.turn.solved, *step.turn.missed) if step.turn else ()
        for given in ({}, step.touch, reveal, *step.quiz, *tasks):
            told = {**step.lab, **given}
            try:
                runs.lesson.validate({name: told[name] for name in told.keys() - _NOT_OF_LAB})
            except InvalidParametersError as error:
                for name, why in error.errors.items():
                    yield step, f"`{name}={told.get(name)}`: {why}"


def facts(runs: Runs, step: Step, given: Mapping[str, str]) -> Facts:
    """Compute the facts of a step at these settings, at the end of what they train."""
    return runs.facts(*read(runs, step, given))


def stage(runs: Runs, number: int, given: Mapping[str, str], answered: bool = True) -> Hashable:
    """Draw the stage of a step at these settings: equal only if a learner sees the same.

    Args:
        number: the step's, counted from 1.
        answered: whether the learner has answered all questions, or none.
    """
    lesson, step = runs.lesson, runs.lesson.prose.steps[number - 1]
    answers = [one.name for one in lesson.prose.questions] if answered else []
    free = {name: text for name, text in given.items() if name not in step.held(answers)}
    values, cuts, steps = read(runs, step, free)
    hidden = lesson.prose.hidden(answers, number)
    if step.stage == "graph":
        drawn = runs.graph(values, cuts)
        return _frozen(covered(drawn) if hidden & GRADIENTS else drawn)
    if step.stage == "table":
        table = covered_table(lesson.lab.table(runs.result(values, cuts), values), hidden)
        return table.caption, table.rows
    figures = charts(runs, values, cuts, steps)
    shown = (covered_figure(one, hidden) for one in figures if one.name == step.stage)
    return tuple((one.title, one.caption, _frozen([one.data, one.layout])) for one in shown)


def _frozen(part: Any) -> Hashable:
    """A drawing as a value that equals only the same drawing, NaN for NaN."""
    if isinstance(part, Mapping):
        return tuple((name, _frozen(value)) for name, value in part.items())
    if isinstance(part, (list, tuple)):
        return tuple(map(_frozen, part))
    return (part.shape, part.tobytes()) if isinstance(part, np.ndarray) else repr(part)


def charts(
    runs: Runs, values: Settings, cuts: Collection[Cut] = (), steps: int = 0
) -> list[Figure]:
    """Draw the lab's charts, and those of its training after so many steps."""
    drawn, training = runs.figures(values, cuts), runs.lesson.lab.training
    if training:
        drawn = drawn + training.figures(runs.history(values, cuts, steps), values)
    return drawn


def views(runs: Runs, values: Settings) -> set[str]:
    """Name the parts of the lab that a step can show."""
    graph = ["graph"] if runs.lesson.lab.start else []
    return {"table", *graph, *(one.name for one in charts(runs, values))}


def stages(runs: Runs) -> Problems:
    """Each step of the lab shows a part that the lab has, or code; each own chart has a step."""
    drawn = set[str]()
    for step, values, _ in runs.steps:
        drawn |= views(runs, values)
        if step.question and not step.question.is_of_lab:
            if step.stage:
                yield step, "Its stage is its own code: take out `stage:`."
            elif step.question.of_code and "```python" not in step.text:
                yield step, "It asks about=code, and there is no block of Python."
        elif step.stage not in (known := views(runs, values)):
            yield step, f"`stage: {step.stage}` is none of {sorted(known)}."
    own = listed_under(in_language(runs.lesson.folder), HEADING)
    for name in sorted(drawn - {step.stage for step in runs.lesson.prose.steps}):
        if f"{name}_title" in own:
            mend = f"Show it with `stage: {name}`, or take it out."
            yield None, f"`- {name}_title` is of a chart that no step shows. {mend}"


def titles(runs: Runs) -> Problems:
    """A chart's title, and its subject, fits on a phone's line."""
    long = {}
    for _, values, _ in runs.steps:
        for figure in runs.figures(values):
            for name, text in (("title", figure.title), ("subject", figure.subject)):
                if len(text) > _LONGEST_TITLE:
                    long[f"{figure.name}_{name}"] = text
    for name, text in long.items():
        yield (
            None,
            f"`{name}` has {len(text)} letters, at most {_LONGEST_TITLE}: “{text}”. Shorten it.",
        )


def drags(runs: Runs) -> Problems:
    """Everything that can be dragged in a chart sets a control of the lab."""
    known = {one.name for one in runs.lesson.lab.parameters}
    for figure in (one for _, values, _ in runs.steps for one in charts(runs, values)):
        sets = {name for trace in figure.data for name in trace.get("meta", {}).get("sets", ())}
        for name in sorted(sets - known):
            no_control = f"sets {name!r}, which is no control. {suggestion(name, known)}"
            yield "lesson.py", f"A drag in {figure.name} {no_control}"


def graph(runs: Runs) -> Problems:
    """The graph has the edges that a step cuts, and the backward step that it shows."""
    for step in runs.lesson.prose.steps if runs.lesson.lab.start else ():
        values, cuts, _ = read(runs, step, {})
        if step.graph_step is not None:
            steps = len(runs.graph(values, cuts)["steps"])
            if step.graph_step > steps:
                yield step, f"at={step.graph_step}, and the backward pass has {steps} steps."


def touch(runs: Runs) -> Problems:
    """The first step says what to touch, and the touch changes its stage."""
    first = runs.lesson.prose.steps[0]
    if not first.touch:
        yield first, "The first step says what to touch, as `touch: x=5`."
    elif stage(runs, 1, {}, answered=False) == stage(runs, 1, first.touch, answered=False):
        yield first, f"The touch {dict(first.touch)} leaves the stage as it is."


def answers(runs: Runs) -> Problems:
    """An answer changes what is on the stage."""
    for number, step in enumerate(runs.lesson.prose.steps, 1):
        if runs.lesson.lab.training or not (step.question and step.question.is_of_lab):
            continue  # what a training shows comes as it runs
        try:
            runs.lesson.case(step.question)
        except InvalidParametersError:
            continue  # the answer is that this case is refused
        if stage(runs, number, {}, answered=False) == stage(runs, number, _case(step)):
            yield step, "Its stage looks the same once it is answered. Hide or `reveal:` more."


def _case(step: Step) -> Mapping[str, str]:
    """The settings that the answer to the step's question reveals."""
    return step.question.reveal if step.question else {}


def tasks(runs: Runs) -> Problems:
    """A task is done by its solution, and not before, and by no near miss."""
    steps = [step for step in runs.lesson.prose.steps if step.turn]
    if not steps:
        yield None, "A lesson has one task at least: **Your turn:** …"
    for step in steps:
        assert step.turn
        if not step.turn.goal.is_reached(facts(runs, step, step.turn.solved)):
            yield step, f"`solved: {dict(step.turn.solved)}` doesn't reach the goal."
        for missed in ({}, *step.turn.missed):
            if step.turn.goal.is_reached(facts(runs, step, {**_case(step), **missed})):
                done = (
                    f"`missed: {dict(missed)}` reaches" if missed else "Its settings already reach"
                )
                yield step, f"{done} the goal."


def moves(runs: Runs) -> Problems:
    """What a step asks to move does move something."""
    labels = {one.label: one for one in runs.lesson.lab.parameters}
    for number, step, text in try_it_paragraphs(runs):
        for label in sorted(set(BOLD.findall(text)) & labels.keys()):
            if not control_changes_stage(runs, number, labels[label], text):
                yield step, f"“{label}” moves nothing that the learner sees here."


def control_changes_stage(runs: Runs, number: int, control: Parameter, text: str) -> bool:
    """Whether another value of a control changes a step's stage, or a fact that is no setting."""
    step = runs.lesson.prose.steps[number - 1]
    few = {"seeds": "1", "run": "2"} if runs.lesson.lab.training else {}
    settings = {one.name for one in runs.lesson.lab.parameters}

    def seen(given: Mapping[str, str]) -> Hashable:
        found = facts(runs, step, given)
        told = [(name, repr(found[name])) for name in found if name not in settings]
        return stage(runs, number, given), tuple(told)

    before = seen(few)
    others = [*ends(control, sliders=True), *re.findall("`([^`]+)`", text), "another"]
    for value in others:
        try:
            if seen({**few, control.name: value}) != before:
                return True
        except ValueError:  # the lab refuses this one
            continue
    return False
