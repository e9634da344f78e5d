"""What a chart's title says is true of the numbers it shows, at whatever setting, and gives no
answer away. A title of the kit's is read back and held against the result, by sums of our own; each
number in any other title is one that the result has.
"""

import math
import random
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from lessons.contract.covering import covered_figure
from lessons.contract.parameters import InvalidParametersError
from lessons.kit.findings import WORDS as KIT
from lessons.kit.findings import brief, extent
from lessons.outputs.catalogue import find, lessons
from lessons.training.under_way import Run
from tests.lessons.titles import ROUNDING, N, Shown, pattern, read_back, reads, value_of
from tests.support.course import at_random

LESSONS = pytest.mark.parametrize("slug", [one.slug for one in lessons()])
TRAINED = pytest.mark.parametrize("slug", [one.slug for one in lessons() if one.lab.training])
LONGEST = 48
"""Letters of a title on a phone's line, about."""
RANDOM = 6
"""Settings of each lesson that nobody chose."""
TELLS = {
    "frozen_checkpoint": {"trick": ("with_gradient", "ops", "in_graph"), "intended": ()},
    "one_outlier": {"trick": ("_used", "most")},
    "scaled": {"trick": ("used", "zeros", "infinite"), "intended": ("length_right",)},
    "two_estimators": {},
    "value_one": {},
}
"""The beginnings of the facts that give a role away, if they are not the usual ones."""
PICTURED = {"maps", "plane"}
"""Charts of trainings whose titles quote the picture, not the facts."""


def all_along(s, value):
    return all(reads(value, one, 3, s.size) for one in s.t[np.isfinite(s.t)])


def zero_on_one_side(s, where):
    return s.zero(where) and not s.zero(np.ones_like(s.x) > 0)


def multiple(s, factor):
    factor = value_of(factor)
    there = np.isfinite(s.t) & np.isfinite(s.g)
    return np.allclose(s.t[there], factor * s.g[there], rtol=0.006, atol=1e-5 * s.size)


def reach(s, here, true):
    there = np.isfinite(s.t) & np.isfinite(s.g)
    for told, y in ((here, s.t[there]), (true, s.g[there])):
        ends = (y.min(), y.max())
        furthest = max(abs(end) for end in ends) * (1 - ROUNDING)
        if not any(reads(told, end, 2, s.size) for end in ends if abs(end) >= furthest):
            return False
    return True


def gap(s, gap):
    there = np.isfinite(s.t) & np.isfinite(s.g)
    return reads(gap, np.abs(s.t - s.g)[there].max(), 2, s.size)


def nowhere(y):
    return not np.isfinite(y).any()


def monotonic(s, way, first, last):
    _, y, size = s.value
    steps = np.diff(y) * way
    ends = reads(first, y[0], 3, size) and reads(last, y[-1], 3, size)
    return (steps >= -ROUNDING * size).all() and ends


def smallest(s, value, called, x):
    place, y, size = s.value
    at = np.flatnonzero(y <= y.min() + ROUNDING * size)
    found = len(at) == 1 and reads(x, place[at[0]], 3, np.abs(place).max())
    return found and reads(value, y.min(), 3, size)


def between(s, low, high):
    _, y, size = s.value
    return reads(low, y.min(), 3, size) and reads(high, y.max(), 3, size)


def few(s, values):
    _, y, size = s.value
    return all(any(reads(one, v, 3, size) for one in values.split(", ")) for v in np.unique(y))


def level(s, value):
    _, y, size = s.value
    return np.ptp(y) <= ROUNDING * size and reads(value, y[-1], 3, size)


GRADIENT = {
    "zero": lambda s: s.zero(np.ones_like(s.x) > 0),
    "level": all_along,
    "zero_below": lambda s, called: zero_on_one_side(s, s.x < 0),
    "zero_above": lambda s, called: zero_on_one_side(s, s.x > 0),
    "is_true": lambda s: s.same(s.t, s.g),
    "times": multiple,
    "reaches": reach,
    "differs": gap,
    "nowhere": lambda s: nowhere(s.t),
}
VALUE = {
    "level": level,
    "takes_only": few,
    "rises": lambda s, first, last: monotonic(s, 1, first, last),
    "falls": lambda s, first, last: monotonic(s, -1, first, last),
    "smallest": smallest,
    "goes": between,
    "nowhere": lambda s: nowhere(s.curves["forward"].y),
    "one_place": lambda s, x, value: len(s.value[0]) == 1 and reads(value, *s.value[0]),
}


def told(figure):
    """Read one of the kit's titles: its name, the values in it, and whether it says “as intended”.

    The name is empty for any other title.
    """
    title, meant = figure.title, None
    for name, right in (("as_intended", True), ("not_as_intended", False)):
        if found := read_back(KIT, name, title):
            title, meant = found["found"], right
    for name in VALUE if figure.name == "forward" else GRADIENT:
        filled = read_back(KIT, "found", title, finding=pattern(KIT, name))
        if filled is not None:
            return name, {key: value for key, value in filled.items() if key != "subject"}, meant
    return "", {}, None


def holds(figure, shown):
    """Whether a title is true; None where it says nothing of the numbers."""
    name, filled, meant = told(figure)
    if name:
        check = (VALUE if figure.name == "forward" else GRADIENT)[name]
        return bool(check(shown, **filled)) and meant in (None, shown.same(shown.t, shown.d))
    quoted = re.findall(N, figure.title)
    return all(map(shown.knows, quoted)) if quoted else None


@cache
def runs(slug):
    """Values and results of a lesson: at its steps, and at settings that nobody chose."""
    lesson, luck = find(slug), random.Random(slug)
    given = [step.lab for step in lesson.prose.steps]
    known = []
    for one in ({}, *given, *(at_random(lesson, luck) for _ in range(RANDOM))):
        try:
            values = lesson.validate(one)
        except InvalidParametersError:
            continue
        if not any(values == other for other, *_ in known):
            known.append((values, lesson.compute(values), one in given))
    return known


def covers(lesson):
    """The roles that are covered at some step, and none."""
    steps = range(1, len(lesson.prose.steps) + 1)
    return {frozenset(), *(lesson.prose.hidden((), step) for step in steps)}


@LESSONS
def test_titles_are_true(slug):
    lesson = find(slug)
    said = 0
    for values, result, chosen in runs(slug):
        for hidden in covers(lesson):
            shown = Shown(result, hidden)
            for figure in lesson.figures(result, values, hidden):
                true = holds(figure, shown)
                assert true is not False, f"{lesson.text(values)}: “{figure.title}”"
                said += true is True
                short = f"“{figure.title}” is too long: write it shorter, or choose other numbers"
                assert not chosen or len(figure.title) <= LONGEST, short
    drawn = lesson.lab.figures(result, values)
    assert said or not drawn, "no chart says what it shows"


@LESSONS
def test_titles_and_words_tell_nothing_of_what_is_covered(slug):
    """They stay the same where what is covered is something else."""
    lesson = find(slug)
    for values, result, _ in runs(slug):
        for hidden in covers(lesson) - {frozenset()}:
            drawn = lesson.figures(result, values, hidden)
            other = lesson.figures(another(result, hidden, slug), values, hidden)
            for one, two in zip(drawn, other, strict=True):
                assert (one.title, one.alt) == (two.title, two.alt)
                assert written(one) == written(two)


def written(figure):
    """What stands in a chart to be read."""
    seen = (trace.get("text", ()) for trace in figure.data if trace.get("visible", True))
    return sorted(str(word) for words in seen for word in words)


def another(result, hidden, slug):
    """A result with other numbers in some roles, and in the facts that tell of them."""

    def changed(series):
        if series.role not in hidden:
            return series
        ends = (None if one is None else one * 1.5 + 7 for one in (series.low, series.high))
        return type(series)(series.name, series.role, series.x, series.y * 1.5 + 7, *ends)

    tells = {"trick": ("value", "used", "extractor_", "classifier_"), "intended": ("norm",)}
    tells = TELLS.get(slug, tells)
    words = [word for role in hidden for word in (role, *tells.get(role.partition("_")[0], ()))]

    def of_these(name):
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
def test_titles_of_trainings_tell_the_facts_and_give_way_to_what_is_covered(slug):
    lesson = find(slug)
    values = lesson.validate({"seeds": "2"})
    run = Run(lesson.lab, lesson.program, values)
    run.advance(float("inf"), values, most=3)
    history = run.history
    facts = [value for value in history.facts.values() if isinstance(value, float)]
    for figure in lesson.lab.training.figures(history, values):
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


def test_numbers_that_reach_past_the_largest_float_are_no_constant():
    assert extent(np.array([-1.5e308, 0.0, 1.5e308])) == math.inf
    assert extent(np.array([2.0, 5.0])) == 3


def test_a_number_of_a_title_is_written_out_below_a_million():
    written = [brief(374.6, digits=2), brief(-999.996), brief(99.7, digits=2), brief(0.061, 0, 2)]
    assert written == ["375", "−1,000", "100", "0.061"]


@pytest.mark.parametrize(
    ("slug", "given", "figure", "name", "filled"),
    [
        ("flip", {}, "gradient", "reaches", {"here": "−22", "true": "14"}),
        ("codebook", {"z1": "0.1", "z2": "0.9"}, "pulls", "pulls_title", {}),
        (
            "wrong_place",
            {"noise_low": "0.25", "noise_high": "0.25"},
            "gradient",
            "times",
            {"factor": "4"},
        ),
        ("wrong_place", {"noise_low": "0", "noise_high": "0"}, "gradient", "nowhere", {}),
        ("noise_leaks", {"x": "0"}, "histogram", "finite_in_none", {"x": "0"}),
        ("noise_leaks", {"x": "-0"}, "histogram", "finite_in_none", {"x": "0"}),
        ("scaled", {"clip": "before"}, "sizes", "all_arrive", {"all": "7", "share": "0.061"}),
        ("second_derivative", {"order": "2"}, "gradient", "times", {"factor": "100"}),
        ("second_derivative", {"order": "2"}, "forward", "smallest", {}),
        ("two_passes", {}, "forward", "rises", {}),
        ("straight_through", {}, "forward", "goes", {}),
        ("value_or_norm", {"g1": "0", "g2": "0"}, "angle", "no_direction", {}),
    ],
)
def test_a_title_tells_what_is_seen(slug, given, figure, name, filled):
    lesson = find(slug)
    values = lesson.validate(given)
    drawn = lesson.lab.figures(lesson.compute(values), values)
    chart = next(one for one in drawn if one.name == figure)
    found, said, _ = told(chart)
    if not found:  # a text of the lesson's own
        found, said = name, read_back(lesson.lab.words, name, chart.title)
    assert found == name
    assert said is not None
    assert filled.items() <= said.items()
