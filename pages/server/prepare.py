"""Loads what computing needs, and keeps it out of the garbage collector's way."""

import gc

from lessons.kit.process import leave_unsaid, parse_in_turn, suit_small_tensors
from lessons.outputs import catalogue
from pages.labs import home, lesson
from pages.labs.messages import Wish

YOUNG = 5_000
"""Objects that are made before Python looks for garbage; its own figure is 700. A frame makes some
thousands, nearly all gone with it: looking less often halves the cost and takes no more memory."""


def prepare() -> None:
    """Load torch, its optimizers, all lessons and what a first frame needs."""
    suit_small_tensors()
    leave_unsaid()
    parse_in_turn()
    # With settings that no page opens with: the result is kept with the time it took, and this one
    # took as long as the loading.
    home.frame(Wish(lab="home", values={"noise_low": "0.5"}))
    first = catalogue.lessons()[0]
    lesson.frame(Wish(lab=first.slug, values={"x": "0.5"}))
    # Without this, each collection walks a million objects of torch and plotly: 100 ms.
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG)
