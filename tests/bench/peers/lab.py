"""What every peer shows for a value of the slider: the app's own figures and table, as computed
by the app's own lesson.
"""

from typing import Any

import torch

from lessons.bench.comparison import compare
from lessons.bench.figures import figures as of_bench
from lessons.bench.setting import read_setting
from lessons.contract.figure import Figure
from lessons.contract.parameters import Number
from lessons.outputs import catalogue
from tests.support.themed import themed

torch.set_num_threads(1)  # as the app does
WIDTH = 740  # pixels: how wide the app's lab is on the page the benchmark opens
LESSON = catalogue.find("noise_leaks")
_PARAMETER = next(one for one in LESSON.lab.parameters if one.name == "noise_high")
assert isinstance(_PARAMETER, Number)
SLIDER = {
    "min": _PARAMETER.slider[0],
    "max": _PARAMETER.slider[1],
    "step": _PARAMETER.step,
    "value": float(_PARAMETER.default),
}


Shown = tuple[dict[str, dict[str, Any]], list[dict[str, str]]]
"""Figures by name, and the rows of the table."""
BENCH_SLIDER = {"min": -3, "max": 3, "step": 0.05, "value": -2}


def bench(x: float) -> Shown:
    """The bench as it opens, at one x; its sentence as the table."""
    made = compare(read_setting({"in.x.entry": str(x)}, ["in.x.entry"]))
    figures = {one.name.replace(".", "-"): _themed(one, 200) for one in of_bench(made)}
    return figures, [dict(made.sentence)]


def _themed(figure: Figure, height: int) -> dict[str, Any]:
    shown: dict[str, Any] = themed(figure, "light")
    shown["layout"]["height"] = height
    return shown


def compute(noise_high: float) -> Shown:
    """The lesson's lab with this end of the noise."""
    values = LESSON.validate({"noise_high": str(noise_high)})
    result = LESSON.compute(values)
    figures = {one.name: _themed(one, 300) for one in LESSON.lab.figures(result, values)}
    table = LESSON.lab.table(result, values)
    labels = [label for label, _ in table.columns]
    return figures, [dict(zip(labels, row, strict=True)) for row in table.rows]
