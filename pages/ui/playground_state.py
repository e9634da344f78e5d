"""What one learner has in the playground: the form as typed, the last good picture, undo.

No widgets in here.
"""

import contextlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from lessons.graph import Recording
from lessons.playground import (
    Document,
    Outcome,
    PlaygroundError,
    check,
    from_url,
    preset,
    presets,
    snip,
    to_text,
    to_url,
)
from lessons.playground.cuts import operations_of
from lessons.playground.graph import edges_of, place, record_checked
from lessons.playground.run import run_checked
from pages.ui.history import History
from pages.ui.playground_form import (
    Form,
    complete,
    control_of,
    form_of,
    moved_entry,
    names,
    read,
    with_entry,
)

FIRST = "noise_leaks"
"""The program that is there at first."""
LARGEST_GRAPH = 60
"""Ops: a drawing of more is no help, and takes long to lay out."""
MOST_TEXT = 45_000
"""Characters kept of one control: more than any is read with, so that it can be refused."""
_LONGEST_ADDRESS = 16_000
_MOST_ADDRESSES = 1_000


@dataclass(frozen=True)
class Graph:
    """What the drawing is made of.

    Args:
        recording, index: the run, and the component that is shown.
        edges: those that have a text of their own, so that the scissors can cut them.
        cut: those of them that are cut now.
    """

    recording: Recording
    index: tuple[int, ...]
    edges: frozenset[str]
    cut: frozenset[str]


@dataclass
class PlaygroundState:
    """One playground in one session.

    Args:
        form: what each control shows, refused text included.
        document: the last one that could be read; its program may still be wrong.
        good: the one that ``outcome`` is of.
        outcome, graph, seconds: the last good picture, its graph unless that is too large to be
            read, what the run took.
        errors: what is refused, by control.
        said: something to tell the learner once: an address that could not be read, a refused cut.
        history: forms to go back and forward to.
        seq, reset: as in LabState.
        at: the step of the backward pass that an address asked for; None leaves it as it is.
        offer: counts how often another preset, or none, came to be shown. A choice made from an
            older list crossed with an answer and is no wish.
        acted: the last wish to undo or redo that was done: the word and the browser's count, which
            goes on from here when the page is opened again.
    """

    form: Form = field(default_factory=dict)
    document: Document = field(default_factory=lambda: preset(FIRST))
    good: Document | None = None
    outcome: Outcome | None = None
    graph: Graph | None = None
    seconds: float = 0.0
    errors: dict[str, PlaygroundError] = field(default_factory=dict)
    said: str = ""
    history: History = field(default_factory=lambda: History({}))
    seq: int = 0
    reset: int = 0
    at: int | None = None
    offer: int = 0
    acted: str = ""
    _offered: str = ""
    _addresses: dict[int, None] = field(default_factory=dict)
    _refused: tuple[Document, PlaygroundError] | None = None

    def __post_init__(self) -> None:
        self._show(self.document)
        self.history = History(dict(self.form))

    def open_address(self, given: Mapping[str, str]) -> bool:
        """Take what an address carries; what cannot be read is said, and what was there stays.

        The page's own address comes back with each run, sometimes an older one: only what came
        from outside, and has not been taken yet, counts. A link may bear a number, ``n``, to be
        told from itself. Says whether a program was taken.
        """
        asked = {name: given[name] for name in ("program", "preset", "n") if name in given}
        mark = hash(frozenset(asked.items()))
        if not asked.keys() - {"n"} or mark in self._addresses:
            return False
        self._addresses[mark] = None
        try:
            packed = asked.get("program")
            document = preset(asked["preset"]) if packed is None else from_url(packed)
        except PlaygroundError as error:
            self.said = f"{error.message} What is shown is “{self.name or 'your program'}”."
            return False
        at = given.get("at", "")
        self.at = int(at) if at.isascii() and at.isdigit() and len(at) < 7 else None
        self._show(document)
        if self.good is None:
            self.history = History(dict(self.form))
        self.history.remember(self.form)
        return True

    def address(self) -> dict[str, str]:
        """What an address needs to restore the document; nothing for one too long for it."""
        found = self.preset
        packed = "" if found else to_url(self.document)
        if len(packed) > _LONGEST_ADDRESS:
            return {}
        made = {"preset": found} if found else {"program": packed}
        self._addresses[hash(frozenset(made.items()))] = None
        while len(self._addresses) > _MOST_ADDRESSES:
            del self._addresses[next(iter(self._addresses))]
        return made

    @property
    def preset(self) -> str:
        """The preset's name, while the document is one as it came."""
        return _presets().get(_bare(self.document), "")

    @property
    def name(self) -> str:
        """What the program is called."""
        found = self.preset
        return preset(found).title if found else self.document.title

    @property
    def input_names(self) -> list[str]:
        """The inputs that have controls."""
        try:
            return names(self.form)
        except PlaygroundError:
            return [one.name for one in self.document.inputs]

    def take(self, values: Mapping[str, str], live: bool = False) -> None:
        """Take in what the browser sent: controls, and at most one thing to do.

        Args:
            values: texts by control; what is no control of ours is left out.
            live: True while the learner drags; undo goes back to before the drag.
        """
        self.said, self.at = "", None
        texts = {name: text[:MOST_TEXT] for name, text in values.items() if name in self.form}
        if any(text != self.form[name] for name, text in texts.items()):
            self._edit(texts, values.get("touched", ""))
        if not live:
            self._do(values)

    def _edit(self, texts: Form, touched: str) -> None:
        old, new = self.form, complete(self.form | texts)
        if self.preset and texts.get("title") == old["title"]:
            new["title"] = ""  # it is no longer the preset that the title names
        if any(text != old[name] for name, text in texts.items() if name != "title"):
            new["about"] = ""
        self.form = _with_sliders(old, new, touched)

    def _do(self, values: Mapping[str, str]) -> None:
        chosen, snipped, asked = (values.get(word, "") for word in ("preset", "snip", "do"))
        name, _, offered = chosen.partition(" ")
        if offered == str(self.offer) and name != self.preset:
            self._load(name)
        elif snipped:
            self._snip(snipped)
        self.history.remember(self.form)
        word = asked.partition(" ")[0]
        if word in ("undo", "redo") and asked != self.acted:
            self.acted = asked
            there = self.history.go(word)
            if there is not None:
                self.form = there
                self.reset += 1

    def update(self) -> None:
        """Bring the picture up to date with the form; what is refused keeps the last one."""
        document, self.errors = read(self.form)
        if document is None:
            return
        self.document = document
        if self.preset != self._offered:
            self._offered = self.preset
            self.offer += 1
        refused = self._refused is not None and _same(document, self._refused[0])
        if not refused and not _same(document, self.good):
            self._compute(document)
        if self._refused is not None and _same(document, self._refused[0]):
            error = self._refused[1]
            self.errors = {control_of(error, self.form): error}

    def _compute(self, document: Document) -> None:
        start = time.perf_counter()
        try:
            checked = check(document)
            outcome = run_checked(checked)
            recording = record_checked(checked)
        except PlaygroundError as error:
            self._refused = document, error
            return
        self.outcome, self.good, self._refused = outcome, document, None
        self.graph = None
        if len(recording.ops) <= LARGEST_GRAPH:
            ops = operations_of(checked.program)
            cut = {
                f"{one.name}:{operand.place}"
                for one in ops
                for operand in one.operands
                if operand.cut
            }
            self.graph = Graph(recording, place(checked), frozenset(edges_of(ops)), frozenset(cut))
        self.seconds = time.perf_counter() - start

    def _load(self, name: str) -> None:
        try:
            self._show(preset(name))
        except PlaygroundError as error:
            self.said = error.message

    def _snip(self, edge: str) -> None:
        """Cut or mend an edge: the program is rewritten."""
        document, _ = read(self.form)
        if document is None or document != self.good:
            self.said = "The scissors cut the program that is drawn. Mend the error first."
            return
        try:
            self.form["program"] = snip(document, edge).program
            self.form["about"] = ""
        except PlaygroundError as error:
            self.said = error.message
        self.reset += 1

    def _show(self, document: Document) -> None:
        self.form = form_of(document)
        self.reset += 1


@cache
def _presets() -> dict[Document, str]:
    return {_bare(one.document): one.name for one in presets()}


def _same(document: Document, other: Document | None) -> bool:
    """Whether they would run alike. Two numbers can be equal and not the same: 0 and -0.0."""
    return document == other and to_text(document) == to_text(other)


def _bare(document: Document) -> Document:
    return document.with_(title="", about="")


def _with_sliders(old: Form, new: Form, touched: str) -> Form:
    """A slider and its input's list say the same: the one that the hand is on sets the other.

    Without a hand it is the one that differs. The browser's text for the other may be an older one.
    """
    for values in [name for name in new if name.startswith("in.") and name.endswith(".values")]:
        name, entry = values.split(".")[1], values.removesuffix("values") + "entry"
        if touched and values in old:
            new |= {other: old[other] for other in (values, entry) if other != touched}
        if new[entry] != old.get(entry) and new[values] == old.get(values):
            with contextlib.suppress(PlaygroundError):  # what it cannot be is said at the control
                new[values] = with_entry(new, name, new[entry])
        elif any(new[one] != old.get(one) for one in (values, "entry", "over", "inputs")):
            new[entry] = moved_entry(new, name) or new[entry]
    return new
