"""The lab in Dash: `python -m tests.bench.peers.dash_app PORT`."""

import sys

from dash import Dash, Input, Output, dcc, html

from tests.bench.peers import lab

figures, rows = lab.compute(lab.SLIDER["value"])
app = Dash(__name__)
app.layout = html.Div(
    [
        dcc.Slider(**lab.SLIDER, marks=None, updatemode="drag", id="noise_high"),
        *(dcc.Graph(figure=figure, id=name) for name, figure in figures.items()),
        html.Div(id="table"),
    ]
)


def table(rows):
    head = html.Tr([html.Th(name) for name in rows[0]])
    return html.Table([head, *(html.Tr([html.Td(n) for n in row.values()]) for row in rows)])


@app.callback(
    *(Output(name, "figure") for name in figures),
    Output("table", "children"),
    Input("noise_high", "value"),
)
def draw(value):
    figures, rows = lab.compute(value)
    return *figures.values(), table(rows)


if __name__ == "__main__":
    app.run(port=int(sys.argv[1]))
