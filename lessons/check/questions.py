"""Rules for what a lesson asks: each question has one right answer, and wrong ones that differ."""

import re
from contextlib import suppress
from datetime import date

import numpy as np
import torch

from lessons.check.numbers import at_ends, close
from lessons.check.runs import Problems, Runs
from lessons.check.stage import facts
from lessons.outputs.typed import grade
from lessons.prose.steps import fill

_THREAD = r"https://(github\.com/[\w.-]+/[\w.-]+/issues/\d+|discuss\.pytorch\.org/t/\d+)"
_LEAST_DISTANCE = 0.05
"""How near another answer may not be to the right one, as a share of the larger."""


def options(runs: Runs) -> Problems:
    """The right answer is one of several, which begin with different words."""
    for step, question, result in runs.questions:
        keys = [option.key for option in question.options]
        if (right := runs.right[question.name]) not in keys:
            yield step, f"The right answer is {right!r}, none of {keys}."
        if len(set(keys)) < len(keys):
            yield step, f"Two options have the same key: {keys}."
        openings = {re.split(r"[.:] ", fill(o.text, result.facts))[0] for o in question.options}
        if len(openings) < len(keys):
            yield step, "Two options begin alike. Write different first sentences."


def typed(runs: Runs) -> Problems:
    """A typed number counts as the answer that it equals, and each answer is another number."""
    for step, question, result in runs.questions:
        if question.kind != "number":
            continue
        right = runs.right[question.name]
        for option in question.options:
            text = f"{float(option.value(result.facts)):.5g}"
            if (key := grade(question, right, text, result.facts).key) != option.key:
                yield step, f"{text}, which is {option.key!r}, counts as {key!r}. Change the case."
        for _, moved in at_ends(runs, step.lab):
            for option in question.options:
                fill(f"{option.text} {option.reply}", moved.facts)
            with suppress(ValueError):  # where the right answer is no number, learners read so
                grade(question, right, "1", moved.facts)


def sketches(runs: Runs) -> Problems:
    """Each answer's curve counts as that answer, and only the right one is the computed one."""
    for step, question, result in runs.questions:
        if question.kind != "sketch":
            continue
        sketch, right = runs.lesson.sketch(question), runs.right[question.name]
        expected, computed = sketch.expected, sketch.computed(result)
        if sketch.role not in question.hides:
            yield step, f"The lab shows the curve to draw. Hide {sketch.role!r}."
        if np.abs(expected[right] - computed).max() > sketch.near / 10:
            yield step, f"The curve of {right!r} isn't the computed one."
        for key, curve in expected.items():
            graded = sketch.grade(sketch.write(curve), result)
            if not np.isfinite(curve).all() or graded.key != key:
                yield step, f"The curve of {key!r} counts as {graded.key!r}. Change the case."
            if key != right and graded.hits * 2 > len(sketch.x) + 2:
                at = f"at {graded.hits} of the {len(sketch.x)} x of the sketch in lesson.py"
                yield step, f"The curve of {key!r} counts as right {at}. Choose other x."
        if not sketch.lines:
            yield step, "The sketch has no curve to compare with. Don't hide every gradient."


def quiz(runs: Runs) -> Problems:
    """At each setting of the quiz the same answer is right, no other is near, the task is open."""
    for step, question, _ in runs.questions:
        if step.quiz and (runs.lesson.lab.training or not question.is_of_lab):
            yield step, "No quiz can ask this: the lab doesn't show it at once. Take out `quiz:`."
            continue
        for settings in step.quiz:
            told = " ".join(map("=".join, settings.items()))
            where = f"At `{told}` in the quiz"
            found = runs.result(runs.lesson.validate({**step.lab, **settings}))
            right = runs.lesson.right(question, found)
            if right != (here := runs.right[question.name]):
                yield step, f"{where} {right!r} is right, in the lesson {here!r}."
            texts = [fill(option.text, found.facts) for option in question.options]
            if len({*texts}) < len(texts):
                yield step, f"{where} two answers read the same."
            for one in question.options if question.asks else ():
                fact, value = found.facts[question.asks], one.value(found.facts)
                if one.key != right and close(fact, value, _LEAST_DISTANCE):
                    yield step, f"{where} {one.key!r} is as right as {right!r}."
            given = {**settings, **question.reveal}
            if step.turn and step.turn.goal.is_reached(facts(runs, step, given)):
                yield step, f"{where} the task is done before it begins."
            elif step.turn and not step.turn.goal.is_reached(
                facts(runs, step, {**given, **step.turn.solved})
            ):
                yield step, f"{where} `solved:` doesn't reach the goal."


def bug(runs: Runs) -> Problems:
    """The bug fails its assertion, exactly one fix passes, and the thread is cited."""
    bug = runs.lesson.bug
    if bug is None:
        return
    (question,) = (one for one in runs.lesson.prose.questions if one.kind == "bug")
    if [option.key for option in question.options] != list(bug.fixes):
        order = f"The options need the order of the fixes in bug.py: {[*bug.fixes]}."
        yield runs.lesson.step_of(question), order
    torch.set_warn_always(True)  # else torch warns once in a process
    try:
        broken, *fixes = (bug.failure(code) for code in (bug.broken, *bug.fixes.values()))
    finally:
        torch.set_warn_always(False)
    if not broken:
        yield "bug.py", "The broken code passes its own assertion."
    for said in filter(None, (broken, *fixes)):
        if "Warning" in said or said.startswith(("NameError", "SyntaxError")):
            yield "bug.py", f"It fails for a reason that isn't the bug's: {said}"
    if (passing := fixes.count(None)) != 1:
        fails = zip(bug.fixes, fixes, strict=True)
        said = "; ".join(f"{name}: {why}" if why else f"{name} passes" for name, why in fails)
        yield "bug.py", f"Exactly one fix passes; here {passing} do. {said}"
    if not re.fullmatch(_THREAD, bug.url):
        yield "bug.py", f"{bug.url} is no issue on GitHub and no thread on discuss.pytorch.org."
    if len(bug.title) <= 8:
        yield "bug.py", "The title is that of the thread, as you read it."
    if not date(2005, 1, 1) < date.fromisoformat(bug.opened) < date.today():
        yield "bug.py", f"The thread can't have been opened on {bug.opened}."
