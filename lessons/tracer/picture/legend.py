"""What the lines and boxes of a drawing mean: an entry for each kind that is on it."""

from collections.abc import Sequence
from typing import Any

LEGEND = {
    "positive": "positive gradient",
    "negative": "negative gradient",
    "zero": "gradient 0",
    "nan": "gradient NaN",
    "cut": "cut by you: nothing passes",
    "stopped": "stopped: autograd knows no way back",
    "overridden": "overridden: a rule stands in place of the op’s gradient",
    "reversed": "reversed",
    "scaled": "scaled",
    "clipped": "limited",
    "surrogate": "surrogate: the gradient of another function",
    "none": "no gradient",
    "stale": "dashed box: what the op had saved was changed before the backward pass",
}


def legend(
    edges: Sequence[dict[str, Any]], boxes: Sequence[dict[str, Any]]
) -> list[dict[str, str]]:
    """The entries for these edges and nodes, as ``graph_drawing`` made them."""
    used = {edge["state"] for edge in edges} | {
        edge["sign"] for edge in edges if edge["sign"] != "none"
    }
    if any(box["stale"] for box in boxes):
        used.add("stale")
    return [{"key": key, "label": label} for key, label in LEGEND.items() if key in used]
