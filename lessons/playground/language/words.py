"""The texts of this folder, from its en.md."""

from lessons.text.words import Texts, listed_under

WORDS = Texts(__file__)
HELP = listed_under(WORDS.path, "Functions")
"""A sentence in Markdown on each function of the language, by name."""
