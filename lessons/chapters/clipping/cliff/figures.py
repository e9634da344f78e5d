"""The cliff lab's charts and tables: three paths on the error, and how many descents arrive."""

from collections.abc import Iterator

import numpy as np

from lessons.chapters.clipping.cliff.recurrent import ARMS, COUNT, WHOLE, WINDOWS, Settings, Window
from lessons.contract.figure import Figure, Table
from lessons.contract.history import History
from lessons.contract.result import Array, Result
from lessons.contract.roles import ROLES
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.kit.chart_pieces import Trace, axes, cells, dragged, scatter
from lessons.kit.line_names import names_above
from lessons.training.step_charts import HEIGHT, arms_table, lines_of, of, step_axes, step_chart

WORDS = Words(__file__)

# Each arm's role, and its name; drawn in this order. The roles are those of lesson 1.
LOOKS = {
    "none": ("true_gradient", WORDS("none")),
    "value": ("trick_gradient", WORDS("by_value")),
    "norm": ("intended_gradient", WORDS("by_norm")),
}

START = {"color": "ink:text", "size": 12, "line": {"color": "ink:paper", "width": 2}}
"""The mark where training starts."""

ROLE_OF = {arm: role for arm, (role, _) in LOOKS.items()}

# Strong where the error is small, and the first shades close together: the valley is looked for.
_DEPTHS = [
    [0.0, "role:forward"],
    [0.01, "role:forward/0.75"],
    [0.1, "role:forward/0.45"],
    [0.3, "role:forward/0.2"],
    [1.0, "ink:panel"],
]


def table(result: Result, settings: Settings) -> Table:
    """The gradient at the start by component, then how each path goes."""
    columns = [(WORDS("measure"), None), *((name, role) for role, name in LOOKS.values())]
    rows = [
        (WORDS("first_gradient", name=name), *cells(result, ROLE_OF.values(), index, 4))
        for index, name in enumerate("wb")
    ]
    updates = len(result.planes["errors"]) - 1
    for measure, fact in (
        (WORDS("longest_step"), "longest"),
        (WORDS("leaves_at"), "left_at"),
        (WORDS("error_after", updates=updates), "error"),
    ):
        values_of = (result.number(f"{arm}_{fact}") for arm in LOOKS)
        entries = (
            WORDS("never") if fact == "left_at" and not value else number(value, 4)
            for value in values_of
        )
        rows.append((measure, *entries))
    return Table(WORDS("table"), tuple(columns), tuple(rows))


def stroke(arm: str) -> Trace:
    """The line of a descent."""
    role, _ = LOOKS[arm]
    return {"color": f"role:{role}", "dash": ROLES[role].dash, "width": 2, "simplify": False}


def spanned(window: Window) -> str:
    """The window in words."""
    w_low, w_high, b_low, b_high = (number(end) for ends in window for end in ends)
    return WORDS("window", w_low=w_low, w_high=w_high, b_low=b_low, b_high=b_high)


def in_words(result: Result) -> str:
    """The three paths in words."""
    parts = []
    for arm, (_, name) in LOOKS.items():
        update = result.facts[f"{arm}_left_at"]
        went = WORDS("leaves", update=update) if update else WORDS("stays")
        parts.append(
            WORDS("path", name=name, went=went, error=number(result.number(f"{arm}_error"), 3))
        )
    w, b = (number(float(v), 4) for v in result.planes["places"][0, :, 0])
    return WORDS("paths", w=w, b=b, paths="; ".join(parts))


def seen_from_above(result: Result, settings: Settings) -> Figure:
    window = WINDOWS[settings.window]
    (w_low, w_high), (b_low, b_high) = window
    error = result.planes["error"]
    heat = {
        "type": "heatmap",
        "x0": w_low,
        "dx": (w_high - w_low) / (COUNT - 1),
        "y0": b_low,
        "dy": (b_high - b_low) / (COUNT - 1),
        "z": error,
        "zmin": 0.0,
        "zmax": float(np.nanmax(error)),
        "colorscale": _DEPTHS,
        "showscale": False,
        "hovertemplate": WORDS("map_hover"),
    }
    layout = axes(*window, "w", "b")
    for name in ("xaxis", "yaxis"):
        layout[name] |= {"showgrid": False, "zeroline": False, "nticks": 6}
    names_above(dict(LOOKS.values()), layout)
    arrived = [name for arm, (_, name) in LOOKS.items() if result.facts[f"{arm}_in_valley"]]
    return WORDS.chart(
        "map",
        [dragged(heat, "place", w="x", b="y"), *_lines(result), _mark(result)],
        layout,
        HEIGHT,
        names=", ".join(arrived) or WORDS("no_path"),
        window=spanned(window),
        paths=in_words(result),
    )


def _lines(result: Result) -> Iterator[Trace]:
    """The paths on the map, to the window's edge and a little beyond it."""
    for index, arm in enumerate(ARMS):
        w, b = _shown(result.planes["places"][:, :, index])
        name = LOOKS[arm][1]
        hover = {"hovertemplate": WORDS("path_hover", name=name)}
        yield scatter("lines", w, b, name) | {"line": stroke(arm)} | hover


def _shown(places: Array) -> tuple[Array, Array]:
    """A path as a line: what leaves the window is drawn a window's width beyond it, and no more."""
    ends = np.array(WHOLE)
    size = ends[:, 1] - ends[:, 0]
    finite = np.where(np.isfinite(places), places, 1e9)
    w, b = np.clip(finite, ends[:, 0] - size, ends[:, 1] + size).T
    return w, b


def _mark(result: Result) -> Trace:
    """The mark where training starts."""
    w, b = result.planes["places"][0, :, 0]
    return scatter("markers", [float(w)], [float(b)], WORDS("start")) | {
        "marker": START,
        "hovertemplate": WORDS("start_hover"),
    }


def shares(history: History, settings: Settings) -> Figure:
    """The share that has arrived, with each way of clipping."""
    said = ", ".join(
        f"{name} {of(history.facts, f'{arm}_stayed'):.0%}" for arm, (_, name) in LOOKS.items()
    )
    layout = step_axes(history, (0.0, 1.02), WORDS("share"), WORDS("update"))
    lines = lines_of(LOOKS, "stayed")
    return step_chart(WORDS, "shares", history, lines, layout, shares=said)


def run_table(history: History, settings: Settings) -> Table:
    """Shares of the starts: mean over the seeds, lowest and highest seed."""
    measures = {
        "stayed": WORDS("stayed"),
        "reached": WORDS("reached"),
        "left": WORDS("left"),
    }
    what = WORDS("run_table", done=history.done)
    return arms_table(history, measures, LOOKS, what=what)
