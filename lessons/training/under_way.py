"""One training under way: steps when asked, for as long as asked, and nothing in between."""

import time
from collections.abc import Callable, Mapping
from typing import Any, Literal

from lessons.contract.history import History
from lessons.contract.lab import Lab
from lessons.contract.settings import Settings

PICTURES = 200
"""Moments of a whole run that its curves go through."""

State = Literal["ready", "running", "paused", "done"]


class Run:
    """A learner and what was seen of it. Holds no thread: dropping it ends it.

    To look costs as much as a step or more. So the moments that the curves keep are looked at for
    their numbers alone, and any other only where somebody asks for ``history``.

    Not for several threads at once; each session has its own.

    Attributes:
        changed: the settings it trains with that changed on the way, each with the number of
            steps after which it last did.

    Args:
        lab: one with a training.
        program: the lesson's program.
        values: all settings; ``values`` given later may not differ where that restarts a training.
    """

    def __init__(self, lab: Lab[Any], program: Callable[..., Any], values: Settings) -> None:
        assert lab.training is not None
        self._parameters = lab.parameters
        self.total, self.seeds = int(values["steps"]), int(values["seeds"])
        self.done = 0
        self.seconds = 0.0
        self.state: State = "ready"
        self._history = History(self.total)
        self._drawn = False  # whether the newest moment was looked at whole
        self._values = values
        self._fixed = self._those("restarts", values)
        self._trained = self._those("steps", values)
        self.changed: dict[str, int] = {}
        self.every = max(1, self.total // PICTURES)
        self._learner = lab.training.begin(program, values)

    @property
    def history(self) -> History:
        """The run so far; the newest moment has its picture."""
        if not self._drawn:
            start = time.perf_counter()
            self._see(drawn=True)
            self.seconds += time.perf_counter() - start
        return self._history

    @property
    def over(self) -> bool:
        """Whether no more steps will be made."""
        return self.state == "done"

    def fits(self, values: Settings) -> bool:
        """Whether these settings can be taken up by the steps to come, or by a look if none are."""
        if self.over and self._those("steps", values) != self._trained:
            return False
        return self._those("restarts", values) == self._fixed

    def changed_by(self, values: Settings) -> dict[str, int]:
        """Return ``changed`` as it is after a step with these settings."""
        now = self._those("steps", values)
        new = {name: self.done for name, one in now.items() if self._trained[name] != one}
        return self.changed | new if self.done else {}

    def _those(self, change: Literal["restarts", "steps"], values: Settings) -> dict[str, Any]:
        """The settings whose ``in_run`` this is."""
        return {p.name: values[p.name] for p in self._parameters if p.in_run == change}

    def advance(self, seconds: float, values: Settings, most: int = 10**9) -> None:
        """Make steps until the time is over.

        Args:
            seconds: how long. At least one step is made, and the last is the one that ends nearest
                to this time.
        """
        if self.over:
            return
        self.state, self._values = "running", values
        self.changed = self.changed_by(values)
        self._trained = self._those("steps", values)
        start = time.perf_counter()
        if not len(self._history):
            self._see(drawn=False)
        for made in range(1, min(most, self.total - self.done) + 1):
            self._learner.step(self.done, values)
            self.done += 1
            self._drawn = False
            if self._keeps:
                self._see(drawn=False)
            # Less than half a mean step is left, so the next step would end further from the time.
            if (time.perf_counter() - start) * (1 + 0.5 / made) >= seconds:
                break
        if self.done == self.total:
            self.state = "done"
        self.seconds += time.perf_counter() - start

    def look(self, values: Settings) -> None:
        """See the same moment with other settings: another seed shown, say."""
        self._values, self._drawn = values, False

    def pause(self) -> None:
        """Make no more steps until asked again."""
        if self.state == "running":
            self.state = "paused"

    @property
    def _keeps(self) -> bool:
        """Whether this moment stays in the curves."""
        return self.done % self.every == 0 or self.done == self.total

    def _see(self, drawn: bool) -> None:
        seen = self._learner.look(self.done, self._values, drawn)
        self._history.add(self.done, seen, self._keeps)
        self._drawn = drawn


def finished(lab: Lab[Any], program: Callable[..., Any], values: Settings) -> History:
    """Train a whole run; return its history."""
    run = Run(lab, program, values)
    run.advance(float("inf"), values)
    return run.history


ENDS: dict[
    tuple[Lab[Any], Callable[..., Any], tuple[tuple[str, str], ...]],
    Mapping[str, float | int | str],
] = {}
"""Facts at the ends of the runs that grade answers, by lab, program and settings; at most 64."""


def numbers_at_end(
    lab: Lab[Any], program: Callable[..., Any], **settings: str
) -> Mapping[str, float]:
    """The numbers of a run's facts at its end; kept, since each answer to grade asks for them.

    Args:
        settings: as text, those that differ from the lab's own: few seeds and few steps, and what
            the question's step sets, which is not known here.
    """
    asked = lab, program, tuple(settings.items())
    if asked not in ENDS:
        if len(ENDS) >= 64:
            ENDS.pop(next(iter(ENDS)), None)
        ENDS[asked] = finished(lab, program, lab.settings.read(settings)).facts
    return {name: float(value) for name, value in ENDS[asked].items()}
