"""The curve lab's charts and table."""

from collections.abc import Iterator
from dataclasses import dataclass

from lessons.contract.figure import TALL, Figure, Table
from lessons.contract.result import Result
from lessons.contract.roles import GRADIENTS
from lessons.contract.words import CURVE_WORDS, Words
from lessons.kit.chart_pieces import (
    aligned,
    along_x,
    axes,
    curve,
    fitted,
    gradient_curves,
    limits,
    span,
    spoken,
)
from lessons.kit.components import component_table
from lessons.kit.line_names import NAMES, named
from lessons.kit.titles import gradient_at, value_at
from lessons.text import number

WORDS = Words(__file__)


@dataclass(frozen=True)
class CurveText:
    """The names that a lesson gives its function.

    Args:
        value: the forward value, a word or letter.
        gradient: its derivative, as the axis names it.
        gradient_caption, forward_caption: what to look at in each chart.
        intended: the name at the end of the intended gradient.
        limit: the parameter that bounds the gradient: two lines to drag, if there is one.
    """

    value: str
    gradient: str
    gradient_caption: str
    forward_caption: str
    intended: str = NAMES["intended_gradient"]
    limit: str = ""

    @classmethod
    def of(cls, words: Words, **more: str) -> "CurveText":
        """The texts of ``CURVE_WORDS`` from a lesson's words, and the others as given."""
        return cls(**{name: words(name) for name in CURVE_WORDS} | more)


def curve_figures(result: Result, text: CurveText) -> list[Figure]:
    """The gradient over x in its roles, and the forward value over x."""
    return aligned(_gradients(result, text), _forward(result, text))


def curve_table(result: Result, text: CurveText) -> Table:
    """One row an input: the forward value and each gradient there."""
    labels = {
        "forward": WORDS("forward_value", value=text.value),
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


def _gradients(result: Result, text: CurveText) -> Figure:
    curves = {series.name: series for series in result.curves}
    heights = fitted([curves[n].y for n in GRADIENTS] + [result[n].y for n in GRADIENTS], 1e-3)
    ends = span(curves["forward"])
    layout = axes(ends, heights, "x", text.gradient)
    names = NAMES | {"intended_gradient": text.intended}
    return Figure(
        "gradient",
        gradient_at(text.gradient, _facts(result, "x", *GRADIENTS[:2])),
        WORDS("drag_along", caption=text.gradient_caption),
        gradient_alt(text.gradient, spoken(result, GRADIENTS)),
        [
            *gradient_curves(curves),
            *(along_x(result[name]) for name in GRADIENTS[:2]),
            *([limits(float(result.facts[text.limit]), ends, text.limit)] if text.limit else []),
            *named(((n, names[n], curves[n].y) for n in names), layout, TALL),
        ],
        layout,
        height=TALL,
        selects="point",
        subject=WORDS("gradient_subject", gradient=text.gradient),
    )


def _forward(result: Result, text: CurveText) -> Figure:
    drawn = next(series for series in result.curves if series.name == "forward")
    return Figure(
        "forward",
        value_at(text.value, _facts(result, "x", "forward")),
        text.forward_caption,
        forward_alt(spoken(result, ["forward"])),
        [curve(drawn, exact=True), along_x(result["forward"])],
        axes(span(drawn), fitted([drawn.y]), "x", text.value),
        height=200,
        selects="point",
    )


def _facts(result: Result, *names: str) -> Iterator[float]:
    """Numbers at the learner's point."""
    return (float(result.facts[name]) for name in names)
