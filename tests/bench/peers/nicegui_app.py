"""The lab in NiceGUI: `python -m tests.bench.peers.nicegui_app PORT`."""

import sys

from nicegui import ui

from tests.bench.peers import lab


@ui.page("/")
def page():
    figures, rows = lab.compute(lab.SLIDER["value"])
    with ui.column().style(f"width: {lab.WIDTH}px"):
        slider = ui.slider(**lab.SLIDER).classes("noise_high")
        charts = {name: ui.plotly(figures[name]).classes(f"w-full {name}") for name in figures}
        table = ui.table(rows=rows).classes("w-full table")

    def draw(event):
        figures, rows = lab.compute(event.value)
        for name, figure in figures.items():
            charts[name].update_figure(figure)
        table.rows = rows

    slider.on_value_change(draw)


if __name__ == "__main__":
    ui.run(host="127.0.0.1", port=int(sys.argv[1]), show=False, reload=False)
