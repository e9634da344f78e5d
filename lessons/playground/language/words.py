"""The texts of this folder, from its en.md."""

from lessons.text.words import Texts

WORDS = Texts(__file__)
