"""A run as tables: its leaves with their gradients, and its modules."""

from typing import NamedTuple

from ..text import number
from .run import Run
from .watch import Call, spelled_shape

Row = tuple[str, ...]


class Table(NamedTuple):
    """`marked` are the rows that something is wrong with."""

    title: str
    columns: tuple[str, ...]
    rows: list[Row]
    marked: frozenset[int]

    def top(self, most: int) -> list[int]:
        """The places of so many rows; those that are marked, where not all have room."""
        places = sorted(range(len(self.rows)), key=lambda place: place not in self.marked)
        return sorted(places[:most])


def gradients(run: Run) -> Table:
    """Each input and parameter that wants a gradient: how large it is."""
    rows: list[tuple[Row, bool]] = []
    for name, one in run.gradients.items():
        state = "" if one.norm is not None else "none came"
        if one.nonfinite:
            state = f"{one.nonfinite:,} NaN or ∞"
        elif one.zero:
            state = "all zero"
        norm = "none" if one.norm is None else number(one.norm, 4)
        rows.append(((name, spelled_shape(one.shape), norm, state), bool(state)))
    rows += [((name, "", "", "frozen: requires_grad=False"), False) for name in run.frozen]
    return _table("Gradients", ("leaf", "shape", "norm", "state"), rows)


def modules(run: Run) -> Table:
    """Each module that ran, or has weights: what it gave, and how large its gradients are."""
    calls: dict[str, list[Call]] = {}
    for call in run.watch.calls:
        calls.setdefault(call.path, []).append(call)
    owners: dict[str, list[str]] = {path: [] for path in calls}
    for name in [*run.gradients, *run.frozen]:
        path = name.rpartition(".")[0]
        if name not in run.given and (path or run.is_model):
            owners.setdefault(path, []).append(name)
    rows: list[tuple[Row, bool]] = []
    for path, names in owners.items():
        ran = calls.get(path, [])
        state = f"ran {len(ran)} times" if len(ran) > 1 else ""
        if not ran:
            read = any(name in run.graph.consumers for name in names)
            state = "read by its parent" if read else "never ran"
        own = [run.gradients[name] for name in names if name in run.gradients]
        norms = [one.norm for one in own if one.norm is not None]
        wrong = [f"{len(own) - len(norms)} without gradient"] * (len(norms) < len(own))
        wrong += ["NaN or ∞"] * any(one.nonfinite for one in own)
        wrong += ["all zero"] * any(one.zero for one in own)
        norm = number(sum(n * n for n in norms) ** 0.5, 4) if norms else "none" * bool(own)
        count = f"{sum(one.count for one in own):,}" if own else "frozen" * bool(names)
        kind, gives = (ran[-1].kind, ", ".join(ran[-1].shapes)) if ran else ("", "")
        state = "; ".join([state] * bool(state) + wrong)
        rows.append(((path or "(all)", kind, gives, count, norm, state), bool(wrong)))
    columns = ("module", "class", "gives", "weights", "gradient norm", "state")
    return _table("Modules", columns, rows)


def _table(title: str, columns: tuple[str, ...], rows: list[tuple[Row, bool]]) -> Table:
    marked = frozenset(place for place, (_, wrong) in enumerate(rows) if wrong)
    return Table(title, columns, [row for row, _ in rows], marked)
