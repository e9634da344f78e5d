"""The articles' snippets and their wrong variants as documents, each in a file of this folder.

To add one, add a file, its number to its trick's, and a title and a sentence about it to en.md. The
number at the start of the file's name sets its place. A lesson's own program is next to the lesson,
as in_playground.txt.
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
    trick it shows."""

    name: str
    document: Document
    title: str
    about: str
    trick: str


_TRICKS = {
    WORDS("stop_gradient"): "01 02 03 04 05 08 57 58 59 60 61 62",
    WORDS("straight_through_trick"): "40 41 42 43 44 45 46 47 48 49 54 55 56",
    WORDS("override_map"): "06 07 13 14 15 16 17 18 30 31 32 33 34 35 36 37 38 39",
    WORDS("reversal"): "20 21 22 23",
    WORDS("clipping"): "10 11 12",
    WORDS("losses"): "24 25 26 50 51 52 53",
    "": "00",
}
"""Tricks, in the order in which they are offered: the numbers of their presets."""


@cache
def presets() -> tuple[Preset, ...]:
    """Every preset, in order."""
    return tuple(
        Preset(
            name,
            from_text(path.read_text("utf-8")),
            WORDS.texts[name],
            WORDS.texts[f"{name}_about"],
            trick,
        )
        for trick, numbers in _TRICKS.items()
        for name, path in _FILES.items()
        if path.stem[:2] in numbers.split()
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
