"""Rules for what a lesson computes, at its steps and at the ends of what it accepts."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from lessons.check.runs import Problems, Runs
from lessons.contract.lesson import CutError
from lessons.contract.parameters import (
    Choice,
    Index,
    Integer,
    InvalidParametersError,
    Number,
    Numbers,
    Parameter,
)
from lessons.contract.result import Facts, Result, jsonable
from lessons.contract.settings import Settings
from lessons.gradient_tricks.recorder.torch_private import CountedOps
from lessons.gradient_tricks.text import suggestion
from lessons.gradient_tricks.text.words import ProseError, placeholders
from lessons.prose.steps import Step, fill, quoted

FILE = "numbers.json"
_ROLES = {"forward", "trick_gradient", "true_gradient", "intended_gradient"}
_MOST_OPS = {"critic_leak": 11_000}  # 200 updates, as many as its control allows
"""Torch ops from a move of a control to its numbers; of the other lessons 4,000."""
_NUMBER = re.compile(r"-?(\d[\d.]*(e-?\d+)?|inf|nan)")
_ROUNDING = {"rounded_share": 3.0, "batch_normalised_1": 1e-7}
"""Facts about float32's rounding errors, with how far two processors may differ."""


def texts(step: Step) -> tuple[str, ...]:
    """Every text of a step: its own, the answers to its question, and the reply to each answer."""
    options = step.question.options if step.question else ()
    return (step.text, *(o.text for o in options), *(o.reply for o in options))


def ends(one: Parameter, sliders: bool = False) -> list[str]:
    """Texts for a parameter at the ends of what it accepts, or of its slider, too; its options."""
    match one:
        case Number(low=low, high=high, slider=slider):
            return [one.format(end) for end in {low, high, *(slider if sliders else ())}]
        case Integer(low=low, high=high):
            return [str(low), str(high) if high < 1e5 else "9"]
        case Numbers(optional=False, most=most):
            long = ", ".join(str(i / 8 - 16) for i in range(most))
            return [long, "0", "-1e300, 1e300, 5e-324", "1e308", "-1e308", "1e-320"]
        case Numbers():
            return ["0.3, 2", "0.3"]
        case Choice(names=names):
            return [*names]
    return []


def at_ends(runs: Runs, lab: Mapping[str, str] = {}) -> Iterator[tuple[Settings, Result]]:
    """Compute the lesson at these settings, then with each parameter at its ends."""
    numbers = [one.name for one in runs.lesson.lab.parameters if isinstance(one, Number)]
    yield (values := runs.lesson.validate(lab)), runs.result(values)
    for one in runs.lesson.lab.parameters:
        for end in ends(one, runs.thorough):
            for other in ("", *numbers):
                try:  # another number may forbid this end: then it is moved along
                    values = runs.lesson.validate({**lab, other or one.name: end, one.name: end})
                except InvalidParametersError:
                    continue
                yield values, runs.result(values)
                break


def results(runs: Runs) -> Problems:
    """A number that isn't finite has a note; results are JSON; charts are told in numbers."""
    lesson = runs.lesson
    for values, result in at_ends(runs):
        where = f"At {lesson.changed(values)}"
        shown = (*result.series, *result.statistics)
        if not (all(np.isfinite(one.y).all() for one in shown) or result.notes):
            yield "lesson.py", f"{where} a number isn't finite, and no note says why."
        result.to_json()  # raises an error for a fact that JSON does not have
        if len({*result.facts}) < len(result.facts):
            yield "lesson.py", f"{where} two facts have the same name."
        if missing := sorted(_ROLES - {one.role for one in result.series}):
            yield "lesson.py", f"{where} the result lacks a series in the role {missing[0]!r}."
        elif isinstance(x := values.get("x"), tuple) and result["forward"].x.tolist() != [*x]:
            yield "lesson.py", f"{where} the series 'forward' isn't over the learner's x."
        for figure in runs.figures(values):
            if not re.search(r"\d|∞", figure.alt):
                yield None, f"{where} {figure.name}_alt has no number. Fill one in."
    values = lesson.validate({})
    if lesson.validate(lesson.text(values)) != values:
        yield "lesson.py", "The text of the default values reads back as other values."


def facts(runs: Runs) -> Problems:
    """The facts that a text quotes are computed, and those named like a control have its value."""
    parameters = runs.lesson.lab.parameters
    for step, values, result in runs.steps:
        for wrong in filter(None, (_unfilled(text, result.facts) for text in texts(step))):
            yield step, wrong
        for name in sorted(_named(step) - result.facts.keys()):
            yield step, f"no fact {name!r}. {suggestion(name, result.facts)}"
        marked = {name for name, _ in quoted(step.text)} & result.facts.keys()
        handles = {p.name: values[p.name] for p in parameters if isinstance(p, (Number, Integer))}
        for one in (one for one in parameters if isinstance(one, Index)):
            handles[one.of] = values[one.of][: values[one.name]][-1]
        for name in marked & handles.keys():
            if not close(result.facts[name], handles[name], 1e-6):
                yield step, f"The fact {name!r} is a control's handle; it needs its value."


def _named(step: Step) -> set[str]:
    """The facts that a step's question, verdict and task name."""
    question = step.question
    names = {fact for _, fact, _ in question.computed} if question else set[str]()
    if question and question.asks:
        names |= {question.asks, *(one.fact for one in question.options)}
    if step.turn:
        names |= {name for name, _, _ in step.turn.goal.parts}
    return {name for name in names if not _NUMBER.fullmatch(name)}


def _unfilled(text: str, known: Facts) -> str:
    """Say why a text can't be filled in."""
    try:
        stray = re.search(r"\{\{\W*\w*", fill(text, known))
        return f"This is no placeholder: `{stray[0]}`" if stray else ""
    except ProseError as error:
        return str(error)


def close(one: Any, other: Any, relative: float = 1e-3, absolute: float = 1e-9) -> bool:
    """Whether two facts are the same number but for rounding, or the same text."""
    if isinstance(one, str) or isinstance(other, str):
        return bool(one == other)
    same = math.isclose(one, other, rel_tol=relative, abs_tol=absolute)
    return same or (math.isnan(one) and math.isnan(other))


def quoted_facts(runs: Runs) -> list[dict[str, Any]]:
    """For each step, the facts that its texts quote and the right `answer`, as in numbers.json."""
    found = []
    for step, _, result in runs.steps:
        verdict = step.question.computed if step.question else ()
        names = {fact for _, fact, _ in verdict}.union(*map(placeholders, texts(step)))
        now = {name: jsonable(result.facts[name]) for name in sorted(names)}
        if step.question and step.question.kind != "bug":
            now["answer"] = runs.right[step.question.name]
        found.append(now)
    return found


def read_numbers(runs: Runs) -> list[dict[str, Any]]:
    """Read the lesson's numbers.json; empty if there is none."""
    path = runs.lesson.folder / FILE
    found: list[dict[str, Any]] = json.loads(path.read_text("utf-8")) if path.is_file() else []
    return found


def match_saved(runs: Runs) -> Problems:
    """The numbers that a text quotes, and the right answers, are those in numbers.json."""
    was, now = read_numbers(runs), quoted_facts(runs)
    again = f"python -m lessons keep {runs.lesson.slug}"
    if [one.keys() for one in was] != [one.keys() for one in now]:
        yield None, f"The steps quote other facts than {FILE} keeps. Run `{again}`."
        return
    for step, old, new in zip(runs.lesson.prose.steps, was, now, strict=True):
        for name, value in new.items():
            if not close(old[name], value, absolute=_ROUNDING.get(name, 1e-9)):
                yield step, f"{name!r} was {old[name]}, is {value}. If it should, run `{again}`."


def cuts(runs: Runs) -> Problems:
    """Whichever edge a learner cuts, values stay, and each step's text can be filled in."""
    lesson = runs.lesson
    places = {repr(values): values for _, values, _ in runs.steps} if runs.thorough else {}
    for values in (lesson.validate({}), *places.values()):
        plain = runs.result(values)["forward"].y.tolist()
        for edge in sorted(runs.edges(values)):
            try:
                result = runs.result(values, [edge])
            except CutError:
                if "autograd.grad" not in lesson.source:
                    zeros = "Take lessons.kit.gradients.gradient, which returns zeros."
                    yield "lesson.py", f"With {edge} cut a fact has no gradient to read. {zeros}"
                continue
            if result["forward"].y.tolist() != plain:
                yield "lesson.py", f"A cut at {edge} changes the value, not only the gradient."
            for step in lesson.prose.steps:
                if any(_unfilled(text, result.facts) for text in texts(step)):
                    yield step, f"With {edge} cut a fact is gone that this step quotes."


def ops(runs: Runs) -> Problems:
    """A move of a control takes few ops: what depends on no setting is computed once."""
    lesson = runs.lesson
    most = _MOST_OPS.get(lesson.slug, 4000)
    for given in {repr(step.lab): step.lab for step in lesson.prose.steps}.values():
        values = lesson.lab.preview(lesson.validate(given))
        dict(lesson.compute(values).facts)  # so that what is computed once has been
        with CountedOps() as counted:  # type: ignore[no-untyped-call]
            dict(lesson.compute(values).facts)
        if counted.count > most:
            once = "Put what depends on no setting into the lesson's facts."
            yield "lesson.py", f"At {given} it takes {counted.count} ops, at most {most}. {once}"
