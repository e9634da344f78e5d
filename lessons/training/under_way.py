"""One training under way: steps when asked, for as long as asked, and nothing in between."""

import time
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal

from lessons.contract.history import History
from lessons.contract.parameters import Values
from lessons.contract.training import Training

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
        training: what the lesson declares.
        program: the lesson's program.
        values: all settings; of ``values`` given later, only the live ones may differ.
    """

    def __init__(self, training: Training, program: Callable[..., Any], values: Values) -> None:
        self.training = training
        self.total = int(values[training.steps])
        self.seeds = int(values[training.seeds])
        self.done = 0
        self.seconds = 0.0
        self.state: State = "ready"
        self._history = History(self.total)
        self._drawn = False  # whether the newest moment was looked at whole
        self._values = values
        self._fixed = {name: one for name, one in values.items() if name not in training.live}
        self._trained = self._of_the_trained(values)
        self.changed: dict[str, int] = {}
        self.every = max(1, self.total // PICTURES)
        self._learner = training.begin(program, values)

    @property
    def history(self) -> History:
        """What was seen, the newest moment with its picture."""
        if not self._drawn:
            start = time.perf_counter()
            self._see(drawn=True)
            self.seconds += time.perf_counter() - start
        return self._history

    @property
    def over(self) -> bool:
        """Whether no more steps will be made."""
        return self.state == "done"

    def fits(self, values: Values) -> bool:
        """Whether these settings can be taken up by the steps to come, or by a look if none are."""
        if self.over and self._of_the_trained(values) != self._trained:
            return False
        fixed = {name: one for name, one in values.items() if name not in self.training.live}
        return fixed == self._fixed

    def changed_by(self, values: Values) -> dict[str, int]:
        """What ``changed`` is once steps are made with these settings."""
        now = self._of_the_trained(values)
        new = {name: self.done for name, one in now.items() if self._trained[name] != one}
        return self.changed | new if self.done else {}

    def _of_the_trained(self, values: Values) -> Values:
        return {name: values[name] for name in self.training.trained}

    def advance(self, seconds: float, values: Values, most: int = 10**9) -> None:
        """Make steps until the time is over.

        Args:
            seconds: how long; a step that was begun is finished, and one is always made.
            values: the settings from here on.
            most: no more steps than this.
        """
        if self.over:
            return
        self.state, self._values = "running", values
        self.changed = self.changed_by(values)
        self._trained = self._of_the_trained(values)
        start = time.perf_counter()
        if not len(self._history):
            self._see(drawn=False)
        for _ in range(min(most, self.total - self.done)):
            self._learner.step(self.done, values)
            self.done += 1
            self._drawn = False
            if self._keeps:
                self._see(drawn=False)
            if time.perf_counter() - start >= seconds:
                break
        if self.done == self.total:
            self.state = "done"
        self.seconds += time.perf_counter() - start

    def look(self, values: Values) -> None:
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


def snapshots(training: Training, program: Callable[..., Any], values: Values) -> Iterator[History]:
    """A whole run as a generator: the history after each look, the first at step 0.

    Closing the generator ends the run; it stops between any two steps.
    """
    run = Run(training, program, values)
    yield run.history
    while run.done < run.total:
        run.advance(0.0, values)
        if run.done % run.every == 0 or run.done == run.total:
            yield run.history


def finished(training: Training, program: Callable[..., Any], values: Values) -> History:
    """What is seen at the end of a whole run."""
    run = Run(training, program, values)
    run.advance(float("inf"), values)
    return run.history


def facts_at_first(
    training: Training, program: Callable[..., Any], values: Values, idle: Values
) -> Mapping[str, float | int | str]:
    """What a run's facts are before its first step; kept, since a hand may rest on any slider.

    Args:
        training: what the lesson declares.
        program: the lesson's program.
        values: all settings.
        idle: those that have no part in these facts, at numbers that never change.
    """
    return _at_first(training, program, tuple({**values, **idle}.items()))


@lru_cache(maxsize=128)
def _at_first(
    training: Training, program: Callable[..., Any], values: tuple[tuple[str, Any], ...]
) -> Mapping[str, float | int | str]:
    return Run(training, program, dict(values)).history.facts
