"""The articles' snippets and their wrong variants as documents, each in a file of this folder.

To add one, add a file, and a title and a sentence about it to en.md. The number at the start of the
file's name sets its place. A lesson's own program is next to the lesson, as in_playground.txt.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lessons.playground.document.as_text import from_text, to_text
from lessons.playground.document.contents import Document
from lessons.playground.language.playground_error import PlaygroundError
from lessons.text import cited, suggestion
from lessons.text.words import Texts

_FILES = {path.stem.partition("_")[2]: path for path in sorted(Path(__file__).parent.glob("*.txt"))}
WORDS = Texts(__file__, asked=(*_FILES, *(f"{name}_about" for name in _FILES)))


@dataclass(frozen=True)
class Preset:
    """One program to start from: its name in URLs, its document, a title and a sentence, and the
    heading it stands under."""

    name: str
    document: Document
    title: str
    about: str
    group: str


_GROUPS = {
    "00": "",
    "0": WORDS("group_stop"),
    "1": WORDS("group_clip"),
    "2": WORDS("group_reverse"),
    "3": WORDS("group_several"),
    "4": WORDS("group_straight"),
    "5": WORDS("group_wild"),
    "6": WORDS("group_missing"),
}
"""Headings, by how the number of a file begins: the longest beginning counts."""


@cache
def presets() -> tuple[Preset, ...]:
    """Every preset, in order."""
    return tuple(
        Preset(
            name,
            from_text(path.read_text("utf-8")),
            WORDS.texts[name],
            WORDS.texts[f"{name}_about"],
            _GROUPS.get(path.stem[:2], _GROUPS[path.stem[:1]]),
        )
        for name, path in _FILES.items()
    )


def preset(name: str) -> Document:
    """The document of the preset with this name.

    Raises:
        PlaygroundError: there is none; with the nearest.
    """
    for known in presets():
        if known.name == name:
            return known.document
    message = WORDS("no_preset", name=cited(name), near=suggestion(name, _FILES))
    raise PlaygroundError(message, part="document")


def preset_of(document: Document) -> str:
    """The name of the preset that a document is, its title aside; empty where it is none."""
    try:
        return _names().get(_bare(document), "")
    except PlaygroundError:  # it has no text yet
        return ""


@cache
def _names() -> dict[str, str]:
    """The presets' names by their texts."""
    return {_bare(one.document): one.name for one in reversed(presets())}


def _bare(document: Document) -> str:
    return to_text(document.with_(title="", about=""))


@cache
def lesson_document(folder: Path) -> Document | None:
    """A lesson's program at its first settings, from its folder; None where it cannot be said."""
    path = folder / "in_playground.txt"
    return from_text(path.read_text(encoding="utf-8")) if path.exists() else None
