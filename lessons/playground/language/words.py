"""The texts of this folder, from its en.md."""

from pathlib import Path

from lessons.gradient_tricks.text.words import Texts, in_language, listed_under

_KEYS = [key for key in listed_under(in_language(Path(__file__).parent), "Words") if "__" in key]
WORDS = Texts(__file__, asked=(*_KEYS,))
HELP = listed_under(WORDS.path, "Functions")
"""A sentence in Markdown on each function of the language, by name."""


def by_name(kind: str) -> dict[str, str]:
    """The texts of a kind, each by every name in its key: ``kind__name__other``."""
    found: dict[str, str] = {}
    for key in _KEYS:
        first, *names = key.split("__")
        found |= dict.fromkeys(names if first == kind else (), WORDS.texts[key])
    return found
