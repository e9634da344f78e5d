"""Builds the frame of every lab: decides what is on the stage and what is in the drawers."""

from collections.abc import Callable, Collection, Mapping, Sequence

from lessons.contract.figure import Figure, Table
from pages.labs import payload
from pages.labs.graph_messages import GraphSpec
from pages.labs.messages import Code, Frame, Group, KeyEntry, Link, NoteSpec


def frame(
    form: dict[str, str],
    opened: Collection[str] = (),
    stage: str = "",
    below_stage: Collection[str] = (),
    *,
    graph: Callable[[], GraphSpec | None] | None = None,
    charts: Sequence[Figure] = (),
    table: Table | None = None,
    code: Callable[[], Code] | None = None,
    labels: Mapping[str, str] | None = None,
    accepted: bool = True,
    settled: bool = True,
    groups: Sequence[Group] = (),
    notes: Sequence[NoteSpec] = (),
    query: str = "",
    key: Sequence[KeyEntry] = (),
    status: str = "",
    turn: bool | None = None,
    numbers: Mapping[str, str] | None = None,
    covered: bool = False,
    trained: Sequence[str] = (),
    sentence: Sequence[tuple[str, str]] = (),
    links: Sequence[Link] = (),
) -> Frame:
    """Build a frame with the views that are on the stage and in open drawers.

    Args:
        opened: the views whose drawers are open.
        stage: the view on the stage; if it is empty, the first one that the lab has.
        below_stage: views that stand below it if the lab has them.
        graph, charts, table, code: the lab's views, in this order. The graph and the code are
            computed only if they are shown.
        labels: the labels of the views that only this lab has.
        form, accepted, settled, groups, notes, query, key, status, turn, numbers, covered, trained,
            sentence, links: as in ``Frame``.
    """
    views = [
        *["graph"] * (graph is not None),
        *(chart.name for chart in charts),
        *["table"] * (table is not None),
        *["code"] * (code is not None),
    ]
    stage = stage or next(iter(views), "")
    below = [name for name in below_stage if name in views and name != stage]
    shown = {stage, *below, *opened}
    return {
        "form": form,
        "accepted": accepted,
        "settled": settled,
        "groups": [*groups],
        "notes": [*notes],
        "query": query,
        "key": [*key],
        "figures": payload.figures([chart for chart in charts if chart.name in shown]),
        "table": payload.table(table) if table and "table" in shown else None,
        "status": status,
        "graph": graph() if graph and "graph" in shown else None,
        "code": code() if code and "code" in shown else None,
        "stage": stage,
        "below_stage": below,
        "views": [payload.view(name, labels or {}) for name in views],
        "turn": turn,
        "numbers": {**(numbers or {})},
        "covered": covered,
        "trained": [*trained],
        "sentence": [*sentence],
        "links": [*links],
    }
