"""What crosses the wire between a lab in the browser and this server: the only description of it.

In comes a ``Wish``, which may be anything and is checked here for shape, type and size; whether a
value makes sense is for the lesson to say. Out goes a ``FrameMessage``, the ``PictureMessage`` of a
training or an ``Aside``, each as one JSON text (``wire.py``).
``python -m tests.support.message_types`` writes the same for the browser's modules, messages.d.ts,
which git ignores.
"""

import json
import re
import secrets
from collections.abc import Mapping
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    NotRequired,  # pydantic asks for it below Python 3.12
    TypeVar,
)

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from typing_extensions import TypedDict

from lessons.gradient_tricks.text import cited, visible
from pages.labs.graph_messages import GraphSpec

MAX_MESSAGE = 400_000
"""Characters of a message; a form of the playground with every field full has fewer."""
MAX_TEXT = 200_000  # ten times what a lesson reads, so that it can say that it is too much
MAX_SEQ = 2**32 - 1

Name = Annotated[str, StringConstraints(max_length=100)]
Text = Annotated[str, StringConstraints(max_length=MAX_TEXT)]
Texts = Annotated[dict[Name, Text], Field(max_length=256)]
MOST_TOUCHED = 16
"""Controls that a hand was on between two answers; the browser sends the last ones."""
Names = Annotated[list[Name], Field(max_length=128)]
Count = Annotated[int, Field(ge=0, lt=10**9)]


class _Message(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


M = TypeVar("M", bound=_Message)


class TrainingWish(_Message):
    """What the learner wants of a training; counts, so that a lost message loses nothing.

    Args:
        phase: run or pause.
        begun: how often a new run was asked for.
        token: names this lab of this tab, so that its run is found again after a cut.
        run: the run whose pictures the browser has seen; empty before there is one.
        count: how often anything was asked for.
    """

    phase: Literal["run", "pause"] = "pause"
    begun: Count = 0
    token: Annotated[str, StringConstraints(min_length=1, max_length=100)] = Field(
        default_factory=lambda: secrets.token_hex(8)
    )
    run: Name = ""
    count: Count = 0


class Wish(_Message):
    """What the browser wants to see: everything that the answer depends on.

    Args:
        lab: a lesson's slug, ``bench`` or ``playground``.
        values: what each control says.
        touched: the controls that the hand was on since the last answer, the last one at the end:
            of two linked ones it counts.
        moving: True while the hand moves: a cheaper picture will do.
        good: what the controls said that last gave a picture; asked for when a text is refused.
        cuts: the edges of the graph that are cut, as in an address.
        carried: True where they were cut at another step: those that are no edges here are dropped
            and nothing is said, since nobody asked for them here.
        do: a thing to do once: ``snip EDGE`` in the playground.
        step: of the lesson, 1 for the first.
        answers: names of the questions that have been answered.
        uncovered: whether the learner asked to see what open questions cover.
        goal: what a quiz asks for, in facts, in place of the step's own task.
        hide, fix: the controls that a teacher's link hides, and those that it fixes.
        open: the drawers and galleries that are open, by view and by control. What is in none, and
            not on the stage, is not in the answer.
    """

    lab: Name
    values: Texts = {}
    touched: Annotated[list[Name], Field(max_length=MOST_TOUCHED)] = []
    moving: bool = False
    good: Texts | None = None
    cuts: Annotated[str, StringConstraints(max_length=4000)] = ""
    carried: bool = False
    do: Name = ""
    step: Annotated[int, Field(ge=1, le=999)] = 1
    answers: Names = []
    uncovered: bool = False
    goal: Annotated[str, StringConstraints(max_length=1000)] = ""
    hide: Names = []
    fix: Names = []
    open: Names = []


class Option(TypedDict):
    """What may be chosen; in a gallery with its ``group`` and a sentence."""

    value: str
    label: str
    group: NotRequired[str]
    help: NotRequired[str]


class Control(TypedDict):
    """One control; ``value`` is what it shows, refused text included; ``of`` is the name of the
    list control whose entry it chooses.

    The value of an interval is two numbers with a comma between them; ``ends`` has the words for
    its two handles. With ``spread`` the second number is the distance to both sides of the first.
    ``button`` labels a button next to a whole number, which draws a new one.
    """

    name: str
    label: str
    kind: Literal[
        "slider", "interval", "integer", "text", "choice", "select", "code", "actions", "gallery"
    ]
    value: str
    help: str
    error: str | None
    hidden: bool
    placeholder: str
    disabled: NotRequired[bool]
    min: NotRequired[float]
    max: NotRequired[float]
    step: NotRequired[float]
    scale: NotRequired[Literal["linear", "log"]]
    options: NotRequired[list[Option]]
    mark: NotRequired[list[int] | None]
    of: NotRequired[str]
    ends: NotRequired[list[str]]
    button: NotRequired[str]
    spread: NotRequired[bool]


class Group(TypedDict):
    """Controls under one heading, folded away; they unfold when ``open`` becomes true.

    A group with an ``area`` has a place of its own in the lab and never folds. ``code`` is the code
    that its controls write.
    """

    title: str | None
    open: bool
    controls: list[Control]
    area: NotRequired[str]
    code: NotRequired[str]


class Chart(TypedDict):
    """Plotly's data and layout, with tokens for colours."""

    data: list[dict[str, Any]]
    layout: dict[str, Any]


class FigureSpec(TypedDict):
    """A chart; ``selects`` is the control that a click on a point sets."""

    id: str
    title: str
    caption: str
    alt: str
    height: int
    selects: str | None
    figure: Chart


class Column(TypedDict):
    label: str
    role: str | None


class TableSpec(TypedDict):
    caption: str
    columns: list[Column]
    rows: list[list[str]]


class NoteSpec(TypedDict):
    level: Literal["info", "warning", "error"]
    text: str


class KeyEntry(TypedDict):
    """Which line is which."""

    role: str
    label: str
    dash: str


class Pane(TypedDict):
    """Code next to the lab: by line, pieces of kind and text, and which lines are marked."""

    lines: list[list[tuple[str, str]]]
    marks: list[int]


class Code(TypedDict):
    """The program as code.

    ``panes`` are by name, the code that ran first, then what says the same. ``files`` to take home
    are texts by name.
    """

    panes: dict[str, Pane]
    files: dict[str, str]


class View(TypedDict):
    """A part of a lab that the stage or a drawer can show: the graph, the table or a chart."""

    name: str
    label: str


class Link(TypedDict):
    """A link that leads on from the lab; the address is relative to the page's base."""

    label: str
    address: str


class Shown(TypedDict):
    """The part of the message that a lab and a training share.

    Args:
        figures, table: those on the stage and in open drawers.
        views: all that there are; those of a training come with its picture.
        turn: whether the step's task is done; None where there is none to do.
        numbers: what the marks in the text beside the lab say.
    """

    figures: list[FigureSpec]
    table: TableSpec | None
    views: list[View]
    notes: list[NoteSpec]
    status: str
    turn: bool | None
    numbers: dict[str, str]


class Frame(Shown):
    """Everything that a lab shows at one moment.

    Args:
        stage: the view that the step is about.
        below_stage: views that stand below it, in sight, too. All others are in drawers.
        form: what every control says, those out of sight included.
        accepted: whether all of it gave this picture; else some text is refused.
        settled: whether the picture is whole: a resting hand changes nothing in it.
        query: the address that restores this screen, without "?" and without the backward step.
        covered: whether open questions cover something of the lab.
        trained: the controls that set what a training's steps are made with, and ``cuts`` where an
            edge is cut in them; empty where nothing is trained, else pictures of it come besides.
        sentence: one sentence about the numbers, in parts: a role, or nothing, and the words.
        links: where to go from here; none while the hand moves.
    """

    form: dict[str, str]
    accepted: bool
    settled: bool
    groups: list[Group]
    query: str
    key: list[KeyEntry]
    graph: GraphSpec | None
    code: Code | None
    stage: str
    below_stage: list[str]
    covered: bool
    trained: list[str]
    sentence: list[tuple[str, str]]
    links: list[Link]


class TrainerSpec(TypedDict):
    """The state of a training.

    ``offered`` is false where a run would change nothing in sight. ``held`` is true while a run
    would answer an open question, ``lost`` where the run went with the process that had it;
    ``count`` is that of the wish.
    """

    state: Literal["ready", "running", "paused", "done"]
    done: int
    total: int
    text: str
    offered: bool
    held: bool
    begun: int
    run: str
    lost: bool
    count: int


class Picture(Shown):
    """A training at one moment."""

    training: TrainerSpec


class FrameMessage(TypedDict):
    """The answer to the wish with the number ``seq``."""

    seq: int
    kind: Literal["frame"]
    content: Frame


class PictureMessage(TypedDict):
    """A training's newest picture."""

    seq: int
    kind: Literal["picture"]
    content: Picture


class Aside(TypedDict):
    """A message between frames.

    ``again``: a text is refused, send what was good. ``refused``: the message is not answered, for
    a reason that people can read. ``failed``: the training is lost by a mistake of ours, or with
    the worker that had it.
    """

    seq: int
    kind: Literal["again", "refused", "failed"]
    text: NotRequired[str]


class RefusedError(ValueError):
    """A message that gets no answer; says what the server got and what it expected."""


class Opened(NamedTuple):
    """A message as it was received: its number, its kind, the wish and the training's as text."""

    seq: int
    kind: str
    wish: str
    training: str


_ENVELOPE = re.compile(r"(\d{1,10}) (ask|train|taken)(?: ([^\n]*)(?:\n([^\n]*))?)?", re.ASCII)


def number_of(text: str) -> int:
    """Return the number that a message begins with, even if the rest is refused; 0 for none."""
    found = re.match(r"\d{1,10}(?!\d)", text, re.ASCII)
    return int(found[0]) if found and int(found[0]) <= MAX_SEQ else 0


def opened(text: str) -> Opened:
    """Split a message. The wish itself is read later: the same text has the same answer.

    Raises:
        RefusedError: it is not written as ``12 ask {…}``, or ``train`` has no second line with
            the training's wish.
    """
    if len(text) > MAX_MESSAGE:
        raise RefusedError(f"A message has at most {MAX_MESSAGE:,} characters, not {len(text):,}.")
    found = _ENVELOPE.fullmatch(text)
    if not found or int(found[1]) > MAX_SEQ:
        raise RefusedError(
            f"A message is a number up to {MAX_SEQ}, ask, train or taken, and a wish as JSON; a "
            f"training's wish is on a second line. This message is not: {cited(text)}"
        )
    if found[2] == "train" and not found[4]:
        raise RefusedError(
            "With train, a second line has the training's wish as JSON, such as "
            f'{{"phase": "run"}}. This message has no second line: {cited(text)}'
        )
    return Opened(int(found[1]), found[2], found[3] or "", found[4] or "")


def read(text: str) -> Wish:
    """Read the wish in a message.

    Raises:
        RefusedError: it is not as described here; names the first part that is not.
    """
    return _read(Wish, text)


def read_training(text: str) -> TrainingWish:
    """Read a training's wish; raise `RefusedError` as `read` does."""
    return _read(TrainingWish, text)


def _read(what: type[M], text: str) -> M:
    try:
        return what.model_validate_json(text)
    except ValidationError as error:
        first: Mapping[str, Any] = error.errors(include_url=False, include_context=False)[0]
        got = first["input"]  # a part of it, or all of it where it cannot be read
        shown = text if got is text or not first["loc"] else json.dumps(got, ensure_ascii=False)
        where = ".".join(visible(str(part)) for part in first["loc"]) or "the message"
        raise RefusedError(f"{where}: {first['msg']}. The server got {cited(shown)}.") from None
