"""Facts in a lesson's text are marked where their number can follow the lab."""

import re

import pytest

from lessons.contract.parameters import Index
from lessons.contract.prose import fill, quoted
from lessons.outputs.catalogue import lessons
from lessons.training.under_way import Run
from tests.support.folded import folded

TRAINED = [lesson for lesson in lessons() if lesson.lab.training is not None]
VALUE = re.compile(r"\{\{\s*(\w+)\s*(?::([^}]*))?\}\}")


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("at {{ x }}", "at <x:=1.5>"),
        ("at **{{ x:.2f }}**", "at **<x:.2f=1.50>**"),
        ("at {{ low }}", "at <low:=−2>"),
        ("$x = {{ x }}$ and {{ x }}", "$x =$\u00a0<x:=1.5> and <x:=1.5>"),
        ("`{{ x }}` {{ x }}", "`1.5` <x:=1.5>"),
        ("{{ word }}", "<word:=it says so>"),
    ],
)
def test_facts_in_running_text_are_marked(text, marked):
    facts = {"x": 1.5, "low": -2, "word": "it says so"}
    assert fill(text, facts, lambda name, shown: f"<{name}={shown}>") == marked


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("At $x = {{ x:.3g }}$.", "At $x =$_[x:.3g].$".rstrip("$")),
        ("$f({{ x }}, {{ y }})$", "$f($[x]_$,$_[y]$)$"),
        ("$2 \\cdot {{ x }} = {{ y }}$", "$2 \\cdot$_[x]_$=$_[y]"),
        ("$h = {{ x }} \\cdot h_{t-1}$", "$h =$_[x]_$\\cdot h_{t-1}$"),
        ("$e^{ {{ x }} }$ and $-{{ x }}$", None),
        ("$\\frac{1}{ {{ x }} }$ and $2 {{ x }}$", None),
        ("$\\left( {{ x }} \\right)$ and `x = {{ x }}`", None),
        ("$$x = {{ x }}$$", None),
    ],
)
def test_a_number_in_maths_is_marked_where_the_maths_can_be_split(text, shown):
    facts = {"x": 1.0, "y": 2.0}
    marked = fill(text, facts, lambda name, shown: f"[{name.rstrip(':')}]")
    assert marked.replace("\u00a0", "_") == (shown or fill(text, facts))
    assert bool(quoted(text)) == bool(shown)


@folded("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_a_fact_of_a_lists_name_is_the_chosen_entry(lesson):
    """So that it may be set in the text: there is one control that chooses, and its list."""
    values = lesson.validate({})
    chosen = [one for one in lesson.lab.parameters if isinstance(one, Index)]
    assert len({one.of for one in chosen}) == len(chosen)
    facts = lesson.compute(values).facts
    for one in chosen:
        quoting = any(one.of in dict(quoted(step.text)) for step in lesson.prose.steps)
        if quoting:
            assert facts[one.of] == pytest.approx(values[one.of][values[one.name] - 1])


@pytest.mark.parametrize("lesson", TRAINED, ids=lambda lesson: lesson.slug)
def test_no_number_of_a_run_stands_where_it_cannot_be_marked(lesson):
    """In maths, in code, or in an answer to choose, a number would stand still."""
    moving = Run(lesson.lab, lesson.program, lesson.validate({"seeds": "2"})).history.facts
    still = moving.keys() - {"steps"}
    for step in lesson.prose.steps:
        for option in step.question.options if step.question else ():
            assert not still & {name for name, _ in VALUE.findall(option.text)}, option.text
        replies = [option.reply for option in step.question.options] if step.question else []
        for text in (step.text, *replies):
            followed = {name for name, _ in quoted(text)}
            assert still & {name for name, _ in VALUE.findall(text)} <= followed
