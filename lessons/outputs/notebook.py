"""A lesson as a Jupyter notebook: its text, its plain torch, a figure of the numbers."""

from typing import Any

import nbformat

from lessons.contract.lesson import Lesson
from lessons.contract.parameters import Values
from lessons.outputs.plain_torch import plain_torch
from lessons.outputs.reading import steps
from lessons.text.words import Texts

WORDS = Texts(__file__)

_MAKE: Any = nbformat.v4  # its functions carry no types
_WRITES: Any = nbformat.writes

_FIGURE = """\
import plotly.graph_objects as go

figure = go.Figure()
for name, values in result.items():
    if isinstance(values, list):
        figure.add_scatter(y=values, name=name, mode="lines+markers")
figure.update_layout(xaxis_title="place in the list of inputs", yaxis_title="value, gradient")
figure"""


def notebook(lesson: Lesson, values: Values) -> str:
    """The notebook's text. It needs torch and plotly."""
    cells = [
        _MAKE.new_markdown_cell(f"# {lesson.title}\n\n{lesson.summary}"),
        *map(_MAKE.new_markdown_cell, steps(lesson)),
        _MAKE.new_markdown_cell("## " + WORDS("code_title") + "\n\n" + WORDS("change_a_setting")),
        _MAKE.new_code_cell(plain_torch(lesson, values)),
        _MAKE.new_code_cell(_FIGURE),
    ]
    for number, cell in enumerate(cells):
        cell["id"] = f"{lesson.slug}-{number}"  # the same lesson, the same file
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    made = _MAKE.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    return str(_WRITES(made)) + "\n"
