"""What ops saved for their backward passes, and whether it is still what it was.

As an op runs only addresses are noted. Before a backward pass each autograd node on its way is
asked what it kept: a tensor at the address of an operand, or of the op's own output, is that one,
and its numbers are compared with those that it had when the op ran.
"""

from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any, NamedTuple

import torch

from ..torch_private import number_of, saved_tensors, version
from .nodes import Node, RecordError, Stale, reached
from .plain_tensor import WORDS, Value, flat, place, short

_PLACES = {"self": 0, "input": 0, "other": 1, "mat2": 1, "exponent": 1, "weight": 1, "result": -1}
"""Where the tensors stand that torch saves under these names; -1 is the first output."""

_Held = Callable[[int], torch.Tensor | None]
"""Finds a tensor by its ``id``, if somebody still holds it."""


class RefusedError(RecordError, RuntimeError):
    """Torch refuses the backward pass: a tensor that an op saved was changed in place."""


class _Known(NamedTuple):
    """A tensor as an op met it: `place` is that of an operand, or ~place of an output."""

    address: int
    identity: int
    version: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    conjugate: bool
    place: int


_Changed = dict[int, tuple[_Known, Value | None, bool]]
"""By place: a tensor of an op, its value now, and whether torch refuses to read it."""


class _Op(NamedTuple):
    """An op, the tensors that it met, and when it ran: a count of ops and writes."""

    node: Node
    known: list[_Known]
    time: int


class Saved:
    """The memory of one recording's ops: where their tensors were, and which op wrote into what."""

    def __init__(self) -> None:
        self._ops: dict[int, _Op] = {}  # by autograd's number
        self._written: dict[int, tuple[Node | None, int]] = {}  # by memory: who wrote last, when
        self._time = 0

    def ran(
        self,
        node: Node,
        inside: Iterable[Any],
        operands: list[torch.Tensor],
        versions: list[int],
        outputs: list[torch.Tensor],
    ) -> None:
        """Note an op that autograd knows as the nodes `inside`; `versions` are the operands'."""
        known = [_known(one, version(one), ~place) for place, one in enumerate(outputs)]
        pairs = zip(operands, versions, strict=True)
        known += [_known(one, old, place) for place, (one, old) in enumerate(pairs)]
        self._time += 1
        for autograd_node in inside:
            self._ops[number_of(autograd_node)] = _Op(node, known, self._time)

    def wrote(self, node: Node, changed: list[torch.Tensor]) -> None:
        """Note that `node` changed these in place."""
        self._time += 1
        for one in changed:
            for address in {memory(one), _address(one)} - {0}:
                self._written[address] = node, self._time

    def may_change(self, tensor: torch.Tensor) -> None:
        """Note that somebody may write into a tensor unseen."""
        self._written.setdefault(memory(tensor), (None, 0))

    def changed(self, tensor: torch.Tensor) -> bool:
        """Whether somebody wrote into its memory, or may have."""
        return memory(tensor) in self._written

    def check(self, root: Any, held: _Held) -> None:
        """Mark each node before `root` whose saved tensors were changed; `held` finds by `id`."""

        def before(autograd_node: Any) -> Iterable[Any]:
            return (one for one, _ in autograd_node.next_functions if one is not None)

        for autograd_node in reached([root], before):
            op = self._ops.get(number_of(autograd_node))
            if op is not None:
                self._check(autograd_node, op, held)

    def _check(self, autograd_node: Any, op: _Op, held: _Held) -> None:
        node, found = op.node, _Changed()
        for name, kept in saved_tensors(autograd_node):
            if kept is None:
                found |= self._refused(name, op, held)
                continue
            one = _which(kept, op.known, held)
            if one is None or one.place in found:
                continue
            now = Value.of(_read(kept, one))
            if not now.same_as(_before(node, one.place)):
                found[one.place] = one, now, False
        for one, then, refused in found.values():
            same = (other for other in op.known if other.identity == one.identity)
            stale = Stale(
                operands=tuple(other.place for other in same if min(other.place, one.place) >= 0),
                output=~one.place if one.place < 0 else None,
                name=(node if one.place < 0 else node.operands[one.place].producer).label,
                before=_before(node, one.place),
                now=then,
                writer=self._writer(op, one, held(one.identity)),
                refused=refused,
            )
            if stale not in node.stale:
                node.stale += (stale,)

    def _writer(self, op: _Op, one: _Known, tensor: torch.Tensor | None) -> Node | None:
        """The node that wrote last into this tensor after the op ran, if we saw it."""
        address = one.address if tensor is None else memory(tensor)
        writer, time = self._written.get(address, (None, 0))
        return writer if time > op.time else None

    def _refused(self, name: str, op: _Op, held: _Held) -> _Changed:
        """The saved tensor that torch refuses because it was changed; the op keeps it as `name`."""
        changed = _Changed()
        for one in op.known:
            tensor = held(one.identity)
            writer = self._writer(op, one, tensor)
            if tensor is not None and version(tensor) != one.version:
                changed.setdefault(one.place, (one, Value.of(tensor), True))
            elif tensor is None and writer is not None:
                now = writer.outputs[0]
                changed.setdefault(one.place, (one, now if now.shape == one.shape else None, True))
        wanted = _PLACES.get(name)
        return {wanted: changed[wanted]} if wanted in changed else changed


def memory(tensor: torch.Tensor) -> int:
    """The address of the memory that a tensor and its views share, or 0 if there is none."""
    if tensor.layout is not torch.strided or tensor.is_meta:
        return 0
    try:
        return tensor.untyped_storage().data_ptr()
    except (RuntimeError, NotImplementedError):  # a subclass, or a transform's, has none
        return 0


def _address(tensor: torch.Tensor) -> int:
    """The address of a tensor's first number, or 0 if it has no memory."""
    return memory(tensor) and tensor.data_ptr()


def refusing(nodes: Iterable[Node], ran: Container[str]) -> str | None:
    """The name of the op where torch refused to go on; None where no op is known to.

    Of several ops it is the last, which autograd comes to first. `ran` are those that this backward
    pass has left behind.
    """
    found = None
    for node in nodes:
        left_behind = node.name in ran and any(edge.offered for edge in node.operands)
        if any(one.refused for one in node.stale) and not left_behind:
            found = node.name
    return found


def refused_words(node: Node) -> str:
    """The refusal as a sentence for people: who saved what, who changed it, and what to do."""
    stale = next(one for one in node.stale if one.refused)
    writer = stale.writer
    told = {"op": saver(node, stale), "name": stale.name, "numbers": from_to(stale)}
    if writer is None:
        return WORDS("refused", **told)
    if writer.place is None:
        return WORDS("refused_by", writer=writer.type, **told)
    return WORDS("refused_in_line", writer=writer.type, line=writer.place[1][0], **told)


def saver(node: Node, stale: Stale) -> str:
    """The op that saved, in a sentence: its type, and the variable that holds what it made."""
    if stale.output is not None:
        return node.type
    return node.type if node.label in (node.name, node.type) else f"{node.type} ({node.label})"


def changed_at(stale: Stale, index: Sequence[int] = ()) -> int | None:
    """Find a number that changed, in row-major order: at the component `index`, or the first.

    None where no number that was kept is another one.
    """
    if stale.now is None:
        return None
    shape = stale.before.shape
    chosen = flat(place(index, shape), shape) if index else -1
    pairs = zip(stale.before.numbers, stale.now.numbers, strict=False)
    changed = [i for i, (a, b) in enumerate(pairs) if a != b and (a == a or b == b)]
    return chosen if chosen in changed else next(iter(changed), None)


def from_to(stale: Stale) -> str:
    """Write both numbers, as in " It was 3, now it is 4."; "" if one of them is unknown."""
    at = changed_at(stale)
    if at is None or stale.now is None:
        return ""
    before, now = (short(one.numbers[at]) for one in (stale.before, stale.now))
    return f" {WORDS('from_to', before=before, now=now)}"


def _known(tensor: torch.Tensor, number: int, place: int) -> _Known:
    address = _address(tensor)
    if not address:
        return _Known(0, id(tensor), number, (), (), False, place)
    shape, stride = tuple(tensor.shape), tensor.stride()
    return _Known(address, id(tensor), number, shape, stride, tensor.is_conj(), place)


def _which(kept: torch.Tensor, known: list[_Known], held: _Held) -> _Known | None:
    """Which of the op's tensors this one is; None for what it made for itself."""
    address, near = _address(kept), None
    if not address:
        return None
    alike = (tuple(kept.shape), kept.stride(), kept.is_conj())
    for one in known:
        if one.address == address:
            if (one.shape, one.stride, one.conjugate) == alike:
                return one
            near = near or one
        elif one.identity == id(kept) and held(one.identity) is kept:
            return one  # a leaf whose memory was exchanged
    return near


def _read(kept: torch.Tensor, one: _Known) -> torch.Tensor:
    """The op's tensor as it is now, read through `kept`, perhaps a transposed or conjugate view."""
    if kept.is_conj() != one.conjugate:  # the same memory, read with the other sign
        kept = kept.detach().conj()
    if tuple(kept.shape) == one.shape and kept.stride() == one.stride:
        return kept
    if _address(kept) != one.address:  # a leaf whose memory was exchanged
        return kept
    return kept.detach().as_strided(one.shape, one.stride, kept.storage_offset())


def _before(node: Node, place: int) -> Value:
    return node.outputs[~place] if place < 0 else node.operands[place].value
