"""The texts of this folder, from its en.md."""

from lessons.gradient_tricks.text.words import Texts, fill, listed_under

WORDS = Texts(__file__)
_LABELS = listed_under(WORDS.path, "Labels")


def label(name: str, /, **values: str) -> str:
    """What a control, an option or a trick is called, by its name in addresses."""
    return fill(_LABELS[name], values)
