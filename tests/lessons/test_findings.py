"""What a chart's title says is true of the numbers it shows, at whatever setting, and gives no
answer away. Each title is read back as a sentence and held against the result, by sums of our own.
A lesson whose charts say something else has its sentences in said/, a file a lesson.
"""

import importlib
import math
import pkgutil
import random
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from lessons.contract.covering import covered_figure
from lessons.contract.lesson import hidden_roles
from lessons.contract.parameters import Choice, InvalidParametersError, Number, Numbers
from lessons.kit.findings import brief, extent
from lessons.outputs.catalogue import find, lessons
from lessons.training.under_way import Run
from tests.lessons import said
from tests.lessons.titles import ROUNDING, N, Shown, reads, value_of

LESSONS = pytest.mark.parametrize("slug", [one.slug for one in lessons()])
TRAINED = pytest.mark.parametrize("slug", [one.slug for one in lessons() if one.lab.training])
LONGEST = 48
"""Letters of a title on a phone's line, about."""
RANDOM = 6
"""Settings of each lesson that nobody chose."""
OWN = {
    one.name: importlib.import_module(f"{said.__name__}.{one.name}")
    for one in pkgutil.iter_modules(said.__path__)
}


def all_along(s, said):
    return all(reads(said, one, 3, s.size) for one in s.t[np.isfinite(s.t)])


def one_side(s, side):
    return s.zero(s.x < 0 if side == "<" else s.x > 0) and not s.zero(np.ones_like(s.x) > 0)


def multiple(s, said):
    factor = value_of(said)
    there = np.isfinite(s.t) & np.isfinite(s.g)
    return np.allclose(s.t[there], factor * s.g[there], rtol=0.006, atol=1e-5 * s.size)


def reach(s, trick, true):
    there = np.isfinite(s.t) & np.isfinite(s.g)
    for told, y in ((trick, s.t[there]), (true, s.g[there])):
        ends = (y.min(), y.max())
        furthest = max(abs(end) for end in ends) * (1 - ROUNDING)
        if not any(reads(told, end, 2, s.size) for end in ends if abs(end) >= furthest):
            return False
    return True


def gap(s, said):
    there = np.isfinite(s.t) & np.isfinite(s.g)
    return reads(said, np.abs(s.t - s.g)[there].max(), 2, s.size)


def nowhere(s, y):
    return not np.isfinite(y).any()


def monotonic(s, word, start, end):
    _, y, size = s.value
    steps = np.diff(y) * (1 if word == "rises" else -1)
    ends = reads(start, y[0], 3, size) and reads(end, y[-1], 3, size)
    return (steps >= -ROUNDING * size).all() and ends


def smallest(s, value, place):
    x, y, size = s.value
    at = np.flatnonzero(y <= y.min() + ROUNDING * size)
    found = len(at) == 1 and reads(place, x[at[0]], 3, np.abs(x).max())
    return found and reads(value, y.min(), 3, size)


def between(s, low, high):
    _, y, size = s.value
    return reads(low, y.min(), 3, size) and reads(high, y.max(), 3, size)


def few(s, words):
    _, y, size = s.value
    return all(any(reads(one, v, 3, size) for one in words.split(", ")) for v in np.unique(y))


def level(s, value):
    _, y, size = s.value
    return np.ptp(y) <= ROUNDING * size and reads(value, y[-1], 3, size)


def spread(s, said, role="trick_gradient"):
    """Draws of a uniform noise: the band is about three standard deviations wide."""
    mean, width = s.at_point(role)
    told = value_of(said)
    if told == 0:
        return width <= 4 * ROUNDING * max(abs(mean), abs(s.at_point("true_gradient")[0]))
    return s.facts["draws"] < 40 or 1.5 * told <= width <= 5 * told


def finite_in_no_draw(s, x):
    bars = {one.role: one.mean for one in s.result.histograms}
    return reads(x, s.facts["x"]) and not math.isfinite(bars.get("trick_gradient", math.nan))


def draws_mean(s, mean, target):
    place = int(np.flatnonzero(s.result["forward"].x == s.facts["x"])[0])
    wanted = s.result["intended_gradient"].y[place]
    return reads(mean, s.at_point("trick_gradient")[0]) and reads(target, wanted)


def turned(s, value, norm):
    def by(role):
        (x0, y0), (x, y) = s.result["true_gradient"].y, s.result[role].y
        return abs(math.degrees(math.atan2(x0 * y - y0 * x, x0 * x + y0 * y)))

    roles = ("trick_gradient", "intended_gradient")
    return all(
        reads(said, by(role), 3, 10.0) for said, role in zip((value, norm), roles, strict=True)
    )


def turned_most(s, said):
    off = np.radians(s.curves["trick_gradient"].y - s.curves["true_gradient"].y)
    most = np.degrees(np.nanmax(np.abs(np.arctan2(np.sin(off), np.cos(off)))))
    return reads(said, most, 3, 10.0)


def no_direction(s):
    return not np.isfinite(s.curves["trick_gradient"].y).any()


def longest(s, value, norm):
    most = (np.nanmax(s.curves[f"{r}_length"].y) for r in ("trick_gradient", "intended_gradient"))
    return all(reads(said, one) for said, one in zip((value, norm), most, strict=True))


def shares(s, extractor, classifier):
    parts = ((extractor, slice(0, 4)), (classifier, slice(4, 6)))
    factors = [(value_of(said), part) for said, part in parts]
    return all(
        np.allclose(s.t[part], factor * s.g[part], rtol=0.006, atol=1e-5 * s.size)
        for factor, part in factors
    )


def how_many(s, *said):
    """Pairs of how many are finite, and of how many."""
    names = ["forward"] if len(said) == 2 else ["true_gradient", "trick_gradient"]
    y = [s.result[name].y for name in names]
    return [int(one) for one in said] == [
        n for one in y for n in (np.isfinite(one).sum(), len(one))
    ]


def faded(s, most, last, x):
    size = np.abs(s.t)
    ends = (reads(said, one) for said, one in ((most, size.max()), (last, size[-1]), (x, s.x[-1])))
    return all(ends)


def trained(s, first, last):
    return all(reads(said, s.t[at]) for said, at in ((first, 0), (last, -1)))


def used(s, length, limit):
    return reads(length, np.hypot(*s.result["trick_gradient"].y)) and reads(
        limit, s.facts["limit"], 3
    )


def one_step(s, before, after):
    return reads(before, s.facts["loss_now"]) and reads(after, s.facts["loss_after_extractor"])


def changed(s, some, many, wrong="0"):
    trick, true, meant = (s.result[f"{role}_gradient"].y for role in ("trick", "true", "intended"))
    counts = (trick != true).sum(), len(s.x), (trick != meant).sum()
    return (int(some), int(many), int(wrong)) == counts


GRADIENT = {
    r"is 0 all along": lambda s: s.zero(np.ones_like(s.x) > 0),
    rf"is {N} all along": all_along,
    r"is 0 for x ([<>]) 0": one_side,
    r"is the true gradient": lambda s: s.same(s.t, s.g),
    rf"is {N} × the true one": multiple,
    rf"reaches {N}, true {N}": reach,
    rf"differs by up to {N}": gap,
    r"is nowhere finite": lambda s: nowhere(s, s.t),
}
VALUE = {
    rf"is {N} all along": level,
    r"takes only (.+)": few,
    rf"(rises|falls) from {N} to {N}": monotonic,
    rf"is smallest, {N}, at x = {N}": smallest,
    rf"goes from {N} to {N}": between,
    r"is nowhere finite": lambda s: nowhere(s, s.curves["forward"].y),
    rf"is finite at x = {N} alone": lambda s, x: len(s.value[0]) == 1 and reads(x, *s.value[0]),
}
OTHERS = {
    rf"dz/dx: spread {N}": spread,
    rf"dz/dx: spread {N} → {N}": lambda s, a, b: spread(s, a, "true_gradient") and spread(s, b),
    rf"z: spread {N} at x = {N}": lambda s, said, x: (
        reads(x, s.facts["x"]) and spread(s, said, "forward")
    ),
    rf"dz/dx at x = {N} is finite in no draw": finite_in_no_draw,
    rf"dz/dx on average {N}, intended {N}": draws_mean,
    rf"By value turned by {N}°, by norm by {N}°": turned,
    rf"By value turned by up to {N}°": turned_most,
    r"A gradient of 0 has no direction": no_direction,
    rf"Length by value up to {N}, by norm {N}": longest,
    rf"w₁ gets {N} ×, w₂ gets {N} × its gradient": shares,
    rf"Extractor’s step: domain loss {N} → {N}": one_step,
    rf"step\(\) uses length {N}; the limit is {N}": used,
    rf"Loss {N} → {N} with your clip": trained,
    r"Finite: (\d+) of (\d+) before clipping, (\d+) of (\d+) after": how_many,
    r"Finite roots: (\d+) of (\d+)": how_many,
    rf"dL/dx: {N} at most, {N} at x = {N}": faded,
    r"The rule changes (\d+) of (\d+), as intended": changed,
    r"The rule changes (\d+) of (\d+), (\d+) not as intended": changed,
}
SILENT = re.compile(
    r".+, the (gradient|forward value)|dz/dx at x = \S+, draw by draw|The gradient, and what "
    r"clipping leaves of it|How far clipping turns it|Length after clipping|Who gets which gradient"
    r"|Each feature, one step downhill|The gradient that the first step uses|The loss while it "
    r"trains|The gradient, component by component"
    r"|Size of the gradient|"
    r"The gradient at eight relus"
)


def holds(figure, shown, slug=""):
    """Whether a title is true; None where it says nothing of the numbers."""
    title = figure.title
    own = OWN.get(slug)
    if SILENT.fullmatch(title) or title in getattr(own, "SILENT", ()):
        return None
    for pattern, check in {**OTHERS, **getattr(own, "SAYS", {})}.items():
        if found := re.fullmatch(pattern, title):
            return bool(check(shown, *found.groups()))
    about = VALUE if figure.name == "forward" else GRADIENT
    said, _, meant = title.partition(", as") if ", as " in title else title.partition(", not as")
    for pattern, check in about.items():
        if found := re.fullmatch(rf".+? {pattern}", said):
            intended = shown.same(shown.t, shown.d)
            right = not meant or intended == (", not as" not in title)
            return bool(check(shown, *found.groups())) and right
    raise AssertionError(
        f"Nothing here reads “{title}”. Let lessons/kit/findings.py say it, or write the sentence "
        f"and what makes it true into SAYS of tests/lessons/said/{slug or '<slug>'}.py. A title "
        "without numbers belongs into SILENT there. codebook.py in that folder has both."
    )


def some(lesson, luck):
    """A setting that nobody chose, within the sliders' ends."""
    given = {}
    for one in lesson.lab.parameters:
        if isinstance(one, Number):
            low, high = one.slider
            given[one.name] = f"{luck.uniform(low, high):.2g}"
        elif isinstance(one, Numbers) and not one.optional:
            many = luck.randint(1, 5)
            given[one.name] = ", ".join(f"{luck.uniform(-3, 3):.2g}" for _ in range(many))
        elif isinstance(one, Choice) and one.name != "dtype":
            given[one.name] = luck.choice(one.options)[0]
    return given


@cache
def runs(slug):
    """Values and results of a lesson: at its steps, and at settings that nobody chose."""
    lesson, luck = find(slug), random.Random(slug)
    given = [step.lab for step in lesson.prose.steps]
    known = []
    for one in ({}, *given, *(some(lesson, luck) for _ in range(RANDOM))):
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
    return {frozenset(), *(hidden_roles(lesson, (), step) for step in steps)}


@LESSONS
def test_titles_are_true(slug):
    lesson = find(slug)
    said = 0
    for values, result, chosen in runs(slug):
        for hidden in covers(lesson):
            shown = Shown(result, hidden)
            for figure in lesson.figures(result, values, hidden):
                true = holds(figure, shown, slug)
                assert true is not False, f"{lesson.text(values)}: “{figure.title}”"
                said += true is True
                assert not chosen or len(figure.title) <= LONGEST, figure.title
    drawn = lesson.lab.figures(result, values)
    assert said or (lesson.lab.training and not drawn), "no chart says what it shows"


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


def another(result, hidden, slug=""):
    """A result with other numbers in some roles, and in the facts that tell of them."""

    def changed(series):
        if series.role not in hidden:
            return series
        ends = (None if one is None else one * 1.5 + 7 for one in (series.low, series.high))
        return type(series)(series.name, series.role, series.x, series.y * 1.5 + 7, *ends)

    told = {"trick": ("value", "used", "extractor_", "classifier_"), "intended": ("norm",)}
    told = getattr(OWN.get(slug), "TELLS", told)
    words = [word for role in hidden for word in (role, *told.get(role.partition("_")[0], ()))]

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
    others = {"maps", "alike"}  # of their picture, not of the facts
    others |= getattr(OWN.get(slug), "OF_THEIR_PICTURE", set())
    for figure in lesson.lab.training.figures(history, values):
        numbers = re.findall(rf"{N}(%?)", figure.title.replace("layer 1", ""))
        for read, percent in numbers if figure.name not in others else ():
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
    ("slug", "given", "figure", "title"),
    [
        ("flip", {}, "gradient", "dL/dx reaches −22, true 14, as intended"),
        ("moving_target", {"task": "two"}, "gradient", "Gradient is −1.25 × the true one, .+"),
        ("moving_target", {}, "gradient", "Gradient differs by up to 0.77, as intended"),
        ("codebook", {"z1": "0.1", "z2": "0.9"}, "pulls", "z pulled by .+, its code pulled by .+"),
        ("codebook", {"part": "reconstruction", "z1": "1", "z2": "-1"}, "pulls", "z pushed by .+"),
        (
            "wrong_place",
            {"noise_low": "0.25", "noise_high": "0.25"},
            "gradient",
            ".+ 4 × .+, not.+",
        ),
        ("wrong_place", {"noise_low": "0", "noise_high": "0"}, "gradient", ".+ nowhere finite, .+"),
        ("noise_leaks", {"x": "0"}, "histogram", "dz/dx at x = 0 is finite in no draw"),
        ("noise_leaks", {"x": "-0"}, "histogram", "dz/dx at x = 0 is finite in no draw"),
        ("scaled", {"clip": "before"}, "sizes", "All 7 gradients arrive, 0.061 × as long as right"),
        ("second_derivative", {"order": "2"}, "gradient", "d²y/dx² is 100 × .+"),
        ("second_derivative", {"order": "2"}, "forward", "dy/dx is smallest, .+"),
        ("two_passes", {}, "forward", "y rises from .+"),
        ("straight_through", {}, "forward", "The result goes from .+"),
        ("value_or_norm", {"g1": "0", "g2": "0"}, "angle", "A gradient of 0 has no direction"),
    ],
)
def test_a_title_tells_what_is_seen(slug, given, figure, title):
    lesson = find(slug)
    values = lesson.validate(given)
    drawn = lesson.lab.figures(lesson.compute(values), values)
    found = next(one.title for one in drawn if one.name == figure)
    assert re.fullmatch(title, found), found
