"""The articles' snippets and their wrong variants as documents, each a file beside this.

To add one, add a file: its name starts with a number that sets its place, its first lines are a
title and one sentence. A lesson's own program lies beside the lesson, as in_playground.txt.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lessons.playground.document.as_text import from_text
from lessons.playground.document.contents import Document
from lessons.playground.language.playground_error import PlaygroundError, suggestion
from lessons.text import cited

_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Preset:
    """One program to start from: its name in URLs, its document, with title and sentence, and the
    heading it stands under."""

    name: str
    document: Document
    group: str


_GROUPS = {
    "00": "",
    "0": "Stop a gradient",
    "1": "Clip, halve, compare",
    "2": "Reverse; compare losses",
    "3": "Rules for several inputs or outputs",
    "4": "Straight through, and surrogates",
    "5": "In the wild",
    "6": "Gone missing",
}
"""Headings, by how the number of a file begins: the longest beginning counts."""


@cache
def presets() -> tuple[Preset, ...]:
    """Every preset, in order."""
    return tuple(
        Preset(
            path.stem.partition("_")[2],
            from_text(path.read_text(encoding="utf-8")),
            _GROUPS.get(path.stem[:2], _GROUPS[path.stem[:1]]),
        )
        for path in sorted(_FOLDER.glob("*.txt"))
    )


def preset(name: str) -> Document:
    """The preset with this name.

    Raises:
        PlaygroundError: there is none; with the nearest.
    """
    for known in presets():
        if known.name == name:
            return known.document
    names = [known.name for known in presets()]
    message = f"There is no preset {cited(name)}. {suggestion(name, names)}"
    raise PlaygroundError(message, part="document")


def preset_of(document: Document) -> str:
    """The name of the preset that a document is, its title aside; empty where it is none."""
    return _names().get(_bare(document), "")


@cache
def _names() -> dict[Document, str]:
    return {_bare(one.document): one.name for one in presets()}


def _bare(document: Document) -> Document:
    return document.with_(title="", about="")


@cache
def lesson_document(folder: Path) -> Document | None:
    """A lesson's program at its first settings, from its folder; None where it cannot be said."""
    path = folder / "in_playground.txt"
    return from_text(path.read_text(encoding="utf-8")) if path.exists() else None
