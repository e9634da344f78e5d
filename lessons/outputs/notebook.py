"""A lesson as a Jupyter notebook: its text, its plain torch, a figure of the numbers."""

import json
from typing import Any

from lessons.contract.lesson import Lesson
from lessons.contract.settings import Settings
from lessons.gradient_tricks.text.words import Texts
from lessons.outputs.plain_torch import plain_torch
from lessons.outputs.reading import steps

WORDS = Texts(__file__)

_FIGURE = """\
import plotly.graph_objects as go

figure = go.Figure()
for name, values in result.items():
    if isinstance(values, list):
        figure.add_scatter(y=values, name=name, mode="lines+markers")
figure.update_layout(xaxis_title="place in the list of inputs", yaxis_title="value, gradient")
figure"""


def notebook(lesson: Lesson, values: Settings) -> str:
    """Return the notebook as a file's text, in Jupyter's format 4.5. It needs torch and plotly.

    The same lesson and settings give the same text.
    """
    about_code = "## " + WORDS("code_title") + "\n\n" + WORDS("change_a_setting")
    texts = [f"# {lesson.title}\n\n{lesson.summary}", *steps(lesson), about_code]
    cells = [_cell("markdown", text) for text in texts]
    codes = (plain_torch(lesson, values), _FIGURE)
    cells += [_cell("code", code) | {"execution_count": None, "outputs": []} for code in codes]
    for number, cell in enumerate(cells):
        cell["id"] = f"{lesson.slug}-{number}"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    made = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(made, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _cell(kind: str, text: str) -> dict[str, Any]:
    return {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)}
