"""The graph of a run as it crosses the wire: what ``graph_drawing`` gives, by part."""

from typing import (
    Literal,
    NotRequired,  # pydantic asks for it below Python 3.12
)

from typing_extensions import TypedDict

from lessons.gradient_tricks.recorder.recording.nodes import Kind, State


class GraphNode(TypedDict):
    """A box; its last line is the value, drawn as a pill.

    ``entry`` says which of its tensor's numbers that is, where there are several; ``stale`` what
    the op had saved for its backward pass and was changed before it.
    """

    id: str
    label: str
    type: str
    kind: Kind
    lines: list[str]
    value: str
    entry: str
    full: str
    upstream: str
    upstream_full: str
    stale: list[str]
    output: bool


class OtherGradient(TypedDict):
    """The gradient that another variant of the trick sends along the same edge."""

    gradient: str
    sign: Literal["positive", "negative", "zero", "nan", "none"]
    weight: float


class Bracket(TypedDict):
    """The nodes that a variant's trick covers.

    Dragging an end sets ``control`` to the option whose nodes are nearest.
    """

    name: str
    nodes: list[str]
    control: str
    options: list[tuple[str, list[str]]]


GraphEdge = TypedDict(
    "GraphEdge",
    {
        "id": str,
        "from": str,
        "to": str,
        "gradient": str,
        "full": str,
        "offered": str | None,
        "sign": Literal["positive", "negative", "zero", "nan", "none"],
        "state": State,
        "stale": bool,
        "cuttable": bool,
        "alternative": str,
        "weight": float,
        "other": NotRequired[OtherGradient],
    },
)
"""A line with its gradient.

``offered`` is what a cut edge holds back, ``weight`` how thick the line is, 0 to 1. With ``other``
there are two variants: this one's gradient is above the line, the other's below.
"""


class BoxPlace(TypedDict):
    """A node's box; x and y are its middle."""

    x: float
    y: float
    width: float
    height: float


class EdgePlace(TypedDict):
    """The points of an edge from producer to consumer; its gradient's middle is at x and y."""

    x: float
    y: float
    route: list[tuple[float, float]]


class GraphPlaces(TypedDict):
    """Where everything lies, in the order of ``nodes`` and ``edges``.

    Settings flow to the right, or down.
    """

    right: bool
    width: float
    height: float
    nodes: list[BoxPlace]
    edges: list[EdgePlace]


class GraphPart(TypedDict):
    """One edge of a step's op.

    ``terms``: for each product in the sum, the upstream gradient and the local derivative.
    """

    edge: str
    local: str | None
    gradient: str
    latex: str
    terms: list[tuple[str, str]]


class GraphSum(TypedDict):
    """A sum of gradients over several paths: how many have ``arrived``, of the ``total``."""

    node: str
    arrived: int
    total: int


class GraphStep(TypedDict):
    """One step of the backward pass, with the sums that wait."""

    kind: Literal["start", "op", "stopped", "leaf"]
    node: str
    upstream: str
    parts: list[GraphPart]
    waiting: list[GraphSum]
    sentence: str


class Stretch(TypedDict):
    """Where the code says a node: lines and columns of the pane, from 0; ``end`` is exclusive.

    ``typed`` is its line in the learner's own program, from 0.
    """

    node: str
    line: int
    start: int
    last: int
    end: int
    typed: NotRequired[int]


class GraphSpec(TypedDict):
    """The whole drawing, for one component of its tensors.

    ``scissors`` says how an edge that is cut is told of: all that are cut, or each click by itself.
    ``covered`` says why no gradient is shown yet, if none is; ``entries`` of which entries the
    numbers are, if there are several, and which of them are sums; ``equation`` is the sum that an
    input's gradient is, piece by piece with whether it is struck out; ``leaves`` the inputs whose
    gradients the charts show as the trick gradient. ``wide`` is None where the drawing is only
    upright.
    """

    scissors: Literal["cuts", "snip"] | None
    cuts: list[str]
    covered: str
    index: list[int]
    wide: GraphPlaces | None
    narrow: GraphPlaces
    nodes: list[GraphNode]
    edges: list[GraphEdge]
    steps: list[GraphStep]
    equation: list[tuple[str, bool]]
    entries: str
    alternative: str
    stretches: list[Stretch]
    leaves: list[str]
    brackets: NotRequired[list[Bracket]]
