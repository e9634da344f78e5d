"""What a process does before its first request: load everything, and keep it out of the way."""

import gc

from lessons.kit.devices import suit_small_tensors
from pages.labs import home
from pages.labs.messages import Wish


def prepare() -> None:
    """Set the process up: threads, lessons, what garbage collection walks."""
    suit_small_tensors()
    home.frame(Wish(lab="home"))  # loads torch, the lessons, and what a first frame needs
    # Whoever collects garbage would walk a million objects of torch and plotly, about 100 ms. What
    # is loaded by now stays loaded: leave it out. There is no session yet that could be kept so.
    gc.collect()
    gc.freeze()
