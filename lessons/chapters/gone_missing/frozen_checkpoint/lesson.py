"""Adapters inside checkpointed layers, under a frozen embedding."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch.utils.checkpoint import check_backward_validity, checkpoint

from lessons.contract.devices import device_and_dtype
from lessons.contract.figure import Figure, Table
from lessons.contract.lab import Lab
from lessons.contract.lesson import Lesson
from lessons.contract.result import Array, Result, Series
from lessons.contract.settings import choice, slider, whole
from lessons.contract.words import Words
from lessons.kit.chart_pieces import Trace, axes, covered_with, fitted, scatter
from lessons.kit.components import component_figure, component_table
from lessons.kit.inputs import ComputedIn, array
from lessons.kit.line_names import lines
from lessons.kit.titles import brief

WORDS = Words(__file__)


Program = Callable[..., torch.Tensor]
"""The loss from embedding, layers and head, and from what is checkpointed and how."""

FROZEN = (0.6, 0.9)
"""The frozen weights of the two layers."""
HEAD = 0.5
NAMES = (WORDS("embedding"), WORDS("adapter_1"), WORDS("adapter_2"), WORDS("head"))
STEPS, RATE = 13, 0.1
"""Steps of a training run, and its learning rate; its losses are those before each step."""


class Settings(ComputedIn):
    way = choice("off", "reentrant", "other", default="reentrant")
    lookup = choice("frozen", "trained", "woken")
    since = whole(1, 1, 2)
    value = slider(1.5, -3, 3, 0.1, accepts=(-1e6, 1e6))


@dataclass(frozen=True)
class Layer:
    """tanh((frozen + adapter) · x)."""

    frozen: float
    adapter: torch.Tensor

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return torch.tanh((self.frozen + self.adapter) * x)


@dataclass(frozen=True)
class Op:
    """One op of the graph as torch has recorded it, or one of its leaves.

    Args:
        name: as torch calls it, without “Backward”; of a leaf the weight's name.
        leaf: whether a gradient is stored there.
        place: how many ops away from the loss, and how far off the path through the layers; an op
            that stands for a whole layer counts for two.
        toward: the place of the op that reads it; None for the last one.
    """

    name: str
    leaf: bool
    place: tuple[int, float]
    toward: tuple[int, float] | None


class Network:
    """The weights, those that are trained with ``requires_grad``."""

    def __init__(self, settings: Settings) -> None:
        device, dtype = device_and_dtype(settings)

        def weight(value: float) -> torch.Tensor:
            return torch.tensor(value, dtype=dtype, device=device).requires_grad_()

        self.embedding = torch.tensor([settings.value], dtype=dtype, device=device)
        self.embedding.requires_grad_(settings.lookup == "trained")
        self.layers = [Layer(frozen, weight(0.0)) for frozen in FROZEN]
        self.head = weight(HEAD)

    @property
    def weights(self) -> Sequence[torch.Tensor]:
        """Embedding, adapters and head, in the order of NAMES."""
        return self.embedding, *(layer.adapter for layer in self.layers), self.head

    def loss(self, program: Program, settings: Settings) -> torch.Tensor:
        """The loss with the layers checkpointed as the settings say."""
        given = settings.way, settings.lookup, settings.since
        return program(self.embedding, self.layers, self.head, *given)

    def gradients(self, loss: torch.Tensor) -> list[torch.Tensor | None]:
        """The ``.grad`` that ``backward()`` leaves at each weight; None where it leaves nothing."""
        torch.autograd.backward(loss)
        return [weight.grad for weight in self.weights]


def train(program: Program, settings: Settings) -> torch.Tensor:
    """Plain gradient descent: the losses before each step, shape [STEPS]."""
    network, losses = Network(settings), []
    for _ in range(STEPS):
        loss = network.loss(program, settings)
        losses.append(loss.detach())
        torch.autograd.backward(loss)
        with torch.no_grad():
            for weight in network.weights:
                if weight.grad is not None:
                    weight -= RATE * weight.grad
                    weight.grad = None
    return torch.stack(losses)


def recorded(loss: torch.Tensor, network: Network) -> list[Op]:
    """The graph that torch holds before the backward pass, from the loss to its leaves.

    A leaf that is none of the network's weights is “x”.
    """
    named, found = dict(zip(NAMES, network.weights, strict=True)), list[Op]()
    waiting: list[tuple[Any, tuple[int, float], Op | None]] = [(loss.grad_fn, (0, 1.0), None)]
    while waiting:
        function, place, reader = waiting.pop(0)
        variable = getattr(function, "variable", None)
        if variable is not None:
            name = next((name for name, one in named.items() if one is variable), "x")
        else:
            name = type(function).__name__.removesuffix("0").removesuffix("Backward")
        leaf = variable is not None
        on_path = not leaf or name in ("x", "embedding")
        here = (place[0], place[1] if on_path else 0.0)
        op = Op(name, leaf, here, reader.place if reader else None)
        found.append(op)
        longer = 2 if name == "CheckpointFunction" else 1
        # What adds the adapter to the frozen weight lies off the path through the layers.
        for source, _ in getattr(function, "next_functions", ()):
            if source is not None:
                aside = type(source).__name__ == "AddBackward0"
                waiting.append((source, (place[0] + longer, 0.5 if aside else place[1]), op))
    return found


def frozen_checkpoint(
    embedding: torch.Tensor,
    layers: Sequence[Layer],
    head: torch.Tensor,
    way: str,
    lookup: str,
    since: int,
) -> torch.Tensor:
    x = embedding[0]
    if lookup == "woken":
        x.requires_grad_()
    for number, layer in enumerate(layers, start=1):
        if way == "off" or number < since:
            x = layer(x)
        else:
            x = checkpoint(layer, x, use_reentrant=way == "reentrant")
    return (head * x - 1) ** 2


def as_an_argument(result: Result) -> str:
    """Grade which weights get a gradient if one of them is an argument: given, both, none."""
    given, inside = (bool(result.facts[f"argument_{name}"]) for name in ("given", "inside"))
    return "both" if given and inside else "given" if given else "none"


def warning_of_torch() -> Mapping[str, str]:
    """Torch's warning if no input of a checkpoint needs a gradient.

    The function that a checkpoint calls runs here with another ``warnings``: to catch what the real
    one says would change it for the whole process, and so for every session in it.
    """
    said: list[str] = []
    own = SimpleNamespace(warn=lambda message, **rest: said.append(str(message)))
    check: Any = FunctionType(
        check_backward_validity.__code__, {**check_backward_validity.__globals__, "warnings": own}
    )
    check([torch.zeros(1)])
    return {"warning": said[0]}


def error_of_torch() -> Mapping[str, str]:
    """Torch's error if ``backward()`` finds nothing that needs a gradient."""
    try:
        torch.autograd.backward(torch.zeros(()))
    except RuntimeError as error:
        return {"error": str(error).splitlines()[0]}
    raise AssertionError("torch took a loss that leads nowhere")


def weight_as_argument() -> Mapping[str, float]:
    """The gradients of two weights of a checkpointed function, one an argument of it, one not."""
    x = torch.tensor(2.0, dtype=torch.float64)
    given, inside = (torch.tensor(0.5, dtype=torch.float64, requires_grad=True) for _ in range(2))
    y = checkpoint(lambda x, a: (a + inside) * x, x, given, use_reentrant=True)
    torch.autograd.backward(y)
    return {
        f"argument_{name}": 0.0 if weight.grad is None else float(weight.grad)
        for name, weight in (("given", given), ("inside", inside))
    }


def compute(program: Program, settings: Settings) -> Result:
    """Gradients with the checkpoint and without, what was recorded, and two trainings."""
    bare = settings | {"way": "off"}
    own, whole = Network(settings), Network(settings)
    loss, complete_loss = own.loss(program, settings), whole.loss(program, bare)
    graph, complete = recorded(loss, own), recorded(complete_loss, whole)
    found, plain = own.gradients(loss), whole.gradients(complete_loss)
    second = Network(settings)
    later = second.gradients(second.loss(program, settings | {"since": 2}))
    trained = sum(weight.requires_grad for weight in own.weights)
    places = np.arange(1.0, len(NAMES) + 1)
    when = np.arange(STEPS, dtype=np.float64)
    runs = {
        "trick_gradient": train(program, settings),
        "true_gradient": train(program, bare),
    }
    return Result(
        series=(
            Series("forward", "forward", np.ones(1), array(loss.reshape(1))),
            Series("trick_gradient", "trick_gradient", places, _numbers(found)),
            Series("true_gradient", "true_gradient", places, _numbers(plain)),
            Series("intended_gradient", "intended_gradient", places, _numbers(plain)),
        ),
        curves=tuple(Series(role, role, when, array(losses)) for role, losses in runs.items()),
        facts={
            "trained": trained,
            "with_gradient": sum(one is not None for one in found),
            "since_2_with_gradient": sum(one is not None for one in later),
            "ops": sum(not op.leaf for op in graph),
            "ops_plain": sum(not op.leaf for op in complete),
            "in_graph": sum(op.name in NAMES for op in graph),
            "graph_names": "|".join(op.name for op in graph),
            "complete_names": "|".join(op.name for op in complete),
        },
        planes={
            "graph": _places(graph),
            "complete": _places(complete),
            "missing": np.array([[one is None for one in slopes] for slopes in (plain, found)]),
        },
        work=WORDS("work", steps=STEPS),
    )


def _numbers(slopes: list[torch.Tensor | None]) -> Array:
    """One gradient for each weight; 0 where there is none."""
    return np.array([0.0 if one is None else float(one.sum()) for one in slopes])


def _places(ops: list[Op]) -> Array:
    """The place of each op and the place of its reader, shape [n, 4]."""
    return np.array([(*op.place, *(op.toward or op.place)) for op in ops], dtype=np.float64)


LABELS = {"true_gradient": WORDS("without"), "trick_gradient": WORDS("yours")}

LOW, RECORDED = 200, 190
"""Pixels that the charts are high; three of them stand one below the other."""

SHORT_NAMES = {"CheckpointFunction": "Checkpoint"}
"""Names too long for their place."""


def table(result: Result, settings: Settings) -> Table:
    """One row a weight: its ``.grad`` after ``backward()``, None where there is none."""
    table = component_table(result, LABELS, NAMES, WORDS("table"), WORDS("weight"))
    rows = (
        (name, *np.where(missing, WORDS("none"), there).tolist())
        for (name, *there), missing in zip(table.rows, result.planes["missing"].T, strict=True)
    )
    return replace(table, rows=tuple(rows))


def _gradients(result: Result, settings: Settings) -> Figure:
    facts, missing = result.facts, dict(zip(LABELS, result.planes["missing"], strict=True))
    there = [
        replace(one, y=np.where(missing[one.role], np.nan, one.y)) if one.role in missing else one
        for one in result.series
    ]
    return component_figure(
        WORDS,
        "gradient",
        replace(result, series=tuple(there)),
        LABELS,
        NAMES,
        height=LOW,
        nan=WORDS("none"),
        count=facts["with_gradient"],
        trained=facts["trained"],
    )


def _training(result: Result, settings: Settings) -> Figure:
    losses = {series.name: series for series in result.curves}
    layout = axes(
        (0.0, STEPS - 1.0), fitted([one.y for one in losses.values()]), WORDS("step"), WORDS("loss")
    )
    own, plain = (brief(float(losses[role].y[-1])) for role in ("trick_gradient", "true_gradient"))
    return WORDS.chart(
        "training",
        lines(losses, LABELS, layout, LOW),
        layout,
        LOW,
        own=own,
        plain=plain,
        steps=STEPS - 1,
    )


def _recorded(result: Result, settings: Settings) -> Figure:
    """From the inputs on the left to the loss; grey is what torch records without a checkpoint."""
    graph, complete = result.planes["graph"], result.planes["complete"]
    names = [_names(result, which) for which in ("graph", "complete")]
    there = {(x, y) for x, y, *_ in graph.tolist()}
    left = np.array([(x, y) not in there for x, y, *_ in complete.tolist()], dtype=bool)
    rest = [name for name, kept in zip(names[1], left, strict=True) if kept]
    far = float(complete[:, 0].max())
    layout = axes((-far - 0.6, 0.6), (-0.5, 1.5), "", "")
    for axis in ("xaxis", "yaxis"):
        layout[axis] |= {"visible": False}
    layout["margin"] = layout["margin"] | {"l": 8, "b": 8}
    grey = _drawn(complete, left, rest, "ink:axis")
    facts = result.facts
    return WORDS.chart(
        "recorded",
        [
            *(covered_with(one, "trick_gradient") for one in grey),  # it gives away the others
            *_drawn(graph, np.ones(len(graph), dtype=bool), names[0], "role:trick_gradient"),
        ],
        layout,
        RECORDED,
        weights=facts["in_graph"],
        after=facts["with_gradient"],
        trained=facts["trained"],
        complete=facts["ops_plain"],
        names=", ".join(names[0]),
    )


def _names(result: Result, which: str) -> list[str]:
    return [SHORT_NAMES.get(one, one) for one in str(result.facts[f"{which}_names"]).split("|")]


def _drawn(places: Array, kept: Array, names: list[str], colour: str) -> tuple[Trace, Trace]:
    """Edges and ops. An op is as far left of the loss as it is ops away from it.

    What is grey is dotted and hollow too: nobody has to tell the colours apart.
    """
    x, y, to_x, to_y = places[kept].T
    grey = colour == "ink:axis"
    # Between the rows an edge comes from the lower left and leaves to the upper right.
    sides = {0.0: "bottom center", float(places[:, 1].max()): "top center"}
    gap = np.full_like(x, np.nan)
    return (
        scatter("lines", np.stack([-x, -to_x, gap], 1).ravel(), np.stack([y, to_y, gap], 1).ravel())
        | {
            "line": {"color": colour, "width": 2, "dash": "dot" if grey else "solid"},
            "hoverinfo": "skip",
        },
        scatter("markers+text", -x, y)
        | {
            "text": names,
            "textposition": [sides.get(float(one), "top left") for one in y],
            "textfont": {"color": "ink:muted" if grey else colour, "size": 12},
            "marker": {
                "color": colour,
                "symbol": "circle-open" if grey else "circle",
                "size": 8,
                "opacity": 1,
            },
            "cliponaxis": False,
            "hovertemplate": "%{text}<extra></extra>",
        },
    )


LESSON = Lesson(
    program=frozen_checkpoint,
    lab=Lab(
        WORDS, Settings, compute, table, (_gradients, _recorded, _training), direct_labels=True
    ),
    predictions={"transfer": as_an_argument},
    highlight='checkpoint(layer, x, use_reentrant=way == "reentrant")',
    facts=(warning_of_torch, error_of_torch, weight_as_argument),
)
