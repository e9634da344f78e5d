"""What a playground is at one moment: what was typed, and the last of it that ran."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from lessons.gradient_tricks.recorder import Recording
from lessons.playground.document.as_text import packed, to_text
from lessons.playground.document.check import Checked
from lessons.playground.document.contents import Document
from lessons.playground.document.gestures import Form
from lessons.playground.document.presets import preset_of
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.running.outcome import Outcome

_LONGEST_ADDRESS = 16_000


@dataclass(frozen=True)
class Computed:
    """A program that ran.

    Args:
        outcome, seconds: its result, and how long it took.
        checked: the program.
        recording: its run, unless its graph is too large to be read.
    """

    outcome: Outcome
    checked: Checked
    recording: Recording | None
    seconds: float

    @property
    def document(self) -> Document:
        return self.checked.document


@dataclass(frozen=True)
class State:
    """A playground at one moment.

    Args:
        form: what each control shows, refused text included.
        document: the last one that can be written as text; its program may still be wrong.
        computed: the last good picture.
        errors: what is refused, by control.
        notice: what to tell the learner once: an address that could not be read, a refused cut.
    """

    form: Form
    document: Document
    computed: Computed | None = None
    errors: Mapping[str, PlaygroundError] = field(default_factory=dict)
    notice: str = ""

    @cached_property
    def preset(self) -> str:
        """The preset's name, as long as the learner hasn't changed it."""
        return preset_of(self.document)

    def address(self) -> dict[str, str]:
        """The address's part that restores the text, a wrong one too; empty if it is too long."""
        if "program" in self.errors:
            found = packed(self.form["program"][: 2 * _LONGEST_ADDRESS])
        elif self.preset:
            return {"preset": self.preset}
        else:
            found = packed(to_text(self.document))
        return {"program": found} if len(found) <= _LONGEST_ADDRESS else {}
