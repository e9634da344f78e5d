"""A chart's title quotes the result's own numbers at every setting, and gives no answer away."""

import math
import random
import re
from dataclasses import replace
from functools import cache

import pytest

from lessons.contract.covering import covered_figure
from lessons.contract.figure import Figure
from lessons.contract.lesson import Lesson
from lessons.contract.parameters import InvalidParametersError
from lessons.contract.result import Result, Series
from lessons.contract.settings import Settings
from lessons.kit.titles import WORDS as KIT
from lessons.outputs.catalogue import find, lessons
from lessons.training.under_way import Run
from tests.lessons.titles import N, numbers_of, read_back, reads
from tests.support.amount import cases
from tests.support.course import at_random, numbers
from tests.support.present import present

LESSONS = pytest.mark.parametrize("slug", [one.slug for one in lessons()])
TRAINED = pytest.mark.parametrize("slug", [one.slug for one in lessons() if one.lab.training])
RANDOM = cases(1, 6)
"""Settings of each lesson that nobody chose."""
Tells = dict[str, tuple[str, ...]]
USUAL: Tells = {"trick": ("value", "used", "extractor_", "classifier_"), "intended": ("norm",)}
"""The beginnings of the facts that give a role away."""
TELLS: dict[str, Tells] = {
    "frozen_checkpoint": {"trick": ("with_gradient", "ops", "in_graph"), "intended": ()},
    "one_outlier": {"trick": ("_used", "most")},
    "scaled": {"trick": ("used", "zeros", "infinite"), "intended": ("length_right",)},
    "two_estimators": {},
    "value_one": {},
}
"""The beginnings in a lesson where they are not the usual ones."""
PICTURED = {"maps", "plane"}
"""Charts of trainings whose titles quote the picture, not the facts."""


@cache
def runs(
    slug: str,
) -> list[tuple[Settings, Result]]:
    """Values and results of a lesson: at its steps, and at settings that nobody chose."""
    lesson, luck = find(slug), random.Random(slug)
    given = [step.lab for step in lesson.prose.steps]
    known: list[tuple[Settings, Result]] = []
    for one in ({}, *given, *(at_random(lesson, luck) for _ in range(RANDOM))):
        try:
            values = lesson.validate(one)
        except InvalidParametersError:
            continue
        if not any(values == other for other, _ in known):
            known.append((values, lesson.compute(values)))
    return known


def covers(lesson: Lesson) -> set[frozenset[str]]:
    """The roles that are covered at some step, and none."""
    steps = range(1, len(lesson.prose.steps) + 1)
    return {frozenset(), *(lesson.prose.hidden((), step) for step in steps)}


@LESSONS
def test_a_title_quotes_numbers_of_the_result(slug: str) -> None:
    lesson = find(slug)
    for values, result in runs(slug):
        known = (abs(float(y)) for one in result.series for y in one.y)
        size = max(filter(math.isfinite, known), default=0.0)
        for figure in lesson.lab.figures(result, values):
            said = f"{lesson.text(values)}: “{figure.title}”"
            numbers = numbers_of(result, figure)
            for told in re.findall(N, figure.title):
                assert any(reads(told, one, size=size) for one in numbers), said


@pytest.mark.parametrize(
    ("slug", "given"),
    [("two_passes", {}), ("in_place", {"change": "data"}), ("wrong_place", {}), ("unroll", {})],
)
def test_a_title_tells_both_gradients_at_the_learners_point(
    slug: str, given: dict[str, str]
) -> None:
    lesson = find(slug)
    values = lesson.validate(given)
    result = lesson.compute(values)
    computed = numbers(result.facts)
    charts = {one.name: one.title for one in lesson.lab.figures(result, values)}
    if "curves" in charts:
        told = read_back(KIT, "value_and_gradient_at", charts["curves"]) | {"called": "x"}
        assert reads(told["y"], computed["forward"])
    else:
        told = read_back(KIT, "gradient_at", charts["gradient"])
    facts = (told["called"], "trick_gradient", "true_gradient")
    for name, fact in zip(("at", "came", "true"), facts, strict=True):
        assert reads(told[name], computed[fact]), charts
    assert told["came"] != told["true"]


def test_a_title_tells_the_intended_gradient_where_autograd_is_true_and_not_meant() -> None:
    lesson = find("accumulated")
    values = lesson.validate({"tokens": "2", "x": "-1,0.5,2", "point": "2"})
    result = lesson.compute(values)
    title = next(one.title for one in lesson.lab.figures(result, values) if one.name == "curves")
    assert title.endswith("dL/dx = −0.5, intended 0.5")


@LESSONS
def test_titles_and_words_tell_nothing_of_what_is_covered(slug: str) -> None:
    """They stay the same where what is covered is something else."""
    lesson = find(slug)
    for values, result in runs(slug):
        for hidden in covers(lesson) - {frozenset()}:
            drawn = lesson.figures(result, values, hidden)
            other = lesson.figures(another(result, hidden, slug), values, hidden)
            for one, two in zip(drawn, other, strict=True):
                assert (one.title, one.alt) == (two.title, two.alt)
                assert written(one) == written(two)


def written(figure: Figure) -> list[str]:
    """What stands in a chart to be read."""
    seen = (trace.get("text", ()) for trace in figure.data if trace.get("visible", True))
    return sorted(str(word) for words in seen for word in words)


def another(result: Result, hidden: frozenset[str], slug: str) -> Result:
    """A result with other numbers in some roles, and in the facts that tell of them."""

    def changed(series: Series) -> Series:
        if series.role not in hidden:
            return series
        ends = (None if one is None else one * 1.5 + 7 for one in (series.low, series.high))
        return type(series)(series.name, series.role, series.x, series.y * 1.5 + 7, *ends)

    tells = TELLS.get(slug, USUAL)
    words = [word for role in hidden for word in (role, *tells.get(role.partition("_")[0], ()))]

    def of_these(name: str) -> bool:
        return any(word in name for word in words) and not name.endswith("_limit")  # a setting

    facts = {
        name: value * 1.5 + 7 if isinstance(value, float) and of_these(name) else value
        for name, value in result.facts.items()
    }
    bars = tuple(
        replace(one, counts=one.counts[::-1], mean=one.mean + 7, spread=one.spread + 7)
        if one.role in hidden
        else one
        for one in result.histograms
    )
    return replace(
        result,
        series=tuple(map(changed, result.series)),
        curves=tuple(map(changed, result.curves)),
        statistics=tuple(map(changed, result.statistics)),
        histograms=bars,
        facts=facts,
    )


@TRAINED
def test_titles_of_trainings_tell_the_facts_and_give_way_to_what_is_covered(slug: str) -> None:
    lesson = find(slug)
    values = lesson.validate({"seeds": "2"})
    run = Run(lesson.lab, lesson.program, values)
    run.advance(float("inf"), values, most=3)
    history = run.history
    facts = [value for value in history.facts.values() if isinstance(value, float)]
    for figure in present(lesson.lab.training).figures(history, values):
        numbers = re.findall(rf"{N}(%?)", figure.title.replace("layer 1", ""))
        for read, percent in numbers if figure.name not in PICTURED else ():
            digits = len(read.replace(".", "").lstrip("−0"))
            scaled = [fact * 100 if percent else fact for fact in facts]
            assert any(
                read == f"{one:.{len(read.partition('.')[2])}f}".replace("-", "−")
                or reads(read, one, max(digits, 2), 0.0)
                for one in scaled
                if math.isfinite(one)
            ), f"“{figure.title}” says {read}"
        covered = covered_figure(figure, frozenset({"trick_gradient"}))
        if covered is not figure:
            assert not re.search(r"\d", covered.title), covered.title
