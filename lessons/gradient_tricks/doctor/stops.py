"""Why an op lets no gradient back, in a sentence, and what people do about it."""

from collections.abc import Collection
from dataclasses import replace

import torch

from ..recorder import Left, Node, Off, Where, in_line, line_of
from .run import Run
from .source import callee, cited, is_statement, making
from .watch import CHECKPOINT
from .words import WORDS, Fault, called, how_stopped

_SPELLED = {"__array__": "numpy.asarray", "__float__": "float()", "__int__": "int()"}
_WRAPS = frozenset(("Parameter", "Variable", "Buffer", "from_pretrained"))
_DERIVE = frozenset(("jacobian", "hessian", "vjp", "jvp", "hvp", "vhp"))
"""Functions of torch.autograd.functional, whose results are constants without create_graph."""
DRAWS = frozenset(("multinomial", "bernoulli", "poisson", "normal", "binomial"))
JOIN = "torch.stack or torch.cat joins several tensors and keeps their graph."
_FLOATS = ("float", "bfloat", "complex")


def stops(run: Run, live: Collection[str], among: Collection[str]) -> list[tuple[Fault, list[str]]]:
    """Say why ops in `among` give `live` nodes no gradient: each cause in a line, with its ops."""
    found: dict[tuple[str, str], tuple[Fault, list[str]]] = {}
    for node in run.graph.ends({*live}):
        if node.name in among:
            why = stop(run, node, live)
            key = why.kind, line_of(why.where) or node.name
            found.setdefault(key, (why, []))[1].append(node.name)
    return [*found.values()]


def stop(run: Run, node: Node, live: Collection[str] = ()) -> Fault:
    """Why nothing goes back through `node`; `live` are the nodes whose gradient is missing."""
    reads = [edge.producer for edge in node.operands if edge.producer.requires_grad]
    read = next((one for one in reads if one.name in live), reads[0] if reads else None)
    operand = called(read) if read is not None else "it"
    why = _without(run, node, node.off, operand) if node.off else _why(run, node, read, operand)
    return replace(why, node=node.name, where=why.where or node.place)


def _why(run: Run, node: Node, read: Node | None, operand: str) -> Fault:
    """Why an op that ran with gradients on stops them; `operand` is how the text calls `read`."""
    where, word, at = node.place, callee(node.place), in_line(node.place)
    if word == "sample" or node.type in DRAWS:
        return _sample(cited(where) or f"torch.{node.type}()", where)
    if node.type == "grad":
        called_as = word if word in _DERIVE else "grad"
        text, ran = f"{called_as}()", "it"
        if len(node.operands) == 1:
            text, ran = f"{operand}.grad", "backward()"
        says = f"{text}{at} gives a constant, because {ran} ran without create_graph=True."
        return Fault("no_create_graph", says, WORDS("create_graph", function=called_as))
    if node.type in _WRAPS and node.operands:
        source = node.operands[0].producer
        made, operand = making(_WRAPS, source, where) or where, called(source)
        text = cited(made) if callee(made) in _WRAPS else f"nn.{node.type}({operand})"
        do = _itself(run, node, operand)
        return _copied(f"{text}{in_line(made)}", f"{operand} into a new leaf", do, made)
    if node.kind == "stopped" and node.type != "stop_gradient" and read is not None:
        if read.inplace and len(read.operands) > 1:
            operand = called(read.operands[1].producer)
        text = ".data =" if node.type == "data" else f"{node.type}_ on .data"
        return _copied(f"{text}{at}", f"{operand} into a leaf", _itself(run, node, operand))
    if word in ("deepcopy", "state_dict", "vector_to_parameters") and node.type == "stop_gradient":
        return _copied(
            f"{cited(where)}{at}", f"{operand} into a new leaf", WORDS("functional_call")
        )
    if node.type == "stop_gradient":
        how = how_stopped(node)
        says = f"{operand}{how}{at} lets the value through but no gradient."
        return Fault("detached", says, f"Remove {how} here, if it should train.")
    if node.type in ("tensor", "as_tensor", "new_tensor"):
        text = cited(where) or f"torch.{node.type}({operand})"
        return _copied(f"{text}{at}", operand, f"Use {operand} itself. {JOIN}")
    if whole := _whole_numbers(node):
        op, at = whole[0], in_line(whole[0].place)
        says = f"{op.type}{at} gives {whole[1]}, and whole numbers have no derivative."
        return Fault("whole_numbers", says, soft(op), where=op.place)
    return Fault("ended", f"{node.type}{at} gives it no way back.")


def _without(run: Run, node: Node, off: Off, operand: str) -> Fault:
    """The op ran where gradients were off."""
    op, switch, by = f"{node.type}{in_line(node.place)}", f"torch.{off.name}", in_line(off.where)
    if any(CHECKPOINT in one for one, _ in run.watch.warned):
        return Fault("checkpoint", WORDS("reentrant", op=op), WORDS("not_reentrant"))
    if off.how == "sample":
        text = cited(off.where) or f"{off.function}.sample()"
        return _sample(text, off.where, off.function)
    if node.inplace and node.operands[1:]:
        text = node.function if off.how == "block" else cited(node.place) or node.type
        at = in_line(node.place)
        return _copied(f"{text}{at} under {switch}", operand, _itself(run, node, operand))
    says, do = f"{op} ran without gradients", WORDS("out_of_block")
    if off.how == "decorator":
        says = f"{off.function} is decorated with @{switch}{by}, so {says}"
        do = WORDS("decorator_off", function=off.function)
    elif off.how == "torch":
        who = f"torch's {off.function}" if off.function else "torch"
        return Fault("no_grad", f"{who} runs {op} without gradients.")
    elif off.where is None:
        says += f": they were off already when {run.name} was called"
        do = WORDS("off_already")
    elif off.name == "set_grad_enabled" and is_statement(off.where):
        says = f"torch.set_grad_enabled(False){by} switched gradients off, and {op} ran after it"
        do = WORDS("with_no_grad")
    else:
        says += f": the {switch} block{by} had switched them off"
    return Fault("no_grad", f"{says}.", do, where=off.where)


def bridged(run: Run, node: Node) -> tuple[Node, Node] | None:
    """The z and the x, if this is the detach of a straight-through bridge x + (z − x).detach()."""
    made = node.operands[0].producer if node.type == "stop_gradient" and node.operands else node
    if made.type != "sub" or len(made.operands) != 2:
        return None
    hard, soft = (edge.producer for edge in made.operands)
    readers = (edge.consumer for edge in run.graph.consumers.get(node.name, ()))
    adds = (one for one in readers if one.type == "add")
    is_bridge = any(edge.producer is soft for one in adds for edge in one.operands)
    return (hard, soft) if is_bridge else None


def _sample(text: str, where: Where | None, distribution: str = "") -> Fault:
    kind = getattr(torch.distributions, distribution, None)
    instead = WORDS("rsample") if getattr(kind, "has_rsample", False) else WORDS("gumbel")
    says = f"{text}{in_line(where)} draws numbers, and passes no gradient to what they come from."
    return Fault("sampled", says, f"{instead} {WORDS('train_probability')}", where=where)


def _copied(text: str, operand: str, do: str, where: Where | None = None) -> Fault:
    says = f"{text} copies the numbers of {operand}, not its graph."
    return Fault("copied", says, do, where=where)


def _itself(run: Run, node: Node, made: str) -> str:
    """Say how to compute with a made weight, as the op that reads it does."""
    reads = run.graph.consumers.get(node.name, ())
    readers = (one.consumer.type for one in reads if one.operand)  # not as the input
    kind = next((one for one in readers if one == "linear" or one.startswith("conv")), None)
    return WORDS("itself_by", name=made, op=kind) if kind else WORDS("itself", name=made)


def soft(node: Node) -> str:
    if node.inplace:
        return WORDS("create_with_floats")
    if node.type in ("to", "long", "int", "short", "byte", "type"):
        return WORDS("remove_cast")
    if node.type == "topk":
        return WORDS("multiply_by_values")
    chosen = node.type in ("argmax", "argmin", "max", "min", "sort", "argsort")
    return WORDS("soft_form", form="softmax for argmax" if chosen else "sigmoid for a comparison")


def _whole_numbers(node: Node) -> tuple[Node, str] | None:
    """The op whose output isn't floating point, and its dtype: one that it reads, or itself."""
    for edge in node.operands:  # first what it reads, such as the places that topk gives
        if edge.producer.requires_grad and not edge.value.dtype.startswith(_FLOATS):
            return edge.producer, edge.value.dtype
    dtype = node.outputs[0].dtype
    return None if dtype.startswith(_FLOATS) else (node, dtype)


def derived(node: Node) -> bool:
    """Whether a detach is that of jacobian() or hessian(), and not the program's own."""
    return callee(node.place) in _DERIVE


def left_by(left: Left) -> str:
    """Say how numbers left torch: ".item()", "float()", or the constructor that read them."""
    if left.call in ("__float__", "__int__") and callee(left.place).endswith("Tensor"):
        return cited(left.place)
    return _SPELLED.get(left.call, f".{left.call}()")
