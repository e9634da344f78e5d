"""The noise lab: what chapter 1's lessons let a learner set, and how it is computed."""

import math
from collections.abc import Iterator, Mapping

import numpy as np
import torch

from lessons.chapters.stop_gradient.shared_noise.stats import Spread
from lessons.contract.figure import TALL, Figure, Table
from lessons.contract.lab import Lab, Start
from lessons.contract.parameters import Numbers
from lessons.contract.result import Histogram, Note, Result, Series
from lessons.contract.roles import GRADIENTS, ROLES
from lessons.contract.settings import declared, slider, whole
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.kit.chart_pieces import (
    ABOVE,
    Trace,
    along_x,
    axes,
    band,
    cells,
    curve,
    fitted,
    marked,
    span,
    stepped,
    thin,
    ticks,
    two_rows,
)
from lessons.kit.curve_figures import value_and_gradient
from lessons.kit.experiment import Experiment, Program, Roles
from lessons.kit.gradients import gradient
from lessons.kit.inputs import (
    ComputedIn,
    array,
    grid_around,
    inputs,
    leaf,
    one_for_each,
    place_of,
    point_in_text,
    series_by_role,
)
from lessons.kit.line_names import NAMES, label, named
from lessons.kit.nan_notes import notes_on_not_finite
from lessons.kit.noise import unit_draws
from lessons.kit.noise_bands import NOISY, ends_of, over_draws

WORDS = Words(__file__)

MOST_DRAWS = 500
"""A frame takes 13 ms. With 5,000 draws it takes 80 ms, and a band's edge moves by 0.2 %."""


class Settings(ComputedIn):
    noise_low = slider(0.9, -0.5, 2)
    noise_high = slider(1.1, -0.5, 2)
    x = inputs("-2, -1, 1")
    draws = whole(500, 1, MOST_DRAWS, log=True)
    point = point_in_text(1, advanced=False)
    seed = whole(0, advanced=True)
    u = declared(Numbers("u", "", advanced=True, optional=True))


def noisy(x: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
    """The forward expression without any trick: √(x²·u)."""
    return torch.sqrt(x**2 * u)


def intended(x: torch.Tensor, u: torch.Tensor | None = None) -> torch.Tensor:
    """The gradient that is wanted: that of √(x²), without noise."""
    x = x.detach().requires_grad_()
    return gradient(torch.sqrt(x**2), x)


def noise_at_points(settings: Settings) -> torch.Tensor:
    """This draw of the noise at the learner's x: float64, shape [n]."""
    count = len(settings.x)
    if settings.u is not None:
        return torch.tensor(settings.u, dtype=torch.float64).expand(count)
    return first_draw(settings.seed, count, settings.noise_low, settings.noise_high)


def run(settings: Settings) -> Start:
    """This draw of the noise at the learner's x."""
    x = leaf(settings, "x")
    leaves = {"x": x.requires_grad_(), "u": noise_at_points(settings).to(x)}
    return Start(leaves, index=(place_of(settings),))


EXPERIMENT = Experiment(run, plain=noisy, intended=intended)


def by_role(program: Program, x: torch.Tensor, u: torch.Tensor) -> Roles:
    """The experiment's roles at these x, with this noise, which broadcasts with x."""
    start = Start({"x": x.detach().requires_grad_(), "u": u})
    return EXPERIMENT.by_role(program, start)


def first_draw(seed: int, count: int, low: float, high: float) -> torch.Tensor:
    """The first draw of u ~ U(low, high) for this seed: float64, shape [count]."""
    return low + (high - low) * unit_draws(seed, 0, count)[0]


LOW, HIGH = 0.05, 0.95
"""The shares of the draws below a band's two edges."""
NOISY_ROLES = ("forward", "trick_gradient", "true_gradient")
"""The roles that another draw of the noise would change."""


def check(settings: Settings) -> Mapping[str, str]:
    """Refusals that need more than one value."""
    errors: dict[str, str] = {}
    low, high = settings.noise_low, settings.noise_high
    if low > high:
        errors["noise_low"] = WORDS("noise_ends", low=low, high=high)
    return errors | one_for_each(settings, "u")


def compute(program: Program, settings: Settings) -> Result:
    """Forward values and gradients at the learner's x, and over many draws of the noise.

    Args:
        program: the lesson's forward pass, of x and u.
    """
    start = EXPERIMENT.run(settings)
    x, u = start.leaves["x"].detach(), noise_at_points(settings)
    points = torch.tensor(settings.x, dtype=torch.float64)
    grid = grid_around(points)
    roles = EXPERIMENT.by_role(program, start)

    columns, count = torch.cat([points, grid]).to(x), len(points)
    noise = _noise(settings, count, len(columns))
    found = by_role(program, columns.expand(len(noise), -1), noise.to(x))
    over = {role: array(found[role]) for role in NOISY_ROLES}
    spreads = {role: Spread(draws[:, :count]) for role, draws in over.items()}
    along = {role: Spread(draws[:, count:]) for role, draws in over.items()}

    place = place_of(settings)
    return Result(
        series=(
            Series("u", "noise", array(points), array(u)),
            *series_by_role(array(points), roles),
        ),
        statistics=tuple(_summary(role, spread, points) for role, spread in spreads.items()),
        curves=(
            *(_summary(role, spread, grid) for role, spread in along.items()),
            Series(
                "intended_gradient", "intended_gradient", array(grid), array(intended(grid.to(x)))
            ),
        ),
        histograms=_histograms(spreads, place, float(roles["intended_gradient"][place])),
        facts={"draws": len(noise), **_facts(u, roles, spreads, place, settings)},
        notes=(*notes(points, x, start.leaves["u"], roles, spreads),),
        work=WORDS.counted("draws", len(noise)),
    )


def _noise(settings: Settings, points: int, columns: int) -> torch.Tensor:
    """Noise, one row a draw; points and curves draw from streams of their own.

    Noise given by hand is used as it is: each of its numbers is one draw, for every x alike.
    """
    if settings.u is not None:
        return torch.tensor(settings.u, dtype=torch.float64)[:, None].expand(-1, columns)
    low, span = settings.noise_low, settings.noise_high - settings.noise_low
    streams = (points, columns - points)
    unit = [unit_draws(settings.seed, one, size) for one, size in enumerate(streams)]
    return low + span * torch.cat(unit, 1)[: settings.draws]


def _summary(role: str, spread: Spread, x: torch.Tensor) -> Series:
    percentiles = (spread.percentile(share) for share in (LOW, HIGH))
    return Series(role, role, array(x), spread.mean, *percentiles)


def _histograms(spreads: dict[str, Spread], place: int, intended: float) -> tuple[Histogram, ...]:
    """The gradient's distribution at one input, with the trick and without, on the same bins."""
    shown = {role: spreads[role] for role in ("trick_gradient", "true_gradient")}
    ends = [end for spread in shown.values() for end in spread.extent(place)] + [intended]
    finite = [end for end in ends if np.isfinite(end)]
    if not finite:
        return ()
    low, high = min(finite), max(finite)
    room = 0.05 * (high - low) or 0.05 * max(abs(high), 1.0)
    # Outward to round numbers, so that the axis stands still while the learner drags.
    step = 10.0 ** math.floor(math.log10(high - low + 2 * room)) / 2
    low, high = math.floor((low - room) / step) * step, math.ceil((high + room) / step) * step
    edges = np.linspace(low, high, 41)
    return tuple(
        Histogram(
            role,
            role,
            edges,
            spread.histogram(place, edges),
            float(spread.mean[place]),
            float(spread.deviation[place]),
        )
        for role, spread in shown.items()
    )


def _facts(
    u: torch.Tensor, roles: Roles, spreads: dict[str, Spread], place: int, settings: Settings
) -> dict[str, float]:
    """The facts for the prose and the predictions, at the input the learner chose."""
    facts: dict[str, float] = {
        "u": float(u[place]),
        "root_slope": float(1 / (2 * roles["forward"][place])),
        "square_slope": 2 * settings.x[place],
        "reciprocal": float(1 / roles["true_gradient"][place]),
        "product": float(roles["trick_gradient"][place]) * float(roles["true_gradient"][place]),
    }
    for role, spread in spreads.items():
        facts |= {
            f"{role}_mean": float(spread.mean[place]),
            f"{role}_deviation": float(spread.deviation[place]),
            f"{role}_p05": float(spread.percentile(LOW)[place]),
            f"{role}_p95": float(spread.percentile(HIGH)[place]),
        }
    return facts


def sampled_noise(settings: Settings) -> dict[str, list[float]]:
    """The noise of this draw at each of the learner's x, as in_torch.py has it."""
    return {"u": noise_at_points(settings).tolist()}


def notes(
    given: torch.Tensor,
    x: torch.Tensor,
    u: torch.Tensor,
    roles: Roles,
    spreads: dict[str, Spread],
) -> Iterator[Note]:
    """One note for each cause found at the learner's x, then what the bands leave out.

    Args:
        given: x as the learner wrote it, float64, shape [n].
        x, u: the same and the noise, as computed with.
        roles: values by role at x.
        spreads: over the draws, at x.
    """
    y = x**2
    causes = [
        (y.isinf(), WORDS("square_too_large")),
        (x == 0, WORDS("slope_at_0")),
        ((y == 0) & (x != 0), WORDS("square_too_small")),
        (u < 0, WORDS("negative")),
        (u == 0, WORDS("zero")),
    ]
    yield from notes_on_not_finite("x", given, roles, causes)
    for role in ("forward", "trick_gradient"):
        spread = spreads[role]
        left_out = spread.not_finite
        if bool((left_out > 0).any()):
            worst = int(left_out.argmax())
            # The value of a finite x² is not finite where its noise is negative, and only there.
            negative = role == "forward" and bool(y[worst].isfinite())
            where = {
                "x": number(float(given[worst])),
                "some": int(left_out[worst]),
                "all": spread.draws,
            }
            if role != "forward":
                yield Note("warning", WORDS("gradient_lost", **where))
            elif negative:
                yield Note("warning", WORDS("negative_lost", **where))
            else:
                yield Note("warning", WORDS("value_lost", **where))


def table(result: Result, settings: Settings) -> Table:
    """One row an input: this draw's numbers, then the trick gradient over all draws."""
    over = {series.name: series for series in result.statistics}["trick_gradient"]
    roles = ("u", "forward", *GRADIENTS)
    labels = {"u": WORDS("noise_u"), "forward": WORDS("forward_z")} | NAMES
    columns: list[tuple[str, str | None]] = [("x", None)]
    columns += [(labels[name], result[name].role) for name in roles]
    columns += [(what, "trick_gradient") for what in (WORDS("mean"), "5 – 95 %")]
    rows = []
    for index, x in enumerate(result["forward"].x):
        row = [number(float(x)), *cells(result, roles, index, 5)]
        mean, low, high = (number(float(one[index]), 5) for one in _spread(over))
        row += [mean, f"{low} … {high}"]
        rows.append(tuple(row))
    caption = WORDS("table")
    return Table(caption, tuple(columns), tuple(rows))


def _curves(result: Result, settings: Settings) -> Figure:
    curves = {series.name: series for series in result.curves}
    forward, titles = curves["forward"], ("z", "dz/dx")
    gradients = {name: curves[name] for name in GRADIENTS}
    heights = fitted(ends_of({"forward": forward})), fitted(ends_of(gradients), least=1.0)
    layout = two_rows(span(forward), *heights, titles)
    names = ((role, name, curves[role].y) for role, name in NAMES.items())
    value = [band(forward), curve(forward), along_x(result["forward"])]
    data = [
        *over_draws(gradients),
        ticks(gradients["intended_gradient"]),
        *named(names, layout, TALL),
        *(along_x(result[name]) for name in reversed(NOISY)),
        *(trace | {"yaxis": ABOVE} for trace in value),
    ]
    return value_and_gradient(result, data, layout, titles, WORDS("curves_caption"))


def _histogram(result: Result, settings: Settings) -> Figure:
    """The gradient of each draw at the chosen x, and the intended gradient there."""
    x = number(result.number("x"))
    if not result.histograms:
        layout = axes((-1.0, 1.0), (0.0, 1.0), "dz/dx", WORDS("draws_axis"))
        found, subject = WORDS("finite_in_none", x=x), WORDS("histogram_subject", x=x)
        return Figure("histogram", found, "", f"{found}.", [], layout, subject=subject)
    ends = result.histograms[0].edges
    wanted = ROLES["intended_gradient"]
    target = float(result["intended_gradient"].y[place_of(settings)])
    summaries = [
        WORDS(
            "draws_of",
            name=ROLES[bars.role].label,
            mean=number(bars.mean, 4),
            spread=number(bars.spread, 3),
        )
        for bars in result.histograms
    ]
    layout = axes((float(ends[0]), float(ends[-1])), (-1.3, 1.3), "dz/dx", WORDS("draws_axis"))
    marked(layout["yaxis"], [])
    return WORDS.chart(
        "histogram",
        [
            *(_bars(bars) for bars in result.histograms),
            thin([target, target], [-1.3, 1.3], wanted.label)
            | {"line": {"color": f"role:{wanted.name}", "dash": wanted.dash, "width": 2}},
            *(
                label(name, NAMES[name], float(ends[0]), y)
                for name, y in zip(NOISY, (1.15, -1.15), strict=True)
            ),
        ],
        layout,
        x=x,
        draws="; ".join(summaries),
        mean=number(result.number("trick_gradient_mean"), 3),
        target=number(target, 3),
    )


def _bars(bars: Histogram) -> Trace:
    """The histogram of a role.

    Of two with the same draws one would hide the other: the true gradient's hangs downward. Each
    has a scale of its own: beside a single peak the other would be flat, and tell a covered peak.
    """
    share = bars.counts / max(float(bars.counts.max()), 1.0)
    up = 1.0 if bars.role == "trick_gradient" else -1.0
    return stepped(bars.edges, up * share, 0.0, bars.role, ROLES[bars.role].label)


def _spread(series: Series) -> tuple[np.ndarray, ...]:
    low, high = series.low, series.high
    if low is None or high is None:
        raise ValueError(f"series {series.name} has no band")
    return series.y, low, high


LAB = Lab(
    WORDS,
    Settings,
    compute,
    table,
    (_curves, _histogram),
    check=check,
    start=EXPERIMENT.run,
    sampled_values=sampled_noise,
)
