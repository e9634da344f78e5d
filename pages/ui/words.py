"""The texts that the pages show, by name, from the en.md next to this file."""

from pathlib import Path

from lessons.gradient_tricks.text.words import Texts

WORDS = Texts(__file__, users=tuple(Path(__file__).parent.rglob("*.py")))
