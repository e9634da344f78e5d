"""The lab or the bench in Dash: `python -m tests.bench.peers.dash_app PORT lab|bench`."""

import sys

from dash import Dash, Input, Output, dcc, html

from tests.bench.peers import lab


def table(rows: list[dict[str, str]]) -> html.Table:
    head = html.Tr([html.Th(label) for label in rows[0]])
    return html.Table([head, *(html.Tr([html.Td(text) for text in row.values()]) for row in rows)])


IS_BENCH = sys.argv[2] == "bench"
compute, slider = (lab.bench, lab.BENCH_SLIDER) if IS_BENCH else (lab.compute, lab.SLIDER)
half = {"display": "inline-block", "width": "50%"} if IS_BENCH else {}
figures, rows = compute(slider["value"])
app = Dash(__name__)
app.layout = html.Div(
    [
        dcc.Slider(**slider, marks=None, updatemode="drag", id="slider"),
        *(dcc.Graph(figure=figure, id=name, style=half) for name, figure in figures.items()),
        html.Div(table(rows), id="table"),
    ],
    style={"width": lab.WIDTH * (1 + IS_BENCH)},
)


@app.callback(  # type: ignore[untyped-decorator] # Dash is not installed here
    *(Output(name, "figure") for name in figures),
    Output("table", "children"),
    Input("slider", "value"),
    prevent_initial_call=True,
)
def draw(value: float) -> tuple[object, ...]:
    figures, rows = compute(value)
    return *figures.values(), table(rows)


if __name__ == "__main__":
    app.run(port=int(sys.argv[1]))
