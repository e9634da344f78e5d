"""What every peer shows for a value of the slider: the app's own figures and table, as computed
by the app's own lesson.
"""

from typing import Any

import torch

from lessons.outputs import catalogue
from tests.support.themed import themed

torch.set_num_threads(1)  # as the app does
WIDTH = 740  # pixels: how wide the app's lab is on the page the benchmark opens
LESSON = catalogue.find("noise_leaks")
_PARAMETER = next(one for one in LESSON.lab.parameters if one.name == "noise_high")
SLIDER = {
    "min": _PARAMETER.slider[0],
    "max": _PARAMETER.slider[1],
    "step": _PARAMETER.step,
    "value": float(_PARAMETER.default),
}


def compute(noise_high: float) -> tuple[dict[str, dict[str, Any]], list[dict[str, str]]]:
    """Figures by name, and the rows of the table."""
    values = LESSON.validate({"noise_high": str(noise_high)})
    result = LESSON.compute(values)
    figures = {}
    for figure in LESSON.lab.figures(result, values):
        shown = themed(figure, "light")
        shown["layout"]["height"] = 300
        figures[figure.name] = shown
    table = LESSON.lab.table(result, values)
    labels = [label for label, _ in table.columns]
    return figures, [dict(zip(labels, row, strict=True)) for row in table.rows]
