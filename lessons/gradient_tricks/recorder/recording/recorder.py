"""The mode behind `record`: sees each call, writes down a node, and knows every tensor it met.

Holds tensors and autograd's nodes while the block runs, and none after `close`. How gradients are
read is in wiring.py; what counts as an op in torch_calls.py.
"""

import weakref
from collections import Counter
from collections.abc import Callable
from typing import Any

import torch
from torch.nn.parameter import is_lazy
from torch.overrides import TorchFunctionMode

from ...tricks.as_one import Call
from ...tricks.op_with_rule import swap
from ...tricks.rule import Slot, take_out
from ..torch_private import CLEARS, SWITCH, hooks_on_saved, next_number, number_of, unseen, version
from .nodes import Edge, Left, Node
from .plain_tensor import Value
from .recording import Listener, Recording
from .saved import memory
from .switches import applied_at
from .torch_calls import (
    KINDS,
    LEAVES_TORCH,
    LETS_OTHERS_WRITE,
    as_data,
    attribute,
    is_in_place,
    meaning,
    op_type_of,
    op_type_of_node,
    tensors_in,
    untraceable,
)
from .variables import Where, assigned, running
from .wiring import Key, Wiring, gradient_key, node_name

_Tensors = list[torch.Tensor]
_Ran = tuple[Where | None, Where | None]
"""Where an expression is, and where the call around it is."""


class _Once:
    """The program's own call, which runs once whatever becomes of our notes about it."""

    __slots__ = ("args", "began", "ended", "function", "kwargs", "result")

    def __init__(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.function, self.args, self.kwargs = function, args, kwargs
        self.began = self.ended = False
        self.result: Any = None

    def __call__(self) -> Any:
        self.began = True
        self.result = self.function(*self.args, **self.kwargs)
        self.ended = True
        return self.result


class Recorder(TorchFunctionMode):
    """One entry into a recording, in one thread."""

    def __init__(self, recording: Recording) -> None:
        super().__init__()
        self.recording = recording
        self._counts: Counter[str] = Counter()
        self._met: dict[int, tuple[torch.Tensor, Any]] = {}  # each tensor, and its grad_fn
        self._variables: dict[int, tuple[torch.Tensor, str]] = {}  # of constants not yet read
        self._wiring = Wiring(recording, self.origin)
        self._memories: dict[int, list[tuple[torch.Tensor, Node, int]]] = {}
        # By each gradient that `torch.autograd.grad` gave without a graph and that nothing has
        # read yet: the call's inputs, its outputs, all gradients that it gave, and where it ran.
        self._slopes: dict[int, tuple[_Tensors, _Tensors, _Tensors, _Ran]] = {}
        self._derived: set[Any] = set()  # the autograd nodes of gradients that have a graph
        self._applied: dict[int, Where | None] = {}  # of an autograd.Function, by its number
        recording.origin = self.origin

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if self.recording.failed is not None:
            return func(*args, **kwargs)
        run = _Once(func, args, kwargs)
        try:
            return self._see(func, run, args, kwargs)
        except Exception as error:
            if run.began and not run.ended:
                raise  # by the program's own call
            self.recording.fail(error)
        return run.result if run.ended else func(*args, **kwargs)

    def _see(
        self, func: Any, run: Callable[[], Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Run a call, and note what it is: an op, a backward pass, a step by hand, or none."""
        name = getattr(func, "__name__", "")
        if name == SWITCH:
            self.recording.switch.set(args[0])
        if self.recording.waiting and not self.recording.quiet:
            return self._wait(func, run, args, kwargs)
        hidden = not self.recording.quiet and untraceable()
        if hidden and not torch.compiler.is_compiling():
            self.recording.listener.opaque("A transform of torch.func")
        spelling = None if self.recording.quiet or hidden else meaning(func)
        lazy = bool(args) and is_lazy(args[0])  # a parameter without a shape yet
        if spelling is None or lazy or name in LETS_OTHERS_WRITE:
            if func in (torch.Tensor.backward, torch.autograd.backward):
                root, *_ = tensors_in(args[0])
                given = tensors_in([*args[1:], *kwargs.values()])
                return self.recording.listener.back(root, run, given[0] if given else None)
            if self.recording.quiet:
                return run()
            self.recording.listener.heard(func, args)
            result = run()
            with unseen():
                self._note(func, name, args, kwargs, result)
            return result
        call = Call(op_type_of(spelling, args, kwargs), args, kwargs, spelling.swapped)
        between = self.recording.passes and (not torch.is_grad_enabled() or name in CLEARS)
        self.recording.listener.heard(func, args)
        if between or self._sets_weight(name, [*args, *kwargs.values()]):
            return self._update(call, run, name)
        return self._record(call, run, name)

    def _wait(
        self, func: Any, run: Callable[[], Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Note where tensors are made, until the first op through which a gradient flows."""
        self.recording.listener.heard(func, args)
        if not self.recording.waiting:
            return self._see(func, run, args, kwargs)
        result = run()
        if getattr(func, "__name__", "") != "__get__":
            with unseen():
                for tensor in tensors_in(result):
                    self.recording.births[id(tensor)] = weakref.ref(tensor), running()[0]
        return result

    def _update(self, call: Call, run: Callable[[], Any], function: str) -> Any:
        """Run what is no part of the graph: a step by hand, the first values of a weight."""
        with unseen():
            operands = tensors_in([*call.args, *call.kwargs.values()])
            versions = [version(operand) for operand in operands]
        result = run()
        with unseen():
            changed = [x for x, old in zip(operands, versions, strict=True) if version(x) != old]
            if changed:
                node = Node("", call.type, "plain", function=function, place=running()[0])
                self.recording.saved.wrote(node, changed)
        return result

    def _sets_weight(self, name: str, args: list[Any]) -> bool:
        """Whether a call writes plain numbers into a leaf; into its `.data` after a pass too."""
        written, *others = tensors_in(args) or (None,)
        if written is None or not is_in_place(name) or any(one.requires_grad for one in others):
            return False
        shared = self._memories.get(memory(written), []) if self.recording.passes else []
        owners = [written, *(one for one, *_ in shared)]
        return any(one.is_leaf and one.requires_grad for one in owners)

    def see(self, call: Call, run: Callable[..., Any]) -> Any:
        """The engine's word that `run` is one op of its own kind (tricks/as_one.py)."""
        if self.recording.quiet or untraceable():
            return run(*call.args, **call.kwargs)
        self.recording.quiet += 1
        try:
            return self._record(call, lambda: run(*call.args, **call.kwargs))
        finally:
            self.recording.quiet -= 1

    def _record(self, call: Call, run: Callable[[], Any], function: str = "") -> Any:
        """Run an op and write down its node, unless it is a part of an `autograd.Function`."""
        with unseen():
            gradients_on, off = torch.is_grad_enabled(), self.recording.switch.why_off()
        if not gradients_on and off is None:
            return self._inside(call, run)
        with unseen():
            operands: list[torch.Tensor] = []  # take_out fills it
            args = swap(call.args) if call.swapped else call.args
            node = Node("", call.type, KINDS.get(call.type, "plain"), function=function)
            node.args = tuple(as_data(take_out(value, operands)) for value in args)
            node.kwargs = {
                name: as_data(take_out(value, operands))
                for name, value in call.kwargs.items()
                if name != "out"  # torch writes into it: no operand
            }
            keys: list[Key | None] = []
            for place, operand in enumerate(operands):
                producer, output = self.origin(operand)
                value = producer.outputs[output]
                if self.recording.saved.changed(operand):
                    value = Value.of(operand)
                node.operands.append(Edge(node, place, producer, output, value))
                flows = gradients_on and operand.requires_grad
                keys.append(gradient_key(operand) if flows else None)
            versions = [version(operand) for operand in operands]
        result = run()
        if not operands:
            self._note_variable(result)
            return result  # made of no tensor: a constant, once something reads it
        with unseen():
            outputs = tensors_in(result)
            changed = [x for x, old in zip(operands, versions, strict=True) if version(x) != old]
            new = [y for y in outputs if not any(x is y for x in operands)]
            were_there = not new
            if (changed or function == "detach_") and were_there:
                outputs, node.inplace = (changed or outputs)[:1], True
            elif were_there:
                return result  # nothing came out, or what went in: no op
            elif not changed:
                outputs = new  # broadcast_tensors hands back those that need no expanding
            if off is not None and any(x.requires_grad for x in operands):
                node.kind, node.off = "stopped", off
            self._add(node, outputs)
            if changed:
                self.recording.saved.wrote(node, changed)
                self._overwrote(node, changed)
            parts = self._wiring.wire(node, outputs, keys)
            passed = {id(y) for y in tensors_in(result)} - {id(y) for y in outputs}
            pairs = zip(node.operands, operands, strict=False)
            unread = [edge for edge, x in pairs if id(x) in passed and not edge.flows]
            node.operands = [edge for edge in node.operands if edge not in unread]
            if parts and not hooks_on_saved():
                self.recording.saved.ran(node, parts, operands, versions, outputs)
        return result

    def _inside(self, call: Call, run: Callable[[], Any]) -> Any:
        """Run an op in the forward pass of an `autograd.Function`, which is one op."""
        with unseen():
            operands = tensors_in([*call.args, *call.kwargs.values()])
            versions = [version(operand) for operand in operands]
            self._applied.setdefault(next_number() - 1, applied_at())
            for operand in operands:
                if operand.grad_fn is not None:
                    self.origin(operand)  # what the Function reads was made before it
        result = run()
        with unseen():
            for one, old in zip(operands, versions, strict=True):
                if version(one) != old:
                    self.recording.saved.may_change(one)
        return result

    def _add(self, node: Node, outputs: _Tensors, ran: _Ran | None = None) -> None:
        node.name = self._unique(node.type)
        node.place, node.caller = ran or running()
        names = assigned(node.place)
        node.variable = (names[0] or None) if names else None
        for index, output in enumerate(outputs):
            node.outputs.append(Value.of(output))
            self._remember(output, node, index)
        node.upstream = [None] * len(outputs)
        self.recording.nodes[node.name] = node
        self.recording.mark_cuts(node)

    def _note(self, func: Any, name: str, args: Any, kwargs: Any, result: Any) -> None:
        """Note what a call that is no op did to what the recording knows."""
        if name in LETS_OTHERS_WRITE or name in LEAVES_TORCH:
            self._note_outside(args[0], name)
        if name in ("__format__", "__repr__"):
            self._used(args[:1])
        if name == "__set__" and attribute(func) == "data":
            self._replaced(args[0], [args[1]], "data")
        elif name == "__get__" and attribute(func) == "grad_fn":
            if self._source(args[0]) is not None:
                self.origin(args[0])  # a module is given a new parameter, and looks at it
        elif name == "requires_grad_" or attribute(func) == "requires_grad":
            known, ran = self.recording.known.get(id(args[0])), running()[0]
            if known is not None and name != "__get__" and args[0].requires_grad and ran:
                self.recording.turned[known[1].name] = ran
        elif name == "__get__" and attribute(func) == "grad" and result is not None:
            if torch.is_grad_enabled():  # else an optimizer moves a weight by it
                self._differentiated([args[0]], [], [result])
        elif func is torch.autograd.grad:
            given = dict(zip(("outputs", "inputs", "grad_outputs"), args, strict=False)) | kwargs
            outputs = tensors_in([given["outputs"], given.get("grad_outputs")])
            self._differentiated(tensors_in(given["inputs"]), outputs, tensors_in(result))

    def _differentiated(self, inputs: _Tensors, outputs: _Tensors, gradients: _Tensors) -> None:
        """Note what the program's own grad() or backward() gave, with or without a graph."""
        self._derived.update(one.grad_fn for one in gradients)
        if outputs:
            self._used(outputs)
            self.recording.asked.append((outputs[0], inputs, gradients))
        if not any(one.requires_grad for one in gradients):
            slope = inputs, outputs, gradients, running()
            self._slopes |= {id(one): slope for one in gradients}

    def _used(self, tensors: _Tensors) -> None:
        """Note that the program reads these, though no op does."""
        known = [self.recording.known.get(id(one)) for one in tensors]
        self.recording.used.update(one[1].name for one in known if one)

    def _copy(
        self, kind: str, operands: _Tensors, outputs: _Tensors, ran: _Ran | None = None
    ) -> Node:
        """Add what has the numbers of other tensors and no way back to them."""
        node = Node("", kind, "stopped")
        for place, operand in enumerate(operands):
            node.operands.append(Edge(node, place, *self.origin(operand), Value.of(operand)))
        self._add(node, outputs, ran)
        for output in outputs:
            if output.requires_grad:
                node.requires_grad = True
                self.recording._leaves[node.name] = weakref.ref(output)
        return node

    def _replaced(self, leaf: torch.Tensor, sources: list[torch.Tensor], kind: str) -> None:
        """A leaf has new numbers, which torch does not know to be made of anything."""
        if leaf.grad_fn is None and not all(self.origin(one)[0].leaf for one in sources):
            self._copy(kind, sources, [leaf])

    def _overwrote(self, node: Node, changed: list[torch.Tensor]) -> None:
        """Tell a leaf that an op wrote into its memory."""
        for one in changed:
            owner = self._memories[memory(one)][0][0]
            if owner is not one and owner.is_leaf and owner.requires_grad:
                self._replaced(owner, [one], node.type)

    def _note_outside(self, tensor: torch.Tensor, call: str) -> None:
        """Note that a call handed out the tensor's numbers or its memory."""
        if call in LETS_OTHERS_WRITE:
            self.recording.saved.may_change(tensor)
        if call in LEAVES_TORCH and tensor.requires_grad:
            self.origin(tensor)  # a weight, say, that no op has read yet
        known = self.recording.known.get(id(tensor))
        if call in LEAVES_TORCH and known is not None:
            recording, (_, node, output) = self.recording, known
            left = Left(node.name, call, node.outputs[output], len(recording.nodes), running()[0])
            recording.left.append(left)

    def _note_variable(self, result: Any) -> None:
        names = assigned(running()[0])
        for tensor, name in zip(tensors_in(result), names, strict=False):
            self._variables[id(tensor)] = tensor, name
        self.recording.made.update(memory(one) for one in tensors_in(result))

    def _remember(self, tensor: torch.Tensor, node: Node, place: int) -> None:
        self._know(tensor, node, place)
        self._memories.setdefault(memory(tensor), []).append((tensor, node, place))
        if tensor.grad_fn is not None:
            node.requires_grad = True
            self._wiring.outputs[tensor.grad_fn, tensor.output_nr] = node, place
        if self.recording.keeps:
            self.recording.tensors.setdefault(node.name, []).append(tensor)

    def _know(self, tensor: torch.Tensor, node: Node, place: int) -> None:
        self._met[id(tensor)] = tensor, tensor.grad_fn
        self.recording.known[id(tensor)] = weakref.ref(tensor), node, place

    def origin(self, tensor: torch.Tensor) -> tuple[Node, int]:
        """The node that made `tensor` and which output it is; a new leaf or op for a stranger."""
        made_by = tensor.grad_fn
        met = self._met.get(id(tensor))
        if met is not None and met[1] is made_by:
            _, node, place = self.recording.known[id(tensor)]
            # Torch says True of a view made without gradients, and goes no further than it.
            is_view = node.off is not None and not node.inplace
            turned = not is_view or node.name in self.recording.turned
            if made_by is None and tensor.requires_grad and not node.requires_grad and turned:
                # `requires_grad_()` was called on it: from here on autograd has a leaf there.
                node.requires_grad = True
                node.kind = "input" if node.kind == "constant" else node.kind
                self.recording._leaves[node.name] = weakref.ref(tensor)
            return node, place
        if made_by is None:
            self.leaf(tensor)
            return self.recording.known[id(tensor)][1:]
        found = self._wiring.outputs.get((made_by, tensor.output_nr))
        if found is not None:
            self._know(tensor, *found)
            return found
        # Each thread of autograd counts for itself, as on a GPU: what grad() made may be below.
        own = made_by in self._wiring.owners or made_by in self._derived
        if own or number_of(made_by) >= self.recording.first:
            return self._own_function(tensor, made_by)
        return self.leaf(tensor), 0

    def leaf(self, tensor: torch.Tensor, name: str | None = None) -> Node:
        """A tensor that no op of the recording made."""
        listener = self.recording.listener
        source = None if name else self._source(tensor)
        name = name or listener.name(tensor)
        if id(tensor) in self._slopes:
            inputs, outputs, gradients, ran = self._slopes.pop(id(tensor))
            node = self._copy("grad", [*inputs, *outputs], gradients, ran)
            node.args = tuple(map(Slot, range(len(inputs))))
            return node
        # Leaves that share memory and have names are parts of one storage, as an LSTM's are.
        if source is not None and not (name and self.origin(source)[0].leaf):
            word = "Parameter" if isinstance(tensor, torch.nn.Parameter) else "Variable"
            node = self._copy(word, [source], [tensor])
            if name:
                self.recording.rename(node, name)
            return node
        name = name or listener.found(tensor)
        given = name is not None or tensor.requires_grad
        word = "input" if given else "const"
        if given and isinstance(tensor, torch.nn.Parameter):
            word = "parameter"
        node = Node(self._unique(name or word), word, "input" if given else "constant")
        node.outputs.append(Value.of(tensor))
        node.upstream = [None]
        node.requires_grad = tensor.requires_grad
        if name is None and id(tensor) in self._variables:
            node.variable = self._variables[id(tensor)][1]
        elif name is None:
            node.variable = "".join(assigned(self.recording.born(tensor))[:1]) or None
        self.recording.nodes[node.name] = node
        self._remember(tensor, node, 0)
        if tensor.requires_grad:
            self.recording._leaves[node.name] = weakref.ref(tensor)
        return node

    def _source(self, leaf: torch.Tensor) -> torch.Tensor | None:
        """The tensor whose memory a new leaf shares, as in `nn.Parameter(made)`."""
        if memory(leaf) == 0 or self.recording.saved.changed(leaf):
            return None
        shared = [one for one in self._memories.get(memory(leaf), []) if one[0] is not leaf]
        made = [one for one in shared if one[1].requires_grad or not one[1].leaf]
        alike = [one for one in made if one[0].shape == leaf.shape]
        return next((one[0] for one in reversed(alike or made)), None)

    def _own_function(self, tensor: torch.Tensor, made_by: Any) -> tuple[Node, int]:
        """An op that no mode could see: an `autograd.Function` of the program's own."""
        node = self._wiring.owners.get(made_by)
        if node is None:
            own, kind = isinstance(made_by, torch.autograd.function.FunctionCtx), node_name(made_by)
            # One of the program's own may be called Sign, and is not torch's.
            node = Node("", kind if own else op_type_of_node(kind), "plain", function="apply")
            self._add(node, [tensor])
            node.place = self._applied.get(number_of(made_by))  # it ran before, and elsewhere
            node.variable = node.caller = None
            self._wiring.wire(node, [tensor], [])
            is_missed = number_of(made_by) < self.recording.gap
            if not own and not is_missed and made_by not in self._derived:
                self.recording.listener.opaque("Compiled or scripted code")
            return node, 0
        node.outputs.append(Value.of(tensor))
        node.upstream.append(None)
        place = len(node.outputs) - 1
        self._remember(tensor, node, place)
        self._wiring.hook(made_by).arrivals.append((tensor.output_nr, node, place))
        return node, place

    def _unique(self, word: str) -> str:
        name = word
        while name in self.recording.nodes:
            self._counts[word] += 1
            name = f"{word}_{self._counts[word]}"
        return name

    def close(self) -> None:
        """Let go of every tensor and of the graph, and leave no cycle for Python to collect."""
        self.recording.origin, self.recording.listener = None, Listener()
        self.recording.asked.clear()
        vars(self).clear()
