"""Two gradients of one expectation: through the sample, and by the sample's log-probability."""

import inspect
import math
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import torch

from lessons.contract.devices import device_and_dtype
from lessons.contract.figure import SHORT, TALL, Figure, Table
from lessons.contract.lab import Lab, Start
from lessons.contract.lesson import Lesson
from lessons.contract.result import Array, Histogram, Result, Series
from lessons.contract.roles import ROLES
from lessons.contract.settings import choice, slider, whole
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.gradient_tricks.tricks import stop_gradient
from lessons.kit.chart_pieces import (
    Trace,
    axes,
    curve,
    dragged,
    fitted,
    mark,
    marked,
    scatter,
    stepped,
    thin,
)
from lessons.kit.components import component_table
from lessons.kit.gradients import gradient
from lessons.kit.inputs import ComputedIn, array
from lessons.kit.line_names import label, named
from lessons.kit.titles import brief

WORDS = Words(__file__)


def two_estimators(
    mu: torch.Tensor, eps: torch.Tensor, sigma: float, estimator: str, baseline: float
) -> torch.Tensor:
    x = mu + sigma * eps
    if estimator == "path":
        return (x - 3) ** 2
    x = stop_gradient(x)
    cost = stop_gradient((x - 3) ** 2)
    logp = -0.5 * ((x - mu) / sigma) ** 2
    return (cost - baseline) * logp


def with_a_baseline(result: Result) -> str:
    """Grade what the mean cost as a baseline changes: the mean, the variance, or nothing."""
    mean, before, after, exact = result.numbers(
        "baseline_expected", "score_variance", "baseline_variance", "exact"
    )
    if abs(mean - exact) > 1e-6 * abs(exact):
        return "moves"
    return "calmer" if after < 0.99 * before else "nothing"


Program = Callable[..., torch.Tensor]
"""From mu and eps, shape [n], sigma, estimator and baseline: what each draw adds, shape [n]."""

MOST_DRAWS = 100_000

TARGET = 3.0
"""The sample whose cost is 0, as in the program."""

_NODES = 12
"""Nodes of the quadrature: exact up to degree 23. The square of a score's gradient has 6."""


class Moments(NamedTuple):
    """The mean and the variance of one draw's gradient."""

    mean: float
    variance: float


@lru_cache(maxsize=4)
def normal_draws(seed: int) -> torch.Tensor:
    """Standard normal numbers, float64, shape [MOST_DRAWS]; fewer draws are the first of them."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(MOST_DRAWS, dtype=torch.float64, generator=generator)


def each_draw(
    program: Program,
    eps: torch.Tensor,
    mu: float,
    sigma: float,
    estimator: str,
    baseline: float | torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Each draw's part of the loss, and its gradient with respect to mu; shaped like eps."""
    means = torch.full_like(eps, mu).requires_grad_()
    added = program(means, eps, sigma, estimator, baseline)
    return added.detach(), gradient(added, means)


def moments(program: Program, mu: float, sigma: float, estimator: str, baseline: float) -> Moments:
    """Exact up to rounding: the gradients of all of these estimators are polynomials of eps."""
    eps, share = _quadrature()
    _, slopes = each_draw(program, torch.from_numpy(eps), mu, sigma, estimator, baseline)
    found = array(slopes)
    mean = float(share @ found)
    return Moments(mean, float(share @ (found - mean) ** 2))


def over_baselines(program: Program, mu: float, sigma: float, baselines: Array) -> Array:
    """The variance of the score function's gradient at each baseline, shape [b]."""
    eps, share = _quadrature()
    count = len(baselines)
    _, slopes = each_draw(
        program,
        torch.from_numpy(np.tile(eps, count)),
        mu,
        sigma,
        "score",
        torch.from_numpy(np.repeat(baselines, len(eps))),
    )
    found = array(slopes).reshape(count, len(eps))
    means = found @ share
    spread: Array = (found - means[:, None]) ** 2 @ share
    return spread


def expected_cost(mu: float, sigma: float, power: int = 0) -> float:
    """The mean of the cost times eps to this power."""
    eps, share = _quadrature()
    return float(share @ ((mu + sigma * eps - TARGET) ** 2 * eps**power))


def of_a_pair(program: Program, mu: float, sigma: float) -> float:
    """The mean gradient of two draws whose baseline is the mean of their own two costs."""
    eps, share = _quadrature()
    one, other = (torch.from_numpy(part.ravel()) for part in np.meshgrid(eps, eps))
    both = np.outer(share, share).ravel()
    costs = [(mu + sigma * part - TARGET) ** 2 for part in (one, other)]
    baseline = (costs[0] + costs[1]) / 2
    slopes = [each_draw(program, part, mu, sigma, "score", baseline)[1] for part in (one, other)]
    return float(both @ array(slopes[0] + slopes[1])) / 2


@lru_cache(maxsize=1)
def _quadrature() -> tuple[Array, Array]:
    """Nodes and weights for the mean over a standard normal variable."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    return nodes, weights / weights.sum()


BINS = 80
"""Bins of each histogram."""

REACH = 2.6
"""The histograms' reach on both sides, in standard deviations of the widest estimator."""

AS_GOOD_AS = 100
"""Draws of the path estimator that the prose compares with."""


class Settings(ComputedIn):
    estimator = choice("path", "score", default="score")
    baseline = slider(0, 0, 14, 0.1, accepts=(-1e6, 1e6))
    draws = whole(1000, 1, MOST_DRAWS, log=True)
    mu = slider(1, -2, 5, 0.1, accepts=(-100, 100))
    sigma = slider(1, 0.2, 2, 0.1, accepts=(0.01, 100))
    seed = whole(1, advanced=True)


_OTHER_ESTIMATORS = {"intended_gradient": ("path", 0.0), "noise": ("score", 0.0)}
"""The estimators to draw next to the chosen one: name and baseline."""


def compute(program: Program, settings: Settings) -> Result:
    """Every estimator on the same draws; exact moments; the variance over the baseline."""
    device, dtype = device_and_dtype(settings)
    mu, sigma, count = settings.mu, settings.sigma, settings.draws
    eps = normal_draws(settings.seed)[:count].to(device, dtype)
    chosen = {"trick_gradient": (settings.estimator, settings.baseline), **_OTHER_ESTIMATORS}
    added, drawn, exact = {}, {}, {}
    for role, (estimator, baseline) in chosen.items():
        added[role], slopes = each_draw(program, eps, mu, sigma, estimator, baseline)
        drawn[role] = array(slopes)
        exact[role] = moments(program, mu, sigma, estimator, baseline)
    truth = 2 * (mu - TARGET)
    first, own = np.arange(1.0, min(count, FIRST) + 1), inspect.unwrap(program)
    trick = exact["trick_gradient"]
    return Result(
        series=(
            Series("forward", "forward", first, array(added["trick_gradient"])[: len(first)]),
            *(Series(role, role, first, slopes[: len(first)]) for role, slopes in drawn.items()),
            Series("true_gradient", "true_gradient", first, np.full_like(first, truth)),
        ),
        curves=tuple(_variances(program, mu, sigma, settings.baseline, exact)),
        histograms=tuple(_histograms(drawn, exact, truth)),
        facts={
            "exact": truth,
            "cost": expected_cost(mu, sigma),
            "trick_expected": trick.mean,
            "trick_variance": trick.variance,
            "path_variance": exact["intended_gradient"].variance,
            "score_variance": exact["noise"].variance,
            # A cut in the graph changes none of these.
            **_best(own, mu, sigma),
        },
        more_facts=[lambda: _compared(own, mu, sigma)],
        planes={"samples": array(mu + sigma * eps[: len(first)])},
        work=WORDS.counted("draws", count),
    )


def start(settings: Settings) -> Start:
    """The run whose graph is drawn: the first draws, each with a mean of its own."""
    device, dtype = device_and_dtype(settings)
    eps = torch.tensor(drawn_eps(settings), dtype=torch.float64).to(device, dtype)
    mu = torch.full_like(eps, settings.mu).requires_grad_()
    arguments = {name: settings[name] for name in ("sigma", "estimator", "baseline")}
    return Start({"mu": mu, "eps": eps}, arguments, (0,))


def drawn_eps(settings: Settings) -> list[float]:
    """The first draws, for the table, the graph and the file to take home."""
    found: list[float] = normal_draws(settings.seed)[: min(settings.draws, FIRST)].tolist()
    return found


def _variances(
    program: Program, mu: float, sigma: float, baseline: float, exact: Mapping[str, Moments]
) -> Iterator[Series]:
    """The variance of the score function over the baseline, and that of the path estimator."""
    best = expected_cost(mu, sigma, 2)
    ends = min(0.0, baseline), max(2 * best, baseline)
    baselines = np.linspace(*ends, 61)
    yield Series(
        "variance_score", "noise", baselines, over_baselines(program, mu, sigma, baselines)
    )
    level = np.full_like(baselines, exact["intended_gradient"].variance)
    yield Series("variance_path", "intended_gradient", baselines, level)


def _histograms(
    drawn: Mapping[str, Array], exact: Mapping[str, Moments], truth: float
) -> Iterator[Histogram]:
    widest = max(math.sqrt(one.variance) for one in exact.values())
    edges = truth + np.linspace(-REACH, REACH, BINS + 1) * (widest or 1.0)
    for role in ("intended_gradient", "noise", "trick_gradient"):
        counts = np.histogram(drawn[role], edges)[0].astype(np.float64)
        spread = math.sqrt(exact[role].variance)
        yield Histogram(role, role, edges, counts, float(drawn[role].mean()), spread)


def _best(program: Program, mu: float, sigma: float) -> Mapping[str, float]:
    """The best baseline, and the variance with it."""
    best = expected_cost(mu, sigma, 2)
    variance = moments(program, mu, sigma, "score", best).variance
    return {"best_baseline": best, "best_variance": variance}


def _compared(program: Program, mu: float, sigma: float) -> Mapping[str, float | int]:
    """Compute the facts that compare the two estimators' variances.

    ``baseline_…``: the score function with the mean cost as its baseline. ``needed``: so many of
    its draws without a baseline have the variance of ``as_good_as`` draws of the path estimator.
    ``pair_…``: the mean gradient of two draws, and the numbers to choose from.
    """
    cost = expected_cost(mu, sigma)
    with_baseline = moments(program, mu, sigma, "score", cost)
    score, path = (moments(program, mu, sigma, name, 0.0).variance for name in ("score", "path"))
    truth = 2 * (mu - TARGET)
    return {
        "baseline_expected": with_baseline.mean,
        "baseline_variance": with_baseline.variance,
        "moved": truth - cost,
        "as_good_as": AS_GOOD_AS,
        "needed": AS_GOOD_AS * score / path if path else math.nan,
        "pair_expected": of_a_pair(program, mu, sigma),
        "pair_half": truth / 2,
        "pair_whole": truth,
    }


FIRST = 5
"""Draws that the table lists."""

NAMES = {
    "intended_gradient": WORDS("path"),
    "noise": WORDS("score"),
    "trick_gradient": WORDS("yours"),
    "true_gradient": WORDS("exact"),
}

ROWS = {"intended_gradient": 2, "noise": 1, "trick_gradient": 0}
"""The row of each estimator's histogram, counted from the bottom."""


def table(result: Result, settings: Settings) -> Table:
    """The first draws: what each adds to the loss, and its gradient by every estimator."""
    samples = [number(float(x), 5) for x in result.planes["samples"]]
    labels = {"forward": WORDS("adds"), **NAMES}
    return component_table(result, labels, samples, WORDS("table"), WORDS("sample"))


def _draws(result: Result, settings: Settings) -> Figure:
    """A histogram of each estimator's gradients, and the exact gradient."""
    bars = {one.role: one for one in result.histograms}
    edges = bars["trick_gradient"].edges
    layout = axes((float(edges[0]), float(edges[-1])), (-0.12, 3.0), WORDS("gradient_axis"), "")
    marked(layout["yaxis"], [])
    layout["yaxis"]["zeroline"] = False
    layout["margin"] = layout["margin"] | {"l": 12, "r": 130}
    words = "; ".join(
        WORDS("draws_of", name=NAMES[role], mean=number(one.mean, 4), spread=number(one.spread, 4))
        for role, one in bars.items()
    )
    end, exact = float(edges[-1]), result.number("exact")
    mean, variance = result.numbers("trick_expected", "trick_variance")
    return WORDS.chart(
        "draws",
        [
            *map(_area, bars.values()),
            thin([exact, exact], [-0.12, 3.0], NAMES["true_gradient"])
            | {"line": {"color": "role:true_gradient", "dash": "dot", "width": 2}},
            *(
                label(role, _with_variance(bars[role]), end, row + 0.3)
                for role, row in ROWS.items()
            ),
        ],
        layout,
        TALL,
        mean=brief(mean, math.sqrt(variance) + abs(exact)),
        variance=brief(variance),
        exact=number(exact, 4),
        draws=words,
    )


def _with_variance(bars: Histogram) -> str:
    """The name of a row and the exact variance of one draw."""
    return f"{NAMES[bars.role]}: {brief(bars.spread**2)}"


def _area(bars: Histogram) -> Trace:
    """One row: a stepped area over its own ground line."""
    share = 0.75 * bars.counts / (float(bars.counts.max()) or 1.0)
    return stepped(bars.edges, share, ROWS[bars.role] + 0.08, bars.role, NAMES[bars.role])


def _variance(result: Result, settings: Settings) -> Figure:
    """The variance of one draw's gradient over the baseline, with the learner's own."""
    over = {one.name: one for one in result.curves if one.name.startswith("variance_")}
    score, path = over["variance_score"], over["variance_path"]
    own, baseline = result.numbers("trick_variance", "baseline")
    edge = 0.04 * float(score.x[-1] - score.x[0])
    layout = axes(
        (float(score.x[0]) - edge, float(score.x[-1]) + edge),
        fitted([score.y, path.y, np.array([own])]),
        WORDS("baseline"),
        WORDS("variance_axis"),
    )
    best, least = map(brief, result.numbers("best_baseline", "best_variance"))
    marker = scatter("markers", np.array([baseline]), np.array([own]), NAMES["trick_gradient"]) | {
        "marker": mark(ROLES["trick_gradient"]) | {"size": 12},
        "hovertemplate": WORDS("variance_hover"),
    }
    ends = (
        ("noise", WORDS("score_any_b"), score.y),
        ("intended_gradient", NAMES["intended_gradient"], path.y),
    )
    return WORDS.chart(
        "variance",
        [
            curve(score),
            curve(path),
            dragged(marker, "points", baseline="x"),
            *named(ends, layout, SHORT),
        ],
        layout,
        best=best,
        least=least,
        own=brief(own),
        path=brief(result.number("path_variance")),
    )


LESSON = Lesson(
    program=two_estimators,
    lab=Lab(
        WORDS,
        Settings,
        compute,
        table,
        (_draws, _variance),
        start=start,
        sampled_values=lambda settings: {"eps": drawn_eps(settings)},
        direct_labels=True,
    ),
    predictions={"baseline": with_a_baseline},
    highlight="x = stop_gradient(x)",
)
