"""Resolves a figure's colour tokens, so that Plotly's own validators accept it."""

from typing import Any, Literal

from lessons.contract.covering import drawable
from lessons.contract.figure import Figure
from lessons.contract.roles import INKS, ROLES

Theme = Literal["light", "dark"]


def themed(figure: Figure, theme: Theme) -> dict[str, Any]:
    """Data and layout with every token resolved: what ``plotly.graph_objects.Figure`` takes."""
    data = [drawable(trace) for trace in figure.data]
    return {"data": _resolve(data, theme), "layout": _resolve(figure.layout, theme)}


def _resolve(part: Any, theme: Theme) -> Any:
    if isinstance(part, dict):
        return {name: _resolve(value, theme) for name, value in part.items()}
    if isinstance(part, list):
        return [_resolve(value, theme) for value in part]
    if isinstance(part, str) and part.startswith(("role:", "ink:")):
        return colour(part, theme)
    return part


def colour(token: str, theme: Theme) -> str:
    """The colour that a figure's token stands for, as ``rgb(…)`` or ``rgba(…)``.

    A token is ``role:NAME`` or ``ink:NAME``, with ``/ALPHA`` after it for a see-through colour.

    Raises:
        KeyError: no such role or ink.
    """
    kind, _, rest = token.partition(":")
    name, _, alpha = rest.partition("/")
    pair = (ROLES[name].light, ROLES[name].dark) if kind == "role" else INKS[name]
    value = pair[0] if theme == "light" else pair[1]
    red, green, blue = (int(value[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {alpha})" if alpha else f"rgb({red}, {green}, {blue})"
