"""The words of a curve lesson for tests."""

from lessons.contract.words import Words

WORDS = Words(__file__)
