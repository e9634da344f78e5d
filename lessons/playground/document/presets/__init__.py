"""The articles' snippets and their wrong variants as documents, in a folder for each trick.

To add one, add a file, and a title and a sentence about it to en.md, which has their order. The
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

_FILES = {path.stem: path for path in sorted(Path(__file__).parent.rglob("*.txt"))}
_NAMES = {name: path.parent.name for name, path in _FILES.items() if path.parent.name != "earlier"}
"""The names of those that are offered, each with its trick's."""
_TRICKS = {*_NAMES.values()} - {Path(__file__).parent.name}
WORDS = Texts(__file__, asked=(*_TRICKS, *_NAMES, *(f"{name}_about" for name in _NAMES)))


@dataclass(frozen=True)
class Preset:
    """One program to start from: its name in URLs, its document, a title and a sentence, and the
    trick it shows."""

    name: str
    document: Document
    title: str
    about: str
    trick: str


@cache
def presets() -> tuple[Preset, ...]:
    """Every preset that is offered, in order."""
    texts = WORDS.texts
    return tuple(
        Preset(name, preset(name), title, texts[f"{name}_about"], texts.get(_NAMES[name], ""))
        for name, title in texts.items()
        if name in _NAMES
    )


@cache
def preset(name: str) -> Document:
    """The document of the preset with this name, offered or not.

    Raises:
        PlaygroundError: there is none; with the nearest.
    """
    if name in _FILES:
        return from_text(_FILES[name].read_text("utf-8"))
    message = WORDS("no_preset", name=cited(name), near=suggestion(name, [*_NAMES]))
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
