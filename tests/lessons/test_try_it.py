"""Each step has a thing to move, watch or decide: a question, or a **Try it:** that can be done.

test_every_lesson.py checks that the paragraph is there. Here: it tells one to do something, what it
names is there to be used, and what it says to move does move something from where the step has set
the lab.
"""

import re
from dataclasses import replace

import pytest

from lessons.contract.parameters import Choice, Integer, Number, Numbers, Text
from lessons.outputs.catalogue import find
from pages.ui.page import WORDS
from tests.lessons.test_every_lesson import LESSONS, TRY
from tests.lessons.test_stage import looked_at

TOLD = re.compile(
    r"\b(add|change|choose|compare|cut|drag|enter|find|go through|lift|look|lower|mend|move|press"
    r"|put|raise|read|run|set|step|switch|train|type|watch|write)\b",
    re.IGNORECASE,
)
"""What a learner can be told to do."""
BOLD = re.compile(r"\*\*(.+?)\*\*")
GRAPH = re.compile(r"\b(graph|scissors|edges?|[Ss]tep (?:on|through|back|backward))\b")
BESIDES = {WORDS("start"), WORDS("more_settings")}
"""What else stands on the page under its own name."""


def tried(lesson):
    """Each paragraph that says what to try, with its step and the number of that."""
    for number, step in enumerate(lesson.prose.steps, 1):
        for text in TRY.findall(step.text) if not step.question else ():
            yield number, step, " ".join(text.split())


def undoable(lesson, step, text):
    """What is wrong with a paragraph, a sentence each."""
    controls = {one.label: one for one in lesson.lab.parameters}
    options = {word for one in controls.values() for word in named(one)}
    if not TOLD.search(text):
        yield "it tells one to do nothing"
    for name in BOLD.findall(text):
        if name not in controls and name not in options | BESIDES:
            yield f"“{name}” is no control and no choice of one"
    for value in re.findall(r"to “(.+?)”", text):
        if value not in options:
            yield f"“{value}” is no choice of any control"
    if "**Start**" in text and lesson.lab.training is None:
        yield "there is nothing to start"
    if GRAPH.search(text) and lesson.lab.start is None:
        yield "there is no graph"
    for label in BOLD.findall(text):
        if isinstance(controls.get(label), Choice) and f"**{label}** is set to" not in text:
            own = dict(controls[label].options)
            said = {key for key, word in own.items() if names_it(text, word) or names_it(text, key)}
            if said == {step.lab.get(controls[label].name, controls[label].default)}:
                yield f"“{label}” is already at what it says"


def named(parameter):
    """The words of a control's choices."""
    options = parameter.options if isinstance(parameter, Choice) else ()
    return {word for option in options for word in option}


def names_it(text, word):
    return any(f"{a}{word}{b}" in text for a, b in (("**", "**"), ("“", "”"), ("`", "`")))


def other_values(parameter, text, now):
    """Where a control can be moved to, without a look at what it does."""
    match parameter:
        case Choice():
            return [key for key in parameter.names if key != now]
        case Integer():
            near = (parameter.low, parameter.low + 1, min(parameter.high, 9))
            return [str(number) for number in near if str(number) != now]
        case Number():
            return [parameter.format(end) for end in parameter.slider]
        case Numbers():
            return ["0.3, 2", "0.3"]
        case Text():
            return [*re.findall("`([^`]+)`", text), "another"]
    return []


def shown(lesson, number, given):
    """What a step shows at these settings, without the settings; nothing if it refuses them."""
    try:
        stage, facts = looked_at(lesson, number, given)
    except AssertionError:
        return None
    settings = {one.name for one in lesson.lab.parameters}
    return stage, {name: repr(fact) for name, fact in facts.items() if name not in settings}


@LESSONS
def test_what_is_to_be_tried_can_be_done(lesson):
    wrong = [
        f"“{step.title}”: {why}: {text}"
        for _, step, text in tried(lesson)
        for why in undoable(lesson, step, text)
    ]
    assert not wrong, "\n".join(wrong)


@LESSONS
def test_what_is_to_be_moved_moves_something(lesson):
    controls = {one.label: one for one in lesson.lab.parameters}
    few = {"seeds": "1", "run": "2"} if lesson.lab.training else {}
    for number, step, text in tried(lesson):
        for label in sorted(set(BOLD.findall(text)) & controls.keys()):
            control, given = controls[label], {**step.lab, **few}
            before = shown(lesson, number, given)
            values = other_values(control, text, given.get(control.name, control.default))
            moved = (shown(lesson, number, {**given, control.name: value}) for value in values)
            found = any(after not in (before, None) for after in moved)
            assert found, f"“{step.title}”: {label} moves nothing"


@pytest.mark.parametrize(
    ("slug", "text", "why"),
    [
        ("flip", "the chart shows a lot.", "tells one to do nothing"),
        ("flip", "move **Scale μ**.", "no control"),
        ("two_passes", "set **Stopped** to “neither”.", "no choice"),
        ("two_passes", "set **Stopped** to “both”.", "already"),
        ("flip", "press **Start** and wait.", "nothing to start"),
        ("cliff", "cut an edge of the graph.", "no graph"),
    ],
)
def test_a_paragraph_that_cannot_be_done_is_found(slug, text, why):
    lesson = find(slug)
    step = replace(lesson.prose.steps[0], lab={"stopped": "both"} if slug == "two_passes" else {})
    assert any(why in said for said in undoable(lesson, step, text))


def test_a_dead_control_is_found():
    """The second name of one registered rule: how many builders there are changes nothing."""
    lesson = find("builder")
    once = {"way": "once", "builders": "2"}
    assert shown(lesson, 1, once) == shown(lesson, 1, {**once, "builders": "1"})
    assert shown(lesson, 1, once) != shown(lesson, 1, {**once, "way": "rule"})


@pytest.mark.parametrize(
    ("slug", "tried", "meant"),
    [
        ("pick_surrogate", {"f": "relu(x)", "g": "x", "x": "-1, 2"}, [1, 1]),
        ("the_end", {"way": "whole"}, [-4, -2, 2]),
        ("wrong_place", {"u": "4"}, [-0.5, -0.5, 0.5]),
        ("straight_through", {"spelling": "value"}, [1]),
    ],
)
def test_what_is_to_be_tried_at_the_end_can_be_done_after_all_before(slug, tried, meant):
    """The last steps find the lab as those before have left it, with what these said to try."""
    lesson = find(slug)
    *before, last = lesson.prose.steps[:-1]
    given = {}
    for step in before:
        given |= step.lab | (step.question.reveal if step.question else {})
    left = {"u": "-0.3"} if slug == "the_end" else {}
    values = lesson.validate(given | left | last.lab | tried)
    assert lesson.compute(values)["trick_gradient"].y == pytest.approx(meant)
