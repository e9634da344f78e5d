"""A fault, and how its sentences spell an op with its place, an entry of a tensor, a number."""

from collections.abc import Iterable, Sized
from dataclasses import dataclass

from torch.optim import Optimizer

from ..recorder import Node, Value, Where, in_line, line_of, short, unflat
from ..recorder.torch_private import hooks_of
from ..text import listed
from ..text.words import Texts
from .optimizers import Step
from .run import Run
from .source import at_line

WORDS = Texts(__file__)


@dataclass(frozen=True)
class Fault:
    """`kind` a word for programs; `says` what and where; `do` what helps; `node` where to look.

    `where` is the line of an op that stops a gradient. A fault of the kind "note" is usual, and
    goes into the notes.
    """

    kind: str
    says: str
    do: str = ""
    node: str | None = None
    where: Where | None = None


def called(node: Node) -> str:
    """Name a node as a person does: by its variable, or by what it is."""
    if node.variable:
        return node.variable
    if node.leaf and node.name.rstrip("_0123456789") in ("input", "const"):
        return "a constant" if node.kind == "constant" else "a new tensor"
    if node.type == "stop_gradient" and node.operands:
        return f"{called(node.operands[0].producer)}{how_stopped(node)}"
    return node.label if node.leaf else f"{node.type}(…)"


def how_stopped(node: Node) -> str:
    """The spelling of a detach."""
    return {"__get__": ".data", "detach_": ".detach_()"}.get(node.function, ".detach()")


def op_called(run: Run, node: Node) -> str:
    """ "exp (y) in encoder, train.py:12": an op, what it is assigned to, its module and line."""
    called = node.type if node.label in (node.name, node.type) else f"{node.type} ({node.label})"
    where = [part for part in (run.module_of(node.name), line_of(node.place)) if part]
    return f"{called} in {', '.join(where)}" if where else called


def hook_on(run: Run, node: Node) -> str:
    """The last hook on a tensor, in words; "" where there is none."""
    codes = [code for one in run.recording.tensors.get(node.name, ()) for code in hooks_of(one)]
    if not codes:
        return ""
    where = at_line(codes[-1].co_filename, codes[-1].co_firstlineno)
    return f"a hook on {called(node)}, the function in {where},"


def numbers_read(node: Node) -> str:
    """ "x from −1 to 3, y from 0 to 2": the numbers that an op reads."""
    return ", ".join(
        f"{called(edge.producer)} from {short(min(edge.value.numbers))} to "
        f"{short(max(edge.value.numbers))}"
        for edge in node.operands[:3]
        if edge.value.numbers and not isinstance(edge.value.numbers[0], complex)
    )


def at_entry(place: int | None, value: Value) -> str:
    """ " at [1, 2]", where a tensor has several entries."""
    if place is None or len(value.numbers) < 2:
        return ""
    return f" at {list(unflat(place, value.shape))}"


def sentence_start(text: str) -> str:
    """Capitalize a phrase of ours; leave a name of the program as it is."""
    return text.capitalize() if " " in text else text


def it_or_them(names: Sized) -> str:
    """The pronoun for these."""
    return "it" if len(names) == 1 else "them"


def get_none(names: list[str]) -> str:
    """ "a, b get no gradient"."""
    return f"{listed(names)} {'gets' if len(names) == 1 else 'get'} no gradient"


def at_step(run: Run, step: Step) -> str:
    """ "opt.step() in train.py:12", with its weights where several optimizers have the name."""
    others = (one for one in run.optimizers.steps if one.name == step.name)
    called = f"{step.name}.step(){in_line(step.place)}"
    if all(one.optimizer is step.optimizer for one in others):
        return called
    return f"{called} (for {named(run, list(step.held)[:1])}, …)"


def made_at(run: Run, optimizer: Optimizer) -> str:
    """ " The optimizer was made in train.py:7." """
    made = run.optimizers.made_of(optimizer)
    return f" The optimizer was made{in_line(made.place)}." if made and made.place else ""


def named(run: Run, numbers: Iterable[int]) -> str:
    """The parameters with these `id`s."""
    wanted = {*numbers}
    known = [name for name, one in run.tensors.items() if id(one) in wanted]
    return listed(known, 4) if known else "its parameters"
