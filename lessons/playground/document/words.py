"""The texts of this folder, from its en.md."""

from lessons.gradient_tricks.text.words import Texts

WORDS = Texts(__file__)
