"""How a fault spells an op with its place, an entry of a tensor, and a number."""

from ..recorder import Node, Value
from ..recorder.recording.plain_tensor import unflat
from ..recorder.recording.variables import line_of
from ..text import number
from .watch import Run


def op_called(run: Run, node: Node) -> str:
    called = node.type if node.label in (node.name, node.type) else f"{node.type} ({node.label})"
    where = [part for part in (run.module_of(node.name), line_of(node.place)) if part]
    return f"{called} in {', '.join(where)}" if where else called


def at(place: int | None, value: Value) -> str:
    if place is None or len(value.numbers) < 2:
        return ""
    return f" at {list(unflat(place, value.shape))}"


def spelled(value: object) -> str:
    return str(value) if isinstance(value, complex) else number(float(value), 4)  # type: ignore[arg-type]
