"""What a process does before its first request: load everything, and keep it out of the way."""

import gc

from lessons.kit.process import leave_unsaid, parse_in_turn, suit_small_tensors
from lessons.outputs import catalogue
from pages.labs import home, lesson
from pages.labs.messages import Wish

YOUNG = 5_000
"""Objects made since garbage was collected last, until it is again; Python's own are 700."""


def prepare() -> None:
    """Set the process up: threads, lessons, what garbage collection walks."""
    suit_small_tensors()
    leave_unsaid()
    parse_in_turn()
    # Loads torch, its optimisers, the lessons, and what a first frame needs. Not as a page opens
    # them: what is computed is kept with its time, and this one took as long as the loading.
    home.frame(Wish(lab="home", values={"noise_low": "0.5"}))
    first = catalogue.lessons()[0]
    lesson.frame(Wish(lab=first.slug, values={"x": "0.5"}))
    # Whoever collects garbage would walk a million objects of torch and plotly, about 100 ms. What
    # is loaded by now stays loaded: leave it out. There is no session yet that could be kept so.
    gc.collect()
    gc.freeze()
    # A frame makes some thousand objects, nearly all gone with it: looked through less often than
    # Python would, they cost half the time and no more memory.
    gc.set_threshold(YOUNG)
