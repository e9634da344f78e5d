"""The lab in Dash: `python -m tests.bench.peers.dash_app PORT`."""

import sys

from dash import Dash, Input, Output, dcc, html

from tests.bench.peers import lab


def table(rows):
    head = html.Tr([html.Th(label) for label in rows[0]])
    return html.Table([head, *(html.Tr([html.Td(text) for text in row.values()]) for row in rows)])


figures, rows = lab.compute(lab.SLIDER["value"])
app = Dash(__name__)
app.layout = html.Div(
    [
        dcc.Slider(**lab.SLIDER, marks=None, updatemode="drag", id="noise_high"),
        *(dcc.Graph(figure=figure, id=name) for name, figure in figures.items()),
        html.Div(table(rows), id="table"),
    ],
    style={"width": lab.WIDTH},
)


@app.callback(
    *(Output(name, "figure") for name in figures),
    Output("table", "children"),
    Input("noise_high", "value"),
    prevent_initial_call=True,
)
def draw(value):
    figures, rows = lab.compute(value)
    return *figures.values(), table(rows)


if __name__ == "__main__":
    app.run(port=int(sys.argv[1]))
