"""What a page knows about a lesson's lab: the last orders to it. The browser knows the rest."""

import secrets
import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import streamlit as st

from lessons.contract.lesson import Lesson
from lessons.contract.result import Result
from lessons.contract.settings import Settings
from lessons.gradient_tricks.recorder.cutting import Cut
from lessons.outputs.address import spelled
from lessons.outputs.computed import Computed, computed
from lessons.prose.steps import Question, Step
from pages.ui import memory
from pages.ui.memory import Trail
from pages.ui.natural import natural

GRAPH = ("cuts", "at")
"""An address's words besides parameters: the edges cut, the step of the backward pass."""
TEACHER = ("hide", "fix")
"""A teacher's words: the names of the controls to hide, and of those to lock."""
_PLACES = "places"
"""Session key: the places by lesson."""
_MOST_ORDERS = 50
END = 10**6
"""A step larger than any in a backward pass: it shows the end."""
room = threading.BoundedSemaphore(2)
"""Room for two pages at a time that compute a lab's first picture, or the numbers in a text. Each
runs in a thread and holds some megabytes: 48 heavy ones at once took 0.4 GB."""


@dataclass
class Place:
    """One lesson in one session.

    Args:
        lesson: the lesson.
        text: the text last ordered for each control.
        cuts: the edges last ordered to be cut.
        graph_step: the step of the backward pass to show; None leaves it as it is.
        orders: what the page asked of the lab since the lab was opened, the newest last.
        hide, fix: the controls that a teacher's link hides, and those that it locks.
    """

    lesson: Lesson
    text: dict[str, str]
    cuts: str = ""
    graph_step: int | None = None
    orders: list[dict[str, Any]] = field(default_factory=list)
    hide: frozenset[str] = frozenset()
    fix: frozenset[str] = frozenset()
    _before: dict[str, str] = field(default_factory=dict)
    """The settings that a commit changed, as they were before it, for the next step."""

    @classmethod
    def opened(cls, lesson: Lesson, given: Mapping[str, str]) -> "Place":
        """Make the place that an address leads to; ignore its unknown parts."""
        at = natural(given.get("at", ""), 9999)
        place = cls(lesson, dict(lesson.defaults), given.get("cuts", "")[:4000], at)
        place.text |= spelled(lesson, {n: text for n, text in given.items() if n in place.text})
        hide, fix = (given.get(word, "")[:2000].split(",") for word in TEACHER)
        place.hide, place.fix = (frozenset(place.text.keys() & names) for names in (hide, fix))
        return place

    @classmethod
    def arrived(cls, lesson: Lesson, given: Mapping[str, str], trail: Trail) -> "Place":
        """Make the place that an address leads to, and take the trail to its step."""
        place = cls.opened(lesson, given)
        number = natural(given.get("step", ""), 999)
        if number is not None:
            trail.step = memory.clamp_step(lesson, number)
        step = lesson.prose.steps[trail.step - 1]
        if given.keys().isdisjoint((*place.text, *GRAPH)):
            # The step's text is about the step's own settings.
            own = {**step.lab, **_revealed(step, trail.answers)}
            place.text |= spelled(lesson, {n: own[n] for n in own.keys() - place.fix})
            place.cuts, place.graph_step = step.cuts or "", step.graph_step
        held = step.held(trail.answers)
        place.text |= spelled(lesson, {n: step.lab[n] for n in held if n in step.lab})
        return place

    @classmethod
    def of_question(
        cls, lesson: Lesson, question: Question, given: Mapping[str, str], answered: bool
    ) -> "Place":
        """Make a place of its own for a question at these settings, apart from the lesson's."""
        step, place = lesson.step_of(question), cls.opened(lesson, given)
        place.order(given, step.cuts or "", step.graph_step)
        if answered:
            place.reveal(question)
        return place

    def order(
        self, text: Mapping[str, str], cuts: str | None = None, graph_step: int | None = None
    ) -> None:
        """Ask the lab for these settings.

        Args:
            text: by parameter; a control that a teacher's link locks stays as it is.
            cuts: the edges to cut, no others; None leaves them as they are.
            graph_step: the step of the backward pass to show; None leaves it as it is.
        """
        asked = {name: value for name, value in text.items() if name not in self.fix}
        asked = spelled(self.lesson, asked)
        self.text |= asked
        self.cuts = self.cuts if cuts is None else cuts
        self.graph_step = graph_step
        self.orders = [*self.orders, _order(asked, cuts, graph_step)][-_MOST_ORDERS:]

    def go(self, number: int, answers: Collection[str]) -> None:
        """Ask for a step's settings; the learner's own stay where the step sets nothing.

        A question is about its step's settings and the defaults, so it asks for all of them. A step
        with settings has text about them, so it mends the edges that were cut before. Not where
        something trains: a change would end the run, and the step's ``cuts`` says what it needs.
        """
        step = self.lesson.prose.steps[number - 1]
        text = {**self._before, **step.lab, **_revealed(step, answers)}
        self._before = {}
        asks = step.question is not None and step.question.kind != "bug"
        cuts = step.cuts
        if self.lesson.lab.training is None and (asks or step.lab):
            text = self.lesson.defaults | text if asks else text
            cuts = cuts or ""
        if text or cuts is not None or step.graph_step is not None:
            self.order(text, cuts, step.graph_step)

    def reveal(self, question: Question) -> None:
        """Ask for the case that a question was about, now that it is answered.

        A lab that trains gets only what the question names: another setting might end the run.
        """
        self._before = {name: self.text[name] for name in question.reveal}
        if self.lesson.lab.training is None:
            self.order({**self.text, **question.reveal}, "")
        elif question.reveal:
            self.order(question.reveal)

    def result_before_commit(self, question: Question) -> Result:
        """Compute the result that a question is about, without what its commit reveals."""
        if not question.reveal:
            return self.result
        before = {**self.lesson.defaults, **self.lesson.step_of(question).lab}
        text = self.text | {name: before[name] for name in question.reveal}
        return replace(self, text=text).result

    def reset(self, step: int) -> None:
        """Ask for the step's settings and the defaults."""
        self.order({**self.lesson.defaults, **self.lesson.prose.steps[step - 1].lab}, "", END)

    def as_data(self) -> list[dict[str, Any]]:
        """Return the orders for the lab in the browser, which does each one once, in turn."""
        return [self._opening, *self.orders]

    @cached_property
    def _opening(self) -> dict[str, Any]:
        return _order(dict(self.text), self.cuts, self.graph_step) | {"first": True}

    @property
    def values(self) -> Settings:
        """Return the settings asked for; a text that its control refuses counts as the default."""
        return self.lesson.settings(self.text, {})[1]

    @property
    def valid_cuts(self) -> tuple[Cut, ...]:
        """Return the edges to cut that the graph has."""
        return self.lesson.cuts_in(self.cuts, self.values)[0]

    @property
    def result(self) -> Result:
        """Compute the result of these settings, or of cheaper ones that are like them."""
        return self.run.result

    @property
    def run(self) -> Computed:
        """Run the lesson at these settings, or at cheaper ones that are like them."""
        with room:
            values = self.lesson.lab.preview(self.values)
            return computed(self.lesson, values, self.valid_cuts)


def _order(values: dict[str, str], cuts: str | None, graph_step: int | None) -> dict[str, Any]:
    order = {"values": values, "cuts": cuts, "graph_step": graph_step}
    return order | {"id": secrets.token_hex(6), "first": False}


def _revealed(step: Step, answers: Collection[str]) -> Mapping[str, str]:
    """Return what the answer to the step's question has revealed, if there is one."""
    question = step.question
    return question.reveal if question and question.name in answers else {}


def place_of(lesson: Lesson) -> Place:
    """Return this session's place in a lesson; the first time, as the address says."""
    known: dict[str, Place] = st.session_state.setdefault(_PLACES, {})
    if lesson.slug not in known:
        here = st.query_params.to_dict()
        asked = here if here.pop("lesson", lesson.slug) == lesson.slug else {}
        known[lesson.slug] = Place.arrived(lesson, asked, memory.trail(lesson))
    return known[lesson.slug]
