"""The curve lab's charts and table."""

from lessons.contract.figure import TALL, Figure, Table
from lessons.contract.result import Result
from lessons.contract.roles import GRADIENTS
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.kit.chart_pieces import (
    ABOVE,
    Trace,
    along_x,
    curve,
    fitted,
    gradient_curves,
    limits,
    span,
    spoken,
    two_rows,
)
from lessons.kit.components import component_table
from lessons.kit.line_names import NAMES, named
from lessons.kit.titles import value_and_gradient_at, value_at

WORDS = Words(__file__)


def curve_figure(
    result: Result,
    words: Words,
    intended: str = NAMES["intended_gradient"],
    limit: str = "",
    titles: tuple[str, str] = ("", ""),
) -> Figure:
    """The forward value and the gradient in its roles, in two rows over the same x.

    Args:
        words: the lesson's texts, with all of ``CURVE_WORDS``.
        intended: the label of the intended gradient's line.
        limit: the setting that bounds the gradient: two lines to drag, if there is one.
        titles: of the two rows; if empty, the lesson's texts `value` and `gradient`.
    """
    titles = titles if any(titles) else (words("value"), words("gradient"))
    curves = {series.name: series for series in result.curves}
    heights = fitted([curves[n].y for n in GRADIENTS] + [result[n].y for n in GRADIENTS], 1e-3)
    forward = curves["forward"]
    ends = span(forward)
    layout = two_rows(ends, fitted([forward.y]), heights, titles)
    names = NAMES | {"intended_gradient": intended}
    data = [
        *gradient_curves(curves),
        *(along_x(result[name]) for name in GRADIENTS[:2]),
        *([limits(result.number(limit), ends, limit)] if limit else []),
        *named(((n, names[n], curves[n].y) for n in names), layout, TALL),
        curve(forward, exact=True) | {"yaxis": ABOVE},
        along_x(result["forward"]) | {"yaxis": ABOVE},
    ]
    caption = WORDS("drag_along", caption=words("caption"))
    return value_and_gradient(result, data, layout, titles, caption)


def value_and_gradient(
    result: Result,
    data: list[Trace],
    layout: Trace,
    names: tuple[str, str],
    caption: str,
) -> Figure:
    """The chart named ``curves``: a row with the value above a row with its gradient.

    Args:
        data, layout: as Plotly takes them.
        names: of the value and of the gradient.
        caption: what to look at.
    """
    value, gradient = names
    at, y, *gradients = result.numbers("x", "forward", *GRADIENTS[:2])
    has_intended = "intended_gradient" in result.facts
    intended = result.number("intended_gradient") if has_intended else None
    told = (
        forward_alt(spoken(result, ["forward"])),
        gradient_alt(gradient, spoken(result, GRADIENTS)),
    )
    return Figure(
        "curves",
        value_and_gradient_at(value, gradient, (at, y, *gradients), intended),
        caption,
        " ".join(told),
        data,
        layout,
        height=TALL,
        selects="point",
        subject=value_at(value, (at, y)),
    )


def curve_table(result: Result, value: str) -> Table:
    """One row an input: the forward value and each gradient there."""
    labels = {
        "forward": WORDS("forward_value", value=value),
        "trick_gradient": WORDS("autograd"),
    }
    labels |= {"true_gradient": WORDS("true"), "intended_gradient": WORDS("intended")}
    inputs = [number(float(x)) for x in result["forward"].x]
    return component_table(result, labels, inputs, WORDS("curve_table"), "x", digits=6)


def gradient_alt(gradient: str, numbers: str, called: str = "x") -> str:
    """What a screen reader says of a chart of gradients."""
    return WORDS("gradient_alt", gradient=gradient, called=called, numbers=numbers)


def forward_alt(numbers: str, called: str = "x") -> str:
    """What a screen reader says of a chart of the forward value."""
    return WORDS("forward_alt", called=called, numbers=numbers)
