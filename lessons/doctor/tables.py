"""A run as tables: its leaves with their gradients, and its modules."""

from collections import Counter
from typing import NamedTuple

from ..text import number
from .run import Run
from .watch import spelled_shape

Row = tuple[str, ...]


class Table(NamedTuple):
    """`marked` are the rows that something is wrong with."""

    title: str
    columns: tuple[str, ...]
    rows: list[Row]
    marked: frozenset[int] = frozenset()
    left_out: int = 0


MOST = 400
"""Rows of a table."""


def gradients(run: Run) -> Table:
    """Each input and parameter that wants a gradient: how large it is."""
    rows: list[Row] = []
    marked: set[int] = set()
    for name, one in run.gradients.items():
        state = "" if one.norm is not None else "none came"
        if one.nonfinite:
            state = f"{one.nonfinite:,} NaN or ∞"
        elif one.zero:
            state = "all zero"
        if state:
            marked.add(len(rows))
        norm = "none" if one.norm is None else number(one.norm, 4)
        rows.append((name, spelled_shape(one.shape), norm, state))
    rows += [(name, "", "", "frozen: requires_grad=False") for name in run.frozen]
    return _table("Gradients", ("leaf", "shape", "norm", "state"), rows, marked)


def modules(run: Run) -> Table:
    """Each module that ran, or has weights: what it gave, and how large its gradients are."""
    shapes: dict[str, str] = {}
    kinds: dict[str, str] = {}
    times: Counter[str] = Counter()
    for call in run.watch.calls:
        shapes[call.path] = ", ".join(call.shapes)
        kinds[call.path] = call.kind
        times[call.path] += 1
    owners: dict[str, list[str]] = {path: [] for path in kinds}
    for name in [*run.gradients, *run.frozen]:
        path = name.rpartition(".")[0]
        if name not in run.given and (path or run.is_model):
            owners.setdefault(path, []).append(name)
    rows: list[Row] = []
    marked: set[int] = set()
    for path, names in owners.items():
        own = [run.gradients[name] for name in names if name in run.gradients]
        norms = [one.norm for one in own if one.norm is not None]
        says = []
        if path not in kinds:
            read = any(edge.producer.name in names for edge in run.recording.edges)
            says.append("read by its parent" if read else "never ran")
        elif times[path] > 1:
            says.append(f"ran {times[path]} times")
        if own and len(norms) < len(own):
            says.append(f"{len(own) - len(norms)} without gradient")
        if any(one.nonfinite for one in own):
            says.append("NaN or ∞")
        if any(one.zero for one in own):
            says.append("all zero")
        if own and (len(norms) < len(own) or any(one.nonfinite or one.zero for one in own)):
            marked.add(len(rows))
        norm = number(sum(n * n for n in norms) ** 0.5, 4) if norms else ("none" if own else "")
        count = f"{sum(one.count for one in own):,}" if own else ("frozen" if names else "")
        rows.append((path or "(all)", kinds.get(path, ""), shapes.get(path, ""), count, norm,
                     "; ".join(says)))  # fmt: skip
    columns = ("module", "class", "gives", "weights", "gradient norm", "state")
    return _table("Modules", columns, rows, marked)


def _table(title: str, columns: tuple[str, ...], rows: list[Row], marked: set[int]) -> Table:
    """What is marked comes first where not all rows have room."""
    if len(rows) > MOST:
        order = sorted(range(len(rows)), key=lambda row: (row not in marked, row))[:MOST]
        kept = [rows[row] for row in order]
        return Table(title, columns, kept, frozenset(i for i, r in enumerate(order) if r in marked),
                     len(rows) - MOST)  # fmt: skip
    return Table(title, columns, rows, frozenset(marked))
