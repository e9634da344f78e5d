"""Override gradients in a graph that torch has already built, for models someone else wrote.

The graph holds nodes, not calls: each node type is matched to the op types that may have made
it. The hook put on a node replaces what it sends to its inputs by what the rule returns.
"""

import functools
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch.autograd.graph import Node

from .errors import TrickError, describe, listed
from .keys import read_map
from .op_with_rule import maps_suspended
from .optypes import OP_TYPES
from .registry import Rule
from .rule import Missing, Op, Operand, checked_gradients
from .torch_private import output_metadata, running_node, saved

# Which saved attribute holds which operand, where it is not the usual one.
_USUAL = (("self", "input"), ("other", "mat2", "vec", "tensor", "exponent", "weight", "target"))
_SAVED = {"Addmm": ((), ("mat1",), ("mat2",)), "Rsub": (), "Convolution": (("input",), ("weight",))}


class OverrideHandle:
    """What `override_gradients` returns: `remove()` takes it back, `overridden` counts nodes.

    As a context manager it removes itself on exit.
    """

    def __init__(self) -> None:
        self.overridden: Counter[str] = Counter()
        self._hooks: list[Any] = []

    def remove(self) -> None:
        """Restore the built-in gradients. Removing twice does nothing."""
        while self._hooks:
            self._hooks.pop().remove()

    def __enter__(self) -> "OverrideHandle":
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


def override_gradients(
    output: torch.Tensor | Iterable[torch.Tensor],
    op_type_map: Mapping[Any, Any],
    *,
    warn: bool = True,
) -> OverrideHandle:
    """Give ops of the given types another gradient in the graph behind `output`, already built.

    Keys and rules as in `gradient_override_map`. What stands here is what torch recorded, so:
    a composite op is its parts (`nn.Linear` is `addmm`, `1 / x` is reciprocal and mul, dropout
    is mul); op types that leave the same node (`square` and `x ** 2`) are refused by name unless
    all of them are given one rule; `op.inputs` and `op.outputs` hold what torch saved and raise
    `TrickError` on the rest; `op.args` are not kept. A rule returns one gradient an edge of the
    node: an operand that is no tensor may be an edge too, and a lone tensor goes to the only
    edge that leads anywhere. Ops overridden by a map can be overridden again.

    Raises `TrickError` where `output` has no graph or a type cannot be told apart; warns of a key
    that no node matches, unless `warn` is False. Asked for in
    https://github.com/tensorflow/tensorflow/issues/35203.

    >>> x = torch.tensor([-1.0, 2.0], requires_grad=True)
    >>> y = torch.relu(x).sum()
    >>> handle = override_gradients(y, {"relu": lambda op, upstream: upstream})
    >>> torch.autograd.grad(y, x, retain_graph=True)
    (tensor([1., 1.]),)
    >>> handle.remove()
    >>> torch.autograd.grad(y, x)
    (tensor([0., 1.]),)
    """
    roots = [output] if isinstance(output, torch.Tensor) else list(output)
    for root in roots:
        if not isinstance(root, torch.Tensor) or root.grad_fn is None:
            raise TrickError(
                f"override_gradients: no graph was built for {describe(root)}. Expected a "
                "tensor computed, with gradients on, from one that requires a gradient."
            )
    read = {op_type: (key, rule) for key, op_type, rule in read_map(op_type_map)}
    wanted = {op_type: rule for op_type, (_, rule) in read.items() if rule is not None}
    nodes = _nodes(roots)
    types = _node_types(wanted, nodes)
    handle = OverrideHandle()
    for node in nodes:
        if (op_type := types.get(_kind(node)) or _own_type(node)) in wanted:
            hook = functools.partial(_replace, op_type, wanted[op_type])
            handle._hooks.append(node.register_hook(hook))
            handle.overridden[op_type] += 1
    hit = {types.get(_kind(node)) or _own_type(node) for node in nodes}
    hit |= {t for t in wanted if any(types.get(kind) in hit for kind in _kinds(t))}
    for key in {key: None for key, _ in read.values()} if warn else ():
        if not any(t in hit or rule is None for t, (k, rule) in read.items() if k is key):
            warnings.warn(
                f"override_gradients: the key {key!r} matched no node. The graph holds: "
                f"{listed(sorted({_kind(node) for node in nodes}))}.",
                stacklevel=2,
            )
    return handle


def _kinds(op_type: str) -> tuple[str, ...]:
    row = OP_TYPES.get(op_type)
    return row.nodes if row else ()


def _own_type(node: Node) -> str | None:
    """The op type of a node that a gradient_override_map made: it knows."""
    return node.call.type if _kind(node) == "_Overridden" else None  # type: ignore[attr-defined]


def _node_types(wanted: Mapping[str, Rule], nodes: Iterable[Node]) -> dict[str, str]:
    """Node kind → op type, refusing what the built graph cannot tell apart."""
    present, named = {_kind(node) for node in nodes}, {_own_type(node) for node in nodes}
    types: dict[str, str] = {}
    for op_type, rule in wanted.items():
        if op_type in named and present.isdisjoint(_kinds(op_type)):
            continue
        if not _kinds(op_type):
            raise TrickError(
                f"override_gradients: {op_type} leaves no node of its own in a built graph; torch "
                "records its parts, if anything. Override those, or use gradient_override_map "
                "while the graph is built."
            )
        for kind in _kinds(op_type):
            same = [r.name for r in OP_TYPES.values() if kind in r.nodes]
            if any(wanted.get(name) is not rule for name in same):
                raise TrickError(
                    f"override_gradients: a built graph cannot tell {op_type} apart: "
                    f"{' and '.join(same)} are one node there, {kind}Backward. Give all of them "
                    "one rule, or use gradient_override_map while the graph is built."
                )
            types[kind] = op_type
    return types


def _nodes(roots: Iterable[torch.Tensor]) -> list[Node]:
    found: dict[Node, None] = {}
    waiting = [root.grad_fn for root in roots]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in found:
            found[node] = None
            waiting += [following for following, _ in node.next_functions]
    return list(found)


def _kind(node: Node) -> str:
    return re.sub(r"Backward\d*$", "", node.name())


def _replace(op_type: str, rule: Rule, into: Any, upstream: Any) -> tuple[Any, ...]:
    """The hook. It asks torch for its node: holding it would keep the whole graph alive."""
    node = running_node()
    upstream = [
        torch.zeros(m.shape, dtype=m.dtype, device=m.device) if u is None else u
        for u, m in zip(upstream, output_metadata(node), strict=True)
    ]
    edges = [_edge(following, place) for following, place in node.next_functions]
    # `2 - w` is recorded as rsub(w, 2): its edges stand the other way round.
    turn = slice(None, None, -1) if _kind(node) == "Rsub" else slice(None)
    live = [i for i in range(len(edges))[turn] if edges[i] is not None]
    op = Op(op_type, node.name(), _inputs(node, len(edges))[turn], _outputs(node), _NO_CALL)
    with maps_suspended():
        returned = rule(op, *upstream)
    given = len(returned) if isinstance(returned, (tuple, list)) else 1
    places = live if given == len(live) == 1 else list(range(len(edges)))[turn]
    gradients = checked_gradients(rule, op, returned, [edges[i] for i in places])
    sent = dict(zip(places, gradients, strict=True))
    # Where torch computed nothing, nothing was asked for, and it takes nothing.
    return tuple(sent.get(i) if had is not None else None for i, had in enumerate(into))


def _edge(following: Any, place: int) -> Operand | None:
    """What the gradient along an edge must look like; None where it leads nowhere."""
    if following is None:
        return None
    expected = output_metadata(following)[place]
    return Operand(torch.Size(expected.shape), expected.dtype, expected.device)


_NO_CALL = Missing("a built graph does not keep the arguments of a call: op.args and op.kwargs "
                   "are there only in a gradient_override_map.")  # fmt: skip


def _saved(node: Any, words: Iterable[str], what: str) -> Any:
    for word in words:
        try:
            value = saved(node, word)
        except RuntimeError as error:  # changed in place since, or already freed
            return Missing(f"{node.name()}: its {what} cannot be read. torch says: {error}")
        if isinstance(value, torch.Tensor):
            return value
    return Missing(f"{node.name()}: torch did not save its {what}, so a rule cannot read it.")


def _inputs(node: Any, count: int) -> list[Any]:
    if _kind(node) == "_Overridden":
        return list(node.saved_tensors[:count])
    words = [*_SAVED.get(_kind(node), _USUAL), *([()] * count)]
    return [_saved(node, words[i], f"operand {i}") for i in range(count)]


def _outputs(node: Any) -> list[Any]:
    count = len(output_metadata(node))
    if _kind(node) == "_Overridden":
        return list(node.saved_tensors[-count:])
    return [_saved(node, ["result"] if i == 0 else [], f"output {i}") for i in range(count)]
