"""A quiz has five questions about the trick: the shown code runs, and prints the right answer."""

import ast
import builtins
import random
from types import CodeType

import pytest

from lessons.outputs.catalogue import chapters, find
from lessons.outputs.quiz import LENGTH, _drawn, can_be_asked, quiz
from lessons.tricks import fresh_registry
from tests.support.amount import cases

SEEDS = cases(3, 200)
TRUE = "the true gradient"
LEAST = {"clipping": 3, "gone_missing": 5, "in_the_wild": 3, "reversal": 3}
"""Lessons that a chapter's quiz asks about; 4 of each other chapter."""


def value(text):
    return float(text.replace("−", "-"))


def codes(text):
    """The code object of a program and of all its functions."""
    found = [compile(text, "quiz", "exec")]
    for one in found:  # grows while it runs
        found += [const for const in one.co_consts if isinstance(const, CodeType)]
    return found


def test_an_input_that_is_drawn_ties_with_nothing():
    """Of the router's scores two are whole; a half may be rounded either way."""
    x = next(one for one in find("router").lab.parameters if one.name == "x")
    drawn = {float(_drawn(x, random.Random(seed))) for seed in range(100)}
    assert len(drawn) > 8
    assert not any((2 * one).is_integer() for one in drawn)


@pytest.mark.random
@pytest.mark.parametrize("chapter", chapters(), ids=lambda one: one.slug)
def test_the_shown_code_runs_and_gives_the_answer_that_differs_from_the_true_gradient(chapter):
    askable = [lesson for lesson in chapter.lessons if can_be_asked(lesson.slug)]
    assert len(askable) >= LEAST.get(chapter.slug, 4)
    for seed in range(SEEDS):
        items = quiz(chapter.slug, seed)
        assert len(items) == LENGTH == len({item.code for item in items})
        assert len({item.lesson.slug for item in items}) == min(LENGTH, len(askable))
        for item in items:
            values = [value(text) for text in item.options]
            assert 3 <= len(values) <= 4
            assert values == sorted(set(values))
            (true,) = [text for text, one in item.options.items() if TRUE in one.reply]
            assert true != item.right
            assert item.options[item.right].reply == "That is what torch gives."
            assert item.right in item.why[-1]
            assert "true gradient" in item.why[-1]
            assert item.why[-1].endswith(f" {true}.")
            names = {}
            with fresh_registry():
                exec(item.code, names)
            read = {one.id for one in ast.walk(ast.parse(item.code)) if isinstance(one, ast.Name)}
            local = {
                one for code in codes(item.code) for one in code.co_varnames + code.co_cellvars
            }
            assert read <= names.keys() | local | {*dir(builtins)}
            gradient = eval(item.question.split("`")[1], names).item()
            assert gradient == pytest.approx(value(item.right), rel=2e-3), item.code
    assert items == quiz.__wrapped__(chapter.slug, seed), "the address brings the same numbers"
    assert quiz(chapter.slug, 1) != quiz(chapter.slug, 2)
