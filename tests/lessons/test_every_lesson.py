"""What holds for every lesson there is: the rules of ``python -m lessons check``, and some more.

A lesson is one test: all of its rules read what was computed once.
"""

import re
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from lessons.check import check, numbers, stage, torch_file
from lessons.check.runs import Problems, Runs
from lessons.contract.bug import changed
from lessons.contract.covering import covered_figure
from lessons.contract.lesson import Lesson
from lessons.outputs.catalogue import lessons
from pages.labs.words import VIEWS
from tests.lessons.test_chart_room import names_meet
from tests.pages import a_bug
from tests.support.amount import LONG, cases
from tests.support.course import with_each_choice
from tests.support.themed import themed

GRADIENTS = frozenset({"trick_gradient", "true_gradient"})


@pytest.mark.random
@pytest.mark.parametrize("slug", [one.slug for one in lessons()])
def test_a_lesson_breaks_no_rule(slug: str) -> None:
    found = check(slug, LONG, plotly, names_apart, drawers, random_settings)
    assert not found, "\n".join(map(str, found))


def plotly(runs: Runs) -> Problems:
    """Plotly's validators accept each chart, in both themes, covered or not; of charts that differ
    in numbers alone they see one.
    """
    seen = set()
    for values, _ in numbers.at_ends(runs):
        for whole in runs.figures(values):
            for hidden in (frozenset(), GRADIENTS):
                figure = covered_figure(whole, hidden)
                known = shape(figure.data), shape(figure.layout)
                for theme in () if known in seen else ("light", "dark"):
                    drawn = themed(figure, theme)
                    if (by_theme := shape(drawn)) not in seen:
                        go.Figure(drawn)
                        seen.add(by_theme)
                    if re.search("role:|ink:", repr(by_theme)):
                        yield None, f"{figure.name} has a colour that no theme resolves."
                seen.add(known)
                visible = [trace for trace in figure.data if trace.get("visible", True)]
                colours = {str(trace.get("line", {}).get("color", "")) for trace in visible}
                if colours & {f"role:{name}" for name in hidden}:
                    yield None, f"{figure.name} draws a hidden role."


def shape(part: Any) -> object:
    """All that Plotly's validators look at, but not which numbers."""
    if isinstance(part, dict):
        return tuple((name, shape(value)) for name, value in part.items())
    if isinstance(part, np.ndarray):
        return part.dtype.kind, part.ndim
    if isinstance(part, (list, tuple)):
        plain = all(isinstance(one, (int, float)) for one in part)
        return (len(part) > 0, "numbers") if plain else tuple(map(shape, part))
    if isinstance(part, str):
        return re.sub(r"\d+", "0", part)
    return type(part) if isinstance(part, (int, float)) else part


def names_apart(runs: Runs) -> Problems:
    """Names below an axis stand apart on a phone."""
    for step, values, _ in runs.steps:
        for figure in filter(names_meet, runs.figures(values)):
            yield step, f"Names below {figure.name} meet on a phone."


def drawers(runs: Runs) -> Problems:
    """Each part of the lab has a label for its drawer."""
    for step, values, _ in runs.steps:
        for name in stage.views(runs, values) - VIEWS.keys() - runs.lesson.views.keys():
            yield step, f"Label the drawer of {name!r}."


def random_settings(runs: Runs) -> Problems:
    """The file in plain torch prints the lesson's numbers at settings that nobody chose."""
    few = {"seeds": "1"} if runs.lesson.lab.training else {}
    settings = list(with_each_choice(runs.lesson, **few))
    return torch_file.printed_alike(runs, settings[: cases(2, 99)])


def test_a_fix_changes_what_is_there() -> None:
    with pytest.raises(ValueError, match="no line of broken has 'y'"):
        changed(a_bug.broken, {"y": "x"})


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_a_question_still_to_come_covers_nothing_that_an_answered_one_has_shown(
    lesson: Lesson,
) -> None:
    """What one question hides shows when it is answered, but for a later question's own step."""
    for at, step in enumerate(lesson.prose.steps, 1):
        answered = [q.name for q in lesson.prose.questions]
        answered = answered[: answered.index(step.question.name) + 1] if step.question else []
        shown = set(step.question.hides) if step.question else set()
        assert not shown & lesson.prose.hidden(answered, at)
