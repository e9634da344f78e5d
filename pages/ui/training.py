"""A training on a page: a slice of its steps at each message of the browser, and what is shown.

Nothing runs between two messages. The browser asks for the next slice when it has taken in the
last one: a page that is left, or a tab that is closed, asks no more, and the training stands
still. Another page of the same session lets it go (``leave``), the end of the session as well.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from lessons.graph.cutting import Cut
from lessons.lesson import Lesson
from lessons.parameters import Values
from lessons.result import Result
from lessons.text import counted
from lessons.training import Training
from lessons.training.covering import covered_figure, covered_table
from lessons.training.run import Run
from lessons.training.seats import SEATS, Seats
from pages.ui import live, payload
from pages.ui.lab_state import LabState

SLICE = 0.025
"""Seconds of training for each message: short, so that pictures come often."""

_KEY = "training"


@dataclass(frozen=True)
class Asked:
    """What the browser says the learner wants; counts, so that a lost message loses nothing.

    Args:
        phase: run, pause or stop.
        begun: how often a new run was asked for.
        single: how often a single step was asked for.
    """

    phase: str = "pause"
    begun: int = 0
    single: int = 0


def read(values: Mapping[str, str]) -> Asked:
    """The wish in a message; whatever is not as it should be counts as a pause."""
    phase = values.get("train_phase", "")
    begun, single = (values.get(f"train_{name}", "") for name in ("begun", "single"))
    if phase not in ("run", "pause", "stop") or not _counts(begun) or not _counts(single):
        return Asked()
    return Asked(phase, int(begun), int(single))


def _counts(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 9


class Watch:
    """One learner's training of one lesson.

    Args:
        lesson: it has a training.
        seats: how many may run at once.
    """

    def __init__(self, lesson: Lesson, seats: Seats = SEATS) -> None:
        assert lesson.lab.training is not None
        self.lesson = lesson
        self.training: Training = lesson.lab.training
        self.before = 0
        self.ended = False
        self._seats = seats
        self._run: Run | None = None
        self._cuts: tuple[Cut, ...] = ()  # those that the run is of
        self._seen: Values = {}
        self._begun = self._single = 0
        self._held = False

    def update(
        self,
        values: Values,
        asked: Asked | None,
        held: bool = False,
        cuts: tuple[Cut, ...] = (),
    ) -> Run:
        """Do what is asked, for no longer than a slice.

        Args:
            values: the settings now; another run begins where the present one cannot take them up.
            asked: what the learner wants; None is no new wish, and no step is made.
            held: whether a question waits that the training would answer: then there is none.
            cuts: the edges of the graph that are cut; where they are cut in what is trained too,
                others begin another run.
        """
        self._held = held
        cuts = cuts if self.training.cuts else ()
        if cuts != self._cuts:
            self._run = None
        quiet = Asked("pause", self._begun, self._single)
        if held:
            asked = quiet
            if self._run is not None and self._run.done:
                self._run = None
        run = self._run
        going = run is not None and run.state == "running"
        if asked is None and going and run is not None and run.fits(values):
            if values != self._seen:
                run.look(values)
                self._seen = values
            return run
        asked = asked or quiet
        again = asked.begun > self._begun and run is not None and run.done > 0
        self._begun = max(self._begun, asked.begun)
        if run is None or again or not run.fits(values):
            run = self._run = Run(self.training, self.lesson.cut_open(cuts), values)
            self._cuts = cuts
        self.before, self.ended = 0, False
        done = run.done
        if asked.single > self._single:
            if self._go(run, values, 1):
                self._single = asked.single
        elif asked.phase == "run" and run.state not in ("done", "stopped"):
            # A hand on a slider wants to see what it does: one step, and the picture.
            self._go(run, values, 1 if going and values != self._seen else run.total)
        if run.state == "running" and asked.phase != "run":
            run.pause()
        if asked.phase == "stop" and run.done:
            run.stop()
        if asked.phase != "run" or run.state == "done":
            self._seats.leave(self)
        if run.done == done and values != self._seen:
            run.look(values)
        self._seen = values
        self.ended = run.state == "done" and run.done != done
        return run

    def told(self, result: Result, run: Run) -> Result:
        """The lab's result with the run's facts and notes, for the text and above the charts."""
        return replace(
            result,
            facts={**result.facts, **run.history.facts},
            notes=(*result.notes, *run.history.notes()),
        )

    def close(self) -> None:
        """Let the run go; who comes back finds another one, and nothing told of this one."""
        self._seats.leave(self)
        self._run = None

    def _go(self, run: Run, values: Values, most: int) -> bool:
        """A slice, if there is a seat; says whether there was one."""
        with self._seats.turn(self) as self.before:
            if self.before:
                return False
            run.advance(SLICE, values, live.newer_waits, most)
            return True

    def spec(self, run: Run) -> dict[str, Any]:
        """What the browser shows above the charts."""
        return {
            "state": "queued" if self.before else run.state,
            "done": run.done,
            "total": run.total,
            "text": self._text(run),
            "held": self._held,
            "begun": self._begun,
            "single": self._single,
        }

    def _text(self, run: Run) -> str:
        said = f"step {run.done:,} of {run.total:,}"
        if self._held:
            return "Answer the question first, or skip it: a run would show the answer."
        if self.before:
            runs = "1 run is" if self.before == 1 else f"{self.before} runs are"
            return f"{said} · waiting: {runs} before yours"
        if run.state == "running" and run.done:
            return f"{said} · about {run.seconds / run.done * (run.total - run.done):.0f} s left"
        if run.state in ("done", "stopped"):
            return f"{said} · {run.state} after {run.seconds:.1f} s of computing"
        return said


def show(
    state: LabState,
    asked: Asked | None,
    shown: Mapping[str, Any],
    hidden: frozenset[str],
    held: bool,
) -> tuple[dict[str, Any], bool]:
    """Do what is asked of the training in a lab; what to show, and whether it has just ended.

    Args:
        state: the lab's; its picture gets the facts and notes of the run.
        asked: what the learner wants, if there is a new wish.
        shown: what the lab shows without its training.
        hidden: the roles that a question covers.
        held: whether a question waits that the training would answer.
    """
    known: dict[str, Watch] = st.session_state.setdefault(_KEY, {})
    if state.lesson.slug not in known:
        known[state.lesson.slug] = Watch(state.lesson)
    watch = known[state.lesson.slug]
    run = watch.update(state.values, asked, held, state.drawn)
    assert state.result is not None  # update() has seen to it
    state.told = watch.told(state.result, run)
    return _picture(watch, run, state.values, shown, hidden), watch.ended


def leave(stay: str = "") -> None:
    """Let the session's trainings go, but for the one of the lesson that is on the page."""
    known: dict[str, Watch] = st.session_state.get(_KEY, {})
    for slug, watch in known.items():
        if slug != stay:
            watch.close()


def _picture(
    watch: Watch, run: Run, values: Values, shown: Mapping[str, Any], hidden: frozenset[str]
) -> dict[str, Any]:
    """Charts and table as the training stands, before what the lab shows without it."""
    figures = watch.training.figures(run.history, values)
    drawn = payload.figures([covered_figure(one, hidden) for one in figures])
    table = covered_table(watch.training.table(run.history, values), hidden)
    seeds = counted(run.seeds, "seed")
    spent = f"{run.seconds:.1f} s of computing" if run.done else ""
    where = (seeds, spent, str(values.get("device", "")), str(values.get("dtype", "")))
    return {
        **shown,
        "key": [],
        "figures": drawn + shown["figures"] if watch.training.leads else shown["figures"] + drawn,
        "table": payload.table(table),
        "status": " · ".join(filter(None, where)),
        "training": watch.spec(run),
    }
