"""Why an op lets no gradient back, in a sentence, and what people do about it."""

from collections.abc import Collection
from typing import NamedTuple

import torch

from ..recorder import Node
from ..recorder.recording.nodes import Left
from ..recorder.recording.switches import Off
from ..recorder.recording.variables import Where, in_line
from .graph import Graph
from .source import callee, cited, is_statement, making
from .watch import CHECKPOINT, Run

SPELLED = {"__array__": "numpy.asarray", "__float__": "float()", "__int__": "int()"}
_WRAPS = frozenset(("Parameter", "Variable", "Buffer", "from_pretrained"))
_DERIVE = frozenset(("jacobian", "hessian", "vjp", "jvp", "hvp", "vhp"))
"""Functions of torch.autograd.functional, whose results are constants without create_graph."""
DRAWS = frozenset(("multinomial", "bernoulli", "poisson", "normal", "binomial"))
_FLOATS = ("float", "bfloat", "complex")


class Stop(NamedTuple):
    """`kind` of a `Fault`; `says` what stops the gradient where; `do` what helps."""

    kind: str
    says: str
    do: str
    where: Where | None


def called(node: Node) -> str:
    """What a person calls a node: its variable, or what it is."""
    if node.variable:
        return node.variable
    if node.leaf and node.name.rstrip("_0123456789") in ("input", "const"):
        return "a constant" if node.kind == "constant" else "a new tensor"
    if node.type == "stop_gradient" and node.operands:
        how = ".data" if node.function == "__get__" else ".detach()"
        return f"{called(node.operands[0].producer)}{how}"
    return node.label if node.leaf else f"{node.type}(…)"


def stop(run: Run, graph: Graph, node: Node, live: Collection[str] = ()) -> Stop:
    """Why nothing goes back through `node`; `live` are the nodes whose gradient is missing."""
    reads = [edge.producer for edge in node.operands if edge.producer.requires_grad]
    read = next((one for one in reads if one.name in live), reads[0] if reads else None)
    operand = called(read) if read is not None else "it"
    if node.off is not None:
        return _without(run, graph, node, node.off, operand)
    where, word = node.place, callee(node.place)
    at = in_line(where)
    if word == "sample":
        return _sample(cited(where), where, "")
    if node.type == "grad":
        by_backward = len(node.operands) == 1
        called_as = word if word in _DERIVE else "grad"
        text, ran = (f"{operand}.grad", "backward()") if by_backward else (f"{called_as}()", "it")
        return Stop(
            "no_create_graph",
            f"{text}{at} gives a constant, for {ran} ran without create_graph=True.",
            f"Write {called_as}(…, create_graph=True) where the loss is made of it.", where,
        )  # fmt: skip
    if node.type in _WRAPS and node.operands:
        source = node.operands[0].producer
        made = making(_WRAPS, source, where) or where
        text = cited(made) if callee(made) in _WRAPS else f"nn.{node.type}({called(source)})"
        return Stop(
            "copied", f"{text}{in_line(made)} is a new leaf: it has the numbers of "
            f"{called(source)} and not its graph.", _functional(graph, node, called(source)), made,
        )  # fmt: skip
    if node.kind == "stopped" and node.type != "stop_gradient" and read is not None:
        if read.inplace and len(read.operands) > 1:
            operand = called(read.operands[1].producer)
        text = ".data =" if node.type == "data" else f"{node.type}_ on .data"
        return Stop(
            "copied", f"{text}{at} keeps the numbers of {operand} and drops its graph.",
            _functional(graph, node, operand), where,
        )  # fmt: skip
    if node.type == "stop_gradient":
        how = ".data" if node.function == "__get__" else ".detach()"
        if word in ("deepcopy", "state_dict", "vector_to_parameters"):
            return Stop(
                "copied", f"{cited(where)}{at} copies numbers, and the copy is a new leaf that "
                f"does not know {operand}.",
                "Run the module itself with other weights, torch.func.functional_call(net, "
                "weights, x): they keep their graph.", where,
            )  # fmt: skip
        return Stop(
            "detached", f"{operand}{how}{at} lets the value through and no gradient.",
            f"Take {how} away here, if it should train.", where,
        )  # fmt: skip
    if node.type in ("tensor", "as_tensor", "new_tensor"):
        text = cited(where) or f"torch.{node.type}({operand})"
        return Stop(
            "copied", f"{text}{at} copies the numbers into a new tensor that does not know where "
            "they come from.",
            f"Use {operand} itself; torch.stack or torch.cat joins several.", where,
        )  # fmt: skip
    if node.type in DRAWS:
        return _sample(cited(where) or f"torch.{node.type}()", where, "")
    whole = whole_numbers(node)
    if whole:
        return Stop(
            "whole_numbers",
            f"{whole[0].type}{in_line(whole[0].place)} gives {whole[1]}, and whole numbers have no "
            "derivative.",
            _soft(whole[0]), whole[0].place,
        )  # fmt: skip
    return Stop("ended", f"{node.type}{at} gives it no way back.", "", where)


def _without(run: Run, graph: Graph, node: Node, off: Off, operand: str) -> Stop:
    """The op ran where gradients were off."""
    at, where = in_line(node.place), node.place
    if any(CHECKPOINT in one for one in run.warned):
        return Stop(
            "checkpoint", f"checkpoint with use_reentrant=True ran {node.type}{at} without "
            "gradients, for none of the checkpoint's inputs wants one.",
            "Say use_reentrant=False; or x.requires_grad_() on the input of the checkpoint.", where,
        )  # fmt: skip
    if off.how == "sample":
        return _sample(cited(off.where) or f"{off.function}.sample()", off.where, off.function)
    switch = f"torch.{off.name}"
    if node.inplace and node.operands[1:]:
        text = node.function if off.how == "block" else cited(where) or node.type
        return Stop(
            "copied", f"{text}{at} under {switch} copies the numbers of {operand} and no gradient "
            "comes back to it.",
            _functional(graph, node, operand), where,
        )  # fmt: skip
    if off.how == "decorator":
        return Stop(
            "no_grad", f"{off.function} is decorated with @{switch}{in_line(off.where)}, so "
            f"{node.type}{at} ran without gradients.",
            f"Take the decorator off {off.function} if what it computes should train.", off.where,
        )  # fmt: skip
    if off.how == "torch":
        by = f"torch's {off.function}" if off.function else "torch"
        return Stop("no_grad", f"{by} runs {node.type}{at} without gradients.", "", where)
    if off.where is None:
        return Stop(
            "no_grad", f"{node.type}{at} ran without gradients: they were off already when "
            f"{run.name} was called.",
            "Look for torch.set_grad_enabled(False) or a no_grad block around the call.", where,
        )  # fmt: skip
    if off.name == "set_grad_enabled" and is_statement(off.where):
        return Stop(
            "no_grad", f"torch.set_grad_enabled(False){in_line(off.where)} switched gradients off, "
            f"and they were still off when {node.type}{at} ran.",
            "Write `with torch.no_grad():` around what needs none: its end switches gradients on "
            "again. Or call torch.set_grad_enabled(True) before what trains.", off.where,
        )  # fmt: skip
    return Stop(
        "no_grad", f"{node.type}{at} ran without gradients: the {switch} block"
        f"{in_line(off.where)} had switched them off.",
        "Take what trains out of that block.", off.where,
    )  # fmt: skip


def _sample(text: str, where: Where | None, distribution: str) -> Stop:
    kind = getattr(torch.distributions, distribution, None)
    smooth = bool(getattr(kind, "has_rsample", False))
    soft = (
        "rsample() draws with a path to the parameters. " if smooth
        else "For a choice among few, functional.gumbel_softmax has a gradient. "
    )  # fmt: skip
    return Stop(
        "sampled", f"{text or 'sample()'}{in_line(where)} draws numbers, and passes no gradient to "
        "what they are drawn from.",
        f"{soft}Else train the probability of what was drawn: -(log_prob(action) * "
        "reward).mean().", where,
    )  # fmt: skip


def _functional(graph: Graph, node: Node, made: str) -> str:
    """How to compute with a made weight, as the op that reads it does."""
    readers = (edge.consumer.type for edge in graph.consumers.get(node.name, ()))
    kind = next((one for one in readers if one == "linear" or one.startswith("conv")), None)
    if kind is None:
        return f"Compute with {made} itself."
    return (
        f"Compute with {made} itself: F.{kind}(x, {made}), or torch.func.functional_call(layer, "
        f"{{'weight': {made}}}, x), which runs a module with weights that have a graph."
    )


def _soft(node: Node) -> str:
    if node.inplace:
        return "Create the tensor that it writes into with floats, dtype=torch.float32."
    if node.type in ("to", "long", "int", "short", "byte", "type"):
        return "Take the cast away, or straight-through: x + (x.round() - x).detach()."
    if node.type == "topk":
        return "Multiply by the values that it gives, such as what each chosen expert computes."
    if node.type in ("argmax", "argmin", "max", "min", "sort", "argsort"):
        return (
            "Use a soft form, such as softmax for argmax; or straight-through: the gradient of the "
            "soft form with the value of the hard one, soft + (hard - soft).detach()."
        )
    return (
        "Use a soft form, such as sigmoid for a comparison; or straight-through, "
        "soft + (hard - soft).detach()."
    )


def whole_numbers(node: Node) -> tuple[Node, str] | None:
    """Who gives numbers that are no floats, and of which dtype: the op, or an output it reads."""
    for edge in node.operands:  # first what it reads, such as the places that topk gives
        if edge.producer.requires_grad and not edge.value.dtype.startswith(_FLOATS):
            return edge.producer, edge.value.dtype
    dtype = node.outputs[0].dtype
    return None if dtype.startswith(_FLOATS) else (node, dtype)


def derived(node: Node) -> bool:
    """Whether a detach is that of jacobian() or hessian(), and not the program's own."""
    return callee(node.place) in _DERIVE


def left_by(left: Left, of: str = "") -> str:
    """How numbers left torch: ".item()", "float()", or the constructor that read them."""
    word = callee(left.place)
    if left.call in ("__float__", "__int__") and word.endswith("Tensor"):
        return cited(left.place)
    return SPELLED.get(left.call, f".{left.call}()")
