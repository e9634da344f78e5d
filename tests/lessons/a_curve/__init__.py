"""The words of a curve lesson for tests."""

from lessons.contract.words import Words
from lessons.kit.curve_figures import CURVE_WORDS

WORDS = Words(__file__, CURVE_WORDS)
