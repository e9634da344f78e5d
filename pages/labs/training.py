"""A training in a lab: takes wishes while it runs, and reports its state. No thread, no clock.

Whoever holds a ``Watch`` calls ``advance`` as often as it likes.
"""

import secrets
from typing import Any

import torch

from lessons.contract.covering import covered_figure, covered_table, untrained_figure
from lessons.contract.lesson import Lesson
from lessons.contract.result import warned
from lessons.contract.settings import Settings
from lessons.contract.training import Training
from lessons.gradient_tricks.recorder.cutting import Cut
from lessons.prose.steps import TRAINING
from lessons.training.under_way import Run
from pages.labs import payload
from pages.labs.messages import Picture, TrainingWish, Wish
from pages.labs.visit import visited
from pages.labs.words import WORDS


class Watch:
    """One learner's training of one lesson.

    Args:
        lesson: it has a training.
        wish, asked: the first ones.

    Attributes:
        fresh: whether there is something to show that has not been shown.
    """

    def __init__(self, lesson: Lesson, wish: Wish, asked: TrainingWish) -> None:
        assert lesson.lab.training is not None
        self.lesson = lesson
        self.training: Training[Any] = lesson.lab.training
        # Pictures of a run that is not here have been seen: it went with the process that had it.
        self._lost = bool(asked.run)
        self._begun = asked.begun if self._lost else 0
        self._run: Run | None = None
        self._name = ""
        self._cuts: tuple[Cut, ...] = ()
        # With its name and cuts; it comes back with its settings, unless another makes steps.
        self._over: tuple[Run, str, tuple[Cut, ...]] | None = None
        self._values = Settings({})
        self._full = ""  # the device that had no memory for this run
        self.take(wish, asked)

    def take(self, wish: Wish, asked: TrainingWish) -> None:
        """Take in what the learner wants now.

        Raises:
            RefusedTextError: a text is refused; everything goes on as before.
        """
        visit = visited(self.lesson, wish)
        cuts = visit.cuts if self.training.cuts else ()
        self._visit, self._asked, self._held = visit, asked, TRAINING in visit.held
        self._shown = {visit.step.stage, *wish.open}
        run = self._run
        again = asked.begun > self._begun and run is not None and run.done > 0
        if asked.begun > self._begun:
            self._lost = False
        self._begun = max(self._begun, asked.begun)
        wanted, values = visit.values, self._placed(visit.values)
        if self._held or (run is not None and run.done):
            self._over = None
        if run is not None and run.over and not (again or self._held):
            self._over = run, self._name, self._cuts
        elif self._over and self._over[0].fits(values) and cuts == self._over[2]:
            run, self._name, self._cuts = self._over
            run.look(values)
            self._run = run
        fits = run is not None and run.fits(values) and cuts == self._cuts
        if run is None or again or not fits or (self._held and run.done):
            self._full = ""  # there may be room now
            run = self._run = self._begin(wanted, cuts)
            self._name, self._cuts = secrets.token_hex(6), cuts
            values = self._placed(wanted)
        elif values != self._values and not self.wants:
            run.look(values)
        self._values = values
        if asked.phase != "run":
            run.pause()
        self.fresh = True

    @property
    def wants(self) -> bool:
        """Whether there are steps to make."""
        if self._held or self._run is None or self._run.over:
            return False
        return self._asked.phase == "run" and not self._lost

    def advance(self, seconds: float) -> None:
        """Make steps for so many seconds, and one at least."""
        assert self._run is not None
        try:
            self._run.advance(seconds, self._values)
        except torch.OutOfMemoryError:
            self._run = self._over = None  # what they hold goes first
            self._leave_device(self._values)
            self._values = self._placed(self._values)
            self._run = self._begin(self._values, self._cuts)
            self.fresh = True
            return
        self.fresh = True

    def _begin(self, values: Settings, cuts: tuple[Cut, ...]) -> Run:
        """A run at its start; on the CPU where the device has no memory for it."""
        while True:
            try:
                return Run(self.lesson.lab, self.lesson.cut_open(cuts), self._placed(values))
            except torch.OutOfMemoryError:
                self._leave_device(values)

    def _leave_device(self, values: Settings) -> None:
        """The device is out of memory: the CPU does it from here on.

        Raises:
            torch.OutOfMemoryError: it was the CPU.
        """
        if self._placed(values).get("device", "cpu") == "cpu":
            raise torch.OutOfMemoryError("the CPU is out of memory")
        self._full = str(values["device"])
        torch.cuda.empty_cache()

    def _placed(self, values: Settings) -> Settings:
        """The settings with the device that there is room on."""
        full = self._full and values.get("device") == self._full
        return values | {"device": "cpu"} if full else values

    def picture(self) -> Picture:
        """Return the picture of the run as it is now."""
        run = self._run
        assert run is not None
        self.fresh = False
        history, values, visit = run.history, self._values, self._visit
        step, answers = visit.step, visit.wish.answers
        figures = self.training.figures(history.without(visit.hidden), values)
        if not run.done:
            figures = [untrained_figure(figure) for figure in figures]
        drawn = [
            covered_figure(one, visit.hidden, visit.opens)
            for one in figures
            if one.name in self._shown
        ]
        table = None
        if "table" in self._shown:
            shown = covered_table(self.training.table(history, values), visit.hidden)
            table = payload.table(shown)
        where = (
            WORDS.counted("seeds", run.seeds),
            WORDS("computing", n=f"{run.seconds:.1f}") if run.done else "",
            str(values.get("device", "")),
            str(values.get("dtype", "")),
        )
        return {
            "figures": payload.figures(drawn),
            "views": [payload.view(figure.name, self.lesson.views) for figure in figures],
            "turn": step.is_done(answers, {**values, **history.facts}),
            "table": table,
            "notes": payload.notes((*history.notes(), *warned(self._told_of_device()))),
            "numbers": step.numbers(answers, history.facts),
            "status": " · ".join(filter(None, where)),
            "training": {
                # From the moment it is wanted, though its first step is still to come.
                "state": "running" if self.wants else run.state,
                "done": run.done,
                "total": run.total,
                "text": " · ".join(filter(None, (self._progress(run), self._changed(run)))),
                "offered": self._is_offered({figure.name for figure in figures}),
                "held": self._held,
                "begun": self._begun,
                "run": self._name,
                "lost": self._lost,
                "count": self._asked.count,
            },
        }

    def _is_offered(self, figures: set[str]) -> bool:
        """Whether the step shows the run, or its text says to start it."""
        can_pause = self.wants
        return self._visit.step.says_start or can_pause or bool(self._shown & {"table", *figures})

    def _told_of_device(self) -> str | None:
        return WORDS("device_full", device=self._full) if self._full else None

    def _changed(self, run: Run) -> str:
        """Say which controls changed since the run's steps."""
        changed = run.changed_by(self._values)
        if not changed:
            return ""
        labels = {parameter.name: parameter.label for parameter in self.lesson.lab.parameters}
        names = ", ".join([labels[name] for name in changed][:2] + ["…"] * (len(changed) > 2))
        return WORDS("changed", step=f"{max(changed.values()):,}", names=names)

    def _progress(self, run: Run) -> str:
        so_far = WORDS("run_step", done=f"{run.done:,}", total=f"{run.total:,}")
        if self._held:
            return WORDS("run_waits")
        if self._lost:
            return f"{so_far} · {WORDS('run_lost')}"
        if run.state == "running" and run.done:
            left = run.seconds / run.done * (run.total - run.done)
            return f"{so_far} · {WORDS('run_left', n=round(left))}"
        if run.over:
            return f"{so_far} · {WORDS('run_done', n=f'{run.seconds:.1f}')}"
        return so_far
