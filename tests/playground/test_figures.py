"""The playground's charts and table: valid for Plotly, and what they show is the run's own."""

import random
from collections.abc import Iterator

import plotly.graph_objects as go
import pytest

from lessons.contract.figure import Figure, Table
from lessons.kit.noise_bands import NOISY
from lessons.kit.titles import WORDS as KIT
from lessons.playground.document.as_text import from_text
from lessons.playground.document.contents import Document, Input
from lessons.playground.document.presets import presets
from lessons.playground.running.outcome import run
from lessons.playground.running.outcome_charts import figures, table
from tests.lessons.titles import read_back, reads
from tests.playground.programs import ran, valid
from tests.playground.said import said
from tests.support.folded import folded
from tests.support.themed import themed


def documents() -> Iterator[Document]:
    yield from (one.document for one in presets())
    yield from (valid(random.Random(seed), tricks=True) for seed in range(20))


def shown(text: str) -> tuple[list[Figure], Table]:
    document = from_text(text)
    outcome = run(document)
    return figures(outcome, document), table({"": outcome})


@folded("document", documents())
def test_figures_are_valid_plotly_in_both_themes(document: Document) -> None:
    outcome = ran(document)
    for figure in figures(outcome, document):
        for theme in ("light", "dark"):
            go.Figure(themed(figure, theme))
        assert figure.alt.endswith(".")
    made = table({"": outcome})
    assert {len(row) for row in made.rows} == {len(made.columns)}


def test_the_table_has_each_entry_and_each_name() -> None:
    _, made = shown("x = input([[1, 2], [3, 4]])\nu = input(5)\ny = x * u\nz = sum(y)\n")
    rows = {row[0]: row[1:] for row in made.rows}
    assert rows["x₁,₂"] == ("2", "5", "5")
    assert rows["u"] == ("5", "10", "10")
    assert rows["y"] == ("5, 10, 15, 20", "", "")
    assert rows["z"] == ("50", "", "")


def test_a_long_input_is_counted_not_listed() -> None:
    _, made = shown(f"x = input({[*range(200)]})\ny = x * 2\n")
    assert len(made.rows) < 60
    assert any(said("more_of", "x") == row[0] for row in made.rows)


def test_a_pole_does_not_flatten_the_rest_of_the_curve() -> None:
    (_, gradient), _ = shown("x = input(1)\ny = 1 / x**4\n")
    low, high = gradient.layout["yaxis"]["range"]
    assert -low == high < 1e5


@pytest.mark.parametrize(
    ("program", "points"),
    [("y = x**2", 3), ("y = softmax(x)", 1), ("y = sum(x)", 1), ("y = x * [1, 2, 3]", 1),
     ("y = sqrt(x)", 3), ("y = 1 / x", 3), ("y = sign(x)", 3)],
)  # fmt: skip
def test_points_are_shown_where_they_lie_on_the_curve(program: str, points: int) -> None:
    drawn, _ = shown(f"x = input([-1, 0, 2])\n{program}\n")
    for figure in drawn:
        for trace in figure.data:
            if trace["mode"] == "markers":
                assert len(trace["x"]) == points


SECOND = from_text("x = input([1, 2, 3])\ny = x**3\nshow(y, x, entry=2)\n")


@folded("document", [SECOND, *documents()])
def test_titles_tell_the_numbers_at_the_entry_that_moves(document: Document) -> None:
    outcome = ran(document)
    place = document.entry - 1
    y = {one.name: float(one.y[place]) for one in outcome.series}
    value, gradient = figures(outcome, document)
    told = read_back(KIT, "gradient_at", gradient.title)
    assert reads(told["at"], outcome.series[0].x[place])
    for name, (role, other) in {"came": NOISY, "true": NOISY[::-1]}.items():
        assert reads(told[name], y[role], size=abs(y[other]))
    if "forward" in y:
        assert reads(read_back(KIT, "value_at", value.title)["y"], y["forward"])


def test_one_number_of_any_shape_is_drawn_at_a_number_without_a_shape() -> None:
    outcome = run(Document((Input("x", 2.0),), "y = x * [3]"))
    assert [float(one.y[0]) for one in outcome.series if one.role == "forward"] == [6.0]
