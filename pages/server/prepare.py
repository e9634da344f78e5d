"""Loads what computing needs, and keeps it out of the garbage collector's way."""

import gc

from lessons.kit.process import leave_unsaid, parse_in_turn, suit_small_tensors
from lessons.outputs import catalogue
from pages.labs import home, lesson, wire
from pages.labs.messages import Wish
from pages.server import memory

YOUNG = 5_000
"""Objects that are made before Python looks for garbage; its own figure is 700. A frame makes some
thousands, nearly all gone with it: looking less often halves the cost and takes no more memory."""


def prepare(slugs: tuple[str, ...] = ()) -> None:
    """Load torch, all lessons and what a frame needs; compute a frame of these lessons."""
    suit_small_tensors()
    leave_unsaid()
    parse_in_turn()
    catalogue.lessons()
    # With settings that no page opens with: the result is kept with the time it took, and this one
    # took as long as the loading.
    wire.encode(home.frame(Wish(lab="home", values={"noise_low": "0.5"})))
    for slug in slugs:
        lesson.frame(Wish(lab=slug))
    memory.clean()
    gc.freeze()  # or each collection walks a million objects of torch and plotly: 100 ms
    gc.set_threshold(YOUNG)
