"""The texts that every lab shows, by name, from the en.md next to this file."""

from lessons.gradient_tricks.text.words import Texts, listed_under

WORDS = Texts(__file__)
VIEWS = listed_under(WORDS.path, "Views")
"""The labels of the drawers that several lessons have, by the name of a view."""
RULES = listed_under(WORDS.path, "Rules")
"""The labels of the playground's ready rules, by name, with _ for a space."""
