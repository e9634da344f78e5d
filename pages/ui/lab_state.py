"""What one learner has set in one lab, and the last good picture of it. No widgets in here."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lessons.graph import Recording
from lessons.graph.cutting import Cut, read_cuts, write_cuts
from lessons.lesson import CutError, Lesson
from lessons.parameters import InvalidParametersError, Values
from lessons.result import Note, Result

Run = Callable[[Values], tuple[Result, float]]
"""Computes a lesson with the state's cuts: result and seconds."""

GRAPH = ("cuts", "at")
"""What an address may hold besides parameters: edges cut, the step of the backward pass."""

TEACHER = ("hide", "fix")
"""What a teacher's address may hold: names of controls not to show, and of those not to move."""

END = 10**6
"""A step of the backward pass past every last one: the end."""


@dataclass
class LabState:
    """One lab's state in one session.

    Args:
        lesson: which lab.
        text: what each control shows, refused text included.
        values: the last good values, the ones ``result`` is of.
        cuts: the edges of the graph that the learner has cut.
        drawn: those that ``result`` is of.
        recording: the graph at ``values`` and ``drawn``; None where the lesson has none.
        at: the step of the backward pass asked for with ``reset``; None leaves it as it is.
        result, seconds: the last good picture and what it took.
        told: the same with what a training under way says of itself; None where none does.
        errors: what is refused, by parameter name.
        ignored: what an address asked for and cannot have, for a note.
        preview: True when the picture is a cheaper one, drawn while dragging.
        wanted: the values and cuts last asked for.
        halted: those whose computation the learner stopped; it is not started again.
        hidden: the controls that a teacher's link hides.
        fixed: those that it shows and holds.
        held: those that stand still until a question is answered.
        seq: the newest message from the browser that was taken in.
        reset: counts how often the controls were set from here.
    """

    lesson: Lesson
    text: dict[str, str] = field(default_factory=dict)
    values: Values = field(default_factory=dict)
    cuts: tuple[Cut, ...] = ()
    drawn: tuple[Cut, ...] = ()
    recording: Recording | None = None
    at: int | None = None
    result: Result | None = None
    told: Result | None = None
    seconds: float = 0.0
    errors: dict[str, str] = field(default_factory=dict)
    ignored: str = ""
    preview: bool = False
    wanted: tuple[Values, tuple[Cut, ...]] | None = None
    halted: tuple[Values, tuple[Cut, ...]] | None = None
    hidden: frozenset[str] = frozenset()
    fixed: frozenset[str] = frozenset()
    held: frozenset[str] = frozenset()
    seq: int = 0
    reset: int = 0

    def __post_init__(self) -> None:
        self.values = self.lesson.validate({})
        self.text = self.lesson.text(self.values)

    def open_address(self, given: Mapping[str, str]) -> None:
        """Take what an address carries; what is refused is said and left at its default."""
        unknown = [name for name in given if name not in {*self.text, *GRAPH, *TEACHER}]
        if unknown:
            self._say_unknown("The address sets something unknown and it is left out.", unknown[0])
        at = given.get("at", "")
        self.fixed = frozenset()  # what it holds, it sets first
        self.set(self.lesson.defaults, "", int(at) if re.fullmatch("[0-9]{1,4}", at) else None)
        self._take_text(given)
        self.result = None

    def restrict(self, given: Mapping[str, str]) -> None:
        """Hide and hold the controls that a teacher's address names, at what they say now."""
        self.hidden, self.fixed = (self._controls(given.get(word, "")) for word in TEACHER)

    def _controls(self, names: str) -> frozenset[str]:
        """Those of these names, with commas between, that are controls of the lab."""
        asked = [name for name in names[:2000].split(",") if name]
        unknown = [name for name in asked if name not in self.text]
        if unknown:
            self._say_unknown("The address hides or holds something unknown.", unknown[0])
        return frozenset(asked) & self.text.keys()

    def _say_unknown(self, said: str, name: str) -> None:
        """Note what an address asked for in vain, with the names that are nearest to it."""
        try:
            self.lesson.validate({name: ""})
        except InvalidParametersError as error:
            self.ignored = f"{said} {error}"

    def take(self, given: Mapping[str, str]) -> None:
        """Take what the learner set in the browser."""
        self.ignored = ""
        self._take_text(given)

    def set(self, text: Mapping[str, str], cuts: str | None = None, at: int | None = None) -> None:
        """Set controls from here: a step's settings, or a reset.

        Args:
            text: by parameter.
            cuts: the edges to cut, no others; None leaves them as they are.
            at: the step of the backward pass to show, as ``at`` of the state.
        """
        self.text |= {name: value for name, value in text.items() if name not in self.fixed}
        self.at = at
        if cuts is not None:
            self.cuts = read_cuts(cuts)
        self.reset += 1

    def _take_text(self, given: Mapping[str, str]) -> None:
        free = self.text.keys() - self.fixed - self.held
        self.text |= {name: text for name, text in given.items() if name in free}
        try:
            self.cuts = read_cuts(given["cuts"]) if "cuts" in given else self.cuts
        except ValueError as error:
            self.ignored = f"No edge is cut. {error}"
            self.cuts = ()

    def update(self, run: Run, live: bool = False) -> None:
        """Bring the picture up to date with the controls; refused text keeps the last one.

        Args:
            run: computes values.
            live: True while the learner drags, for a cheaper picture.
        """
        self.told = None  # of this picture the training has said nothing yet
        self.errors, values = _accepted(self.lesson, self.text)
        if self.errors and self.result is not None:
            if self.cuts == self.drawn:
                return
            values = self.values  # an edge was cut while some other text is refused
        self._drop_unknown_cuts(values)
        # Messages of a training come as live ones; a picture that is whole stays whole.
        whole = not live or (self.result is not None and values == self.values)
        wanted = values if whole else self.lesson.lab.preview(values)
        self.wanted = wanted, self.cuts
        if self.wanted != self.halted:
            self.halted = None
        elif self.result is None:
            wanted = self.lesson.lab.preview(values)
        else:
            return
        if self.result is None or (wanted, self.cuts) != (self.values, self.drawn):
            try:
                self.result, self.seconds = run(wanted)
            except CutError as error:
                self.cuts, self.ignored = (), f"All edges are whole again. {error}"
                self.result, self.seconds = run(wanted)
            self.recording = self.lesson.record(wanted, self.cuts)
        self.values, self.drawn, self.preview = wanted, self.cuts, wanted != values

    def _drop_unknown_cuts(self, values: Values) -> None:
        """Edges that the graph does not have, or no longer has with these settings."""
        if not self.cuts:
            return
        known = self.lesson.edges(values)
        gone = [one for one in self.cuts if one not in known]
        if gone:
            self.cuts = tuple(one for one in self.cuts if one in known)
            names = ", ".join(write_cuts([one])[:40] for one in gone[:3])
            more = f" and {len(gone) - 3} more" if len(gone) > 3 else ""
            there = write_cuts(known) or "none"
            self.ignored = (
                f"No edge to cut at {names}{more}, so nothing is cut there. "
                f"The edges that can be cut: {there}."
            )

    def halt(self) -> None:
        """The learner pressed Stop: leave the picture as it is until something changes."""
        self.halted = self.wanted

    @property
    def picture(self) -> Result:
        """The last good result, with what a training says of itself."""
        if self.result is None:
            raise RuntimeError("update() computes the first picture")
        return self.told or self.result

    def notes(self) -> list[dict[str, Any]]:
        """Everything to say above the charts."""
        found = [Note("warning", self.ignored)] if self.ignored else []
        if self.halted is not None:
            said = (
                "Stopped: the picture is the last one that was finished. Change a setting to go on."
            )
            found.append(Note("info", said))
        elif self.preview and self.lesson.lab.preview_note:
            found.append(Note("info", self.lesson.lab.preview_note))
        found += self.picture.notes if self.result else ()
        return [{"level": note.level, "text": note.text} for note in found]


def _accepted(lesson: Lesson, text: Mapping[str, str]) -> tuple[dict[str, str], Values]:
    """What is refused of this text, and values with the refused ones at their defaults."""
    errors: dict[str, str] = {}
    defaults = lesson.defaults
    kept = dict(text)
    for _ in range(len(text) + 1):
        try:
            return errors, lesson.validate(kept)
        except InvalidParametersError as error:
            errors |= error.errors
            kept |= {name: defaults[name] for name in error.errors}
    return errors, lesson.validate({})
