"""The articles' snippets and their wrong variants as documents, each in a file of this folder.

To add one, add a file, its name to its trick's, and a title and a sentence about it to en.md. The
folder earlier has those that are no longer offered: their addresses still open. A lesson's own
program is next to the lesson, as in_playground.txt.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lessons.gradient_tricks.text import cited, suggestion
from lessons.gradient_tricks.text.words import Texts
from lessons.playground.document.as_text import from_text, to_text
from lessons.playground.document.contents import Document
from lessons.playground.language.playground_error import PlaygroundError

_FILES = {path.stem: path for path in Path(__file__).parent.rglob("*.txt")}
_NAMES = [name for name, path in _FILES.items() if path.parent.name != "earlier"]
WORDS = Texts(__file__, asked=(*_NAMES, *(f"{name}_about" for name in _NAMES)))


@dataclass(frozen=True)
class Preset:
    """One program to start from: its name in URLs, its document, a title and a sentence, and the
    trick it shows."""

    name: str
    document: Document
    title: str
    about: str
    trick: str


_TRICKS = {
    WORDS("stop_gradient"): (
        *("noise_leaks", "wrong_place", "right_place", "square_after"),
        *("truncated", "gate_by_itself", "gate_stopped"),
    ),
    WORDS("straight_through_trick"): (
        *("straight_through_rounding", "straight_through_exact", "round_square"),
        *("argmax_softmax", "sample_straight_through", "gumbel"),
    ),
    WORDS("override_map"): (
        *("override_noise", "halve", "halve_square_right", "mul_gradient"),
        *("matmul_right", "three_outputs_right", "guided_relu", "guided_maximum"),
    ),
    WORDS("reversal"): ("flip", "flip_twice", "flip_schedule"),
    WORDS("clipping"): ("clip_inside", "clip_outside"),
    WORDS("losses"): ("squared_error", "cross_entropy_logits", "policy_loss_zero", "reinforce"),
    "": ("blank",),
}
"""Tricks and their presets, in the order in which they are offered."""


@cache
def presets() -> tuple[Preset, ...]:
    """Every preset, in order."""
    return tuple(
        Preset(name, preset(name), WORDS.texts[name], WORDS.texts[f"{name}_about"], trick)
        for trick, names in _TRICKS.items()
        for name in names
    )


@cache
def preset(name: str) -> Document:
    """The document of the preset with this name, offered or not.

    Raises:
        PlaygroundError: there is none; with the nearest.
    """
    if name in _FILES:
        return from_text(_FILES[name].read_text("utf-8"))
    message = WORDS("no_preset", name=cited(name), near=suggestion(name, _NAMES))
    raise PlaygroundError(message, part="document")


def preset_of(document: Document) -> str:
    """The name of the preset that a document is; empty where it is none."""
    return _names().get(to_text(document), "")


@cache
def _names() -> dict[str, str]:
    """The presets' names by their texts."""
    return {to_text(one.document): one.name for one in reversed(presets())}


@cache
def lesson_document(folder: Path) -> Document | None:
    """A lesson's program at its first settings, from its folder; None where it cannot be said."""
    path = folder / "in_playground.txt"
    return from_text(path.read_text(encoding="utf-8")) if path.exists() else None
