"""What a lab hands to a page to be seen: charts and tables, as plain values."""

from dataclasses import dataclass
from typing import Any

HIGHEST, TALL, SHORT = 340, 300, 230
"""Heights in a drawer, in pixels. On the stage every chart has the stage's height."""


@dataclass(frozen=True)
class Figure:
    """One chart: Plotly data and layout as plain values.

    A colour is a token, ``role:NAME`` or ``ink:NAME``; ``/ALPHA`` after it makes it transparent.

    Args:
        name: unique in its lesson.
        title: above the chart: one sentence, with numbers of what is drawn.
        caption: below it: what to look at.
        alt: what it shows, in words and numbers, for those who cannot see it.
        data, layout: as Plotly takes them.
        subject: the title while a question still covers some of what is drawn; nothing where the
            title says nothing of the numbers.
        height: in pixels, in a drawer.
        selects: the parameter that a click on a point sets. For drags, each trace names its
            parameter: ``dragged`` in ``lessons/kit/chart_pieces.py``.
    """

    name: str
    title: str
    caption: str
    alt: str
    data: list[dict[str, Any]]
    layout: dict[str, Any]
    selects: str | None = None
    height: int = SHORT
    subject: str = ""


@dataclass(frozen=True)
class Table:
    """The numbers as text.

    Args:
        caption: what they are.
        columns: pairs of label and role, or None.
        rows: of cells.
        subject: the caption while a question still covers a column; empty where the caption gives
            no number away.
    """

    caption: str
    columns: tuple[tuple[str, str | None], ...]
    rows: tuple[tuple[str, ...], ...]
    subject: str = ""
