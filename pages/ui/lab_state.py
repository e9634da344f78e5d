"""What one learner has set in one lab, and the last good picture of it. No widgets in here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lessons.lesson import Lesson
from lessons.parameters import InvalidParametersError, Values
from lessons.result import Note, Result

Run = Callable[[Values], tuple[Result, float]]
"""Computes a lesson: result and seconds."""


@dataclass
class LabState:
    """One lab's state in one session.

    Args:
        lesson: which lab.
        text: what each control shows, refused text included.
        values: the last good values, the ones ``result`` is of.
        result, seconds: the last good picture and what it took.
        errors: what is refused, by parameter name.
        ignored: what an address asked for and cannot have, for a note.
        preview: True when the picture is a cheaper one, drawn while dragging.
        wanted: the values last asked for.
        halted: the values whose computation the learner stopped; it is not started again.
        seq: the newest message from the browser that was taken in.
        reset: counts how often the controls were set from here.
    """

    lesson: Lesson
    text: dict[str, str] = field(default_factory=dict)
    values: Values = field(default_factory=dict)
    result: Result | None = None
    seconds: float = 0.0
    errors: dict[str, str] = field(default_factory=dict)
    ignored: str = ""
    preview: bool = False
    wanted: Values = field(default_factory=dict)
    halted: Values | None = None
    seq: int = 0
    reset: int = 0

    def __post_init__(self) -> None:
        self.values = self.lesson.validate({})
        self.text = self.lesson.text(self.values)

    def open_address(self, given: Mapping[str, str]) -> None:
        """Take what an address carries; what is refused is said and left at its default."""
        unknown = [name for name in given if name not in self.text]
        if unknown:
            try:
                self.lesson.validate({unknown[0]: ""})
            except InvalidParametersError as error:
                self.ignored = f"The address sets something unknown and it is left out. {error}"
        self.set(self.lesson.defaults)
        self.text |= {name: text for name, text in given.items() if name in self.text}
        self.result = None

    def set(self, text: Mapping[str, str]) -> None:
        """Set controls from here: a step's settings, or a reset."""
        self.text |= text
        self.reset += 1

    def update(self, run: Run, live: bool = False) -> None:
        """Bring the picture up to date with the controls; refused text keeps the last one.

        Args:
            run: computes values.
            live: True while the learner drags, for a cheaper picture.
        """
        self.errors, values = _accepted(self.lesson, self.text)
        if self.errors and self.result is not None:
            return
        self.wanted = self.lesson.lab.preview(values) if live else values
        if self.wanted != self.halted:
            self.halted = None
        elif self.result is None:
            self.wanted = self.lesson.lab.preview(values)
        else:
            return
        if self.result is None or self.wanted != self.values:
            self.result, self.seconds = run(self.wanted)
        self.values, self.preview = self.wanted, self.wanted != values

    def halt(self) -> None:
        """The learner pressed Stop: leave the picture as it is until something changes."""
        self.halted = self.wanted

    @property
    def picture(self) -> Result:
        """The last good result."""
        if self.result is None:
            raise RuntimeError("update() computes the first picture")
        return self.result

    def notes(self) -> list[dict[str, Any]]:
        """Everything to say above the charts."""
        found = [Note("warning", self.ignored)] if self.ignored else []
        if self.halted is not None:
            said = (
                "Stopped: the picture is the last one that was finished. Change a setting to go on."
            )
            found.append(Note("info", said))
        elif self.preview:
            found.append(Note("info", "While you drag, fewer draws; all of them when you let go."))
        found += self.result.notes if self.result else ()
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
