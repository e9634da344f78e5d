"""The class `Lesson`: it turns parameters into a Result, and has text, figures, table and code."""

import contextlib
import inspect
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from lessons.contract.bug import Bug
from lessons.contract.covering import covered_figure, covered_result, covered_table
from lessons.contract.cuts import read_cuts, write_cuts
from lessons.contract.devices import refused, resolve
from lessons.contract.figure import Figure, Table
from lessons.contract.lab import Lab
from lessons.contract.parameters import InvalidParametersError
from lessons.contract.result import Facts, LazyFacts, Result, warned
from lessons.contract.settings import Settings
from lessons.contract.sketch import Sketch
from lessons.gradient_tricks.recorder import Recording, RefusedError, record
from lessons.gradient_tricks.recorder.cutting import Cut, cut
from lessons.gradient_tricks.text import listed, suggestion, visible
from lessons.gradient_tricks.text.words import ProseError, Texts, in_language, listed_under
from lessons.gradient_tricks.tricks import TrickError
from lessons.prose.steps import VIEWS, Prose, Question, Step

WORDS = Texts(__file__)


class CutError(ValueError):
    """A program can't run with these edges of its graph cut; the message says why."""


class RefusedTextError(ValueError):
    """Says why a text is refused; there is no good text to use instead."""


@dataclass(frozen=True, eq=False)
class Lesson:
    """A lesson as its lesson.py declares it; the catalogue adds `folder` and `prose`.

    Args:
        program: the function or module class that the lesson is about; the code pane shows its
            source.
        lab: the lab's parameters, charts and table.
        predictions: for each question that names no fact, a function from the result to the right
            answer.
        sketches: for each question that the learner answers by drawing, its chart and handles.
        highlight: the part of the program's source that contains the trick; may be empty.
        bug: a real mistake to find, from the lesson's bug.py.
        facts: compute facts that no setting changes, from the program or from nothing. They are
            computed once for a program, when a text quotes one.
    """

    program: Callable[..., Any]
    lab: Lab[Any]
    predictions: Mapping[str, Callable[[Result], str]] = field(default_factory=dict)
    sketches: Mapping[str, Sketch] = field(default_factory=dict)
    highlight: str = ""
    bug: Bug | None = None
    facts: Sequence[Callable[..., Facts]] = ()
    folder: Path = Path()
    prose: Prose = field(default_factory=lambda: Prose({}, "", ()))

    @property
    def slug(self) -> str:
        return self.folder.name

    @property
    def chapter(self) -> str:
        return self.folder.parent.name

    @property
    def title(self) -> str:
        return self.prose.front["title"]

    @property
    def summary(self) -> str:
        return self.prose.front["summary"]

    @property
    def source(self) -> str:
        """The source of the program, as written in lesson.py."""
        return inspect.getsource(self.program)

    def validate(self, given: Mapping[str, str]) -> Settings:
        """Parse the given texts, and use the default for every other parameter.

        Raises:
            InvalidParametersError: with a message for each refused parameter, by its name.
        """
        values: Settings = self.lab.settings.read(given)
        errors = {**refused(values), **self.lab.check(values)}
        if errors:
            raise InvalidParametersError(errors)
        return values

    def settings(
        self, given: Mapping[str, str], good: Mapping[str, str] | None
    ) -> tuple[dict[str, str], Settings, dict[str, str]]:
        """Return each control's text, the values, and the refusals by parameter.

        Args:
            given: what the controls say; unknown names are ignored.
            good: the texts that count instead of refused ones, or else the defaults count.

        Raises:
            RefusedTextError: a text is refused, and ``good`` is None.
        """
        defaults = self.defaults
        text = defaults | {name: given[name] for name in defaults if name in given}
        errors: dict[str, str] = {}
        kept = text
        for instead in (good or {}, *[defaults] * len(text)):
            try:
                return text, self.validate(kept), errors
            except InvalidParametersError as error:
                if good is None:
                    raise RefusedTextError(str(error)) from None
                errors = error.errors | errors
                kept = kept | {name: instead.get(name, defaults[name]) for name in error.errors}
        return text, self.validate({}), errors

    def compute(self, values: Settings, cuts: Collection[Cut] = ()) -> Result:
        """Run the lesson, with these edges of its program's graph cut.

        The same values and cuts always give the same result.

        Raises:
            CutError: the program computes a gradient itself, and the cuts leave no path for it.
        """
        try:
            program = self.cut_open(cuts)
            result = self.lab.compute(program, values)
            known = {**self.lab.at_point(values, result), **result.facts}
            parts: list[Callable[[], Facts]] = [*result.more_facts]
            parts += (partial(_fixed, one, program) for one in self.facts)
            if training := self.lab.training:
                parts.append(partial(training.facts_at_first, program, values, known))
            facts: Facts = LazyFacts(known, *parts)
            if cuts:  # compute all facts here: one may raise for lack of a gradient
                facts = dict(facts)
            device, missing = resolve(values.get("device", "cpu"))
            notes = (*warned(missing), *result.notes)
            return replace(result, facts=facts, notes=notes, device=str(device))
        except (RuntimeError, TrickError) as error:
            # These are the messages of torch and the engine for a graph without a path to an input.
            if not cuts or not re.search(
                "does not require grad|not have been used in the graph|no graph was built",
                str(error),
            ):
                raise
            raise CutError(WORDS("cannot_run", cuts=write_cuts(cuts), lesson=self.slug)) from error

    def cut_open(self, cuts: Collection[Cut]) -> Callable[..., Any]:
        """Return the program with these edges of its graph cut; cached for each set of cuts."""
        return _cut_open(self.program, tuple(sorted(cuts))) if cuts else self.program

    def edges(self, values: Settings) -> frozenset[Cut]:
        """Return the edges of the program's graph that can be cut."""
        recording = self.record(values)
        edges = recording.edges if recording else ()
        return frozenset((edge.consumer.name, edge.operand) for edge in edges if edge.cuttable)

    def cuts_in(self, asked: str, values: Settings) -> tuple[tuple[Cut, ...], str]:
        """Split the cuts in a text: those that the graph has, and a message about the others."""
        try:
            cuts = read_cuts(asked)
        except ValueError as error:
            return (), WORDS("no_cuts", why=error)
        known = self.edges(values) if cuts else frozenset(cuts)
        gone = [edge for edge in cuts if edge not in known]
        if not gone:
            return cuts, ""
        names = listed([visible(write_cuts([edge])) for edge in gone], most=3)
        kept = tuple(edge for edge in cuts if edge in known)
        can_be_cut = write_cuts(known) or WORDS("none")
        return kept, WORDS("no_edges", edges=names, known=can_be_cut)

    def record(self, values: Settings, cuts: Collection[Cut] = ()) -> Recording | None:
        """Record one run at the learner's inputs, forward and backward; None without a graph.

        Raises:
            RecordError: a cut names no edge of the graph.
        """
        if self.lab.start is None:
            return None
        start = self.lab.start(values)
        with record({**start.leaves, **start.extra_leaves}, cuts=cuts) as recording:
            out = start.call(self.program)
            own = set(recording.nodes)
            end = start.finish(out)
        for node in recording:
            for edge in node.operands if node.name not in own else ():
                edge.fixed = True  # it comes after the program, and `compute` cuts only the program
        recording.dead_ends = start.show_unused_ops
        with contextlib.suppress(RefusedError):  # the recording's last step shows the reason
            recording.backward(end)
        return recording

    def right(self, question: Question, result: Result) -> str:
        """Find the right answer from the computed result or, for a bug, from its assertion.

        Raises:
            ProseError: the question names a fact that the result doesn't have.
        """
        if question.kind == "bug":
            assert self.bug is not None  # the catalogue checks this
            return self.bug.right()
        if not question.asks:
            return self.predictions[question.name](result)
        try:
            asked = result.facts[question.asks]
            return min(question.options, key=lambda one: _apart(asked, one.value(result.facts))).key
        except KeyError as error:
            among = suggestion(str(error.args[0]), result.facts)
            raise ProseError(
                f"{self.slug}, question {question.name!r}: the lab does not compute the fact "
                f"{error}. {among}"
            ) from error

    def asked_about(self, question: Question) -> Result:
        """Compute the result that a question asks about, at the settings of the question's step.

        Cached, since a page with a verdict reads it four times.
        """
        known = self._asked_about
        if question.name not in known:
            known[question.name] = self.compute(self.validate(self.step_of(question).lab))
        return known[question.name]

    @cached_property
    def _asked_about(self) -> dict[str, Result]:
        return {}

    def step_of(self, question: Question) -> Step:
        """Find the step that asks this question."""
        return next(one for one in self.prose.steps if one.question == question)

    def figures(
        self, result: Result, values: Settings, hidden: frozenset[str], opens: int = 0
    ) -> list[Figure]:
        """Draw the lab's charts without the traces of the hidden roles.

        Args:
            opens: as in ``covered_figure``.
        """
        seen = covered_result(result, hidden)
        return [covered_figure(one, hidden, opens) for one in self.lab.figures(seen, values)]

    def table(self, result: Result, values: Settings, hidden: frozenset[str]) -> Table:
        """Build the lab's table without the numbers of the hidden roles."""
        return covered_table(self.lab.table(result, values), hidden)

    def sketch(self, question: Question) -> Sketch:
        """Set up the question's sketch on the lab's chart, with the question's roles hidden.

        An answer expects its own fact at each handle. Cached, as `asked_about` is.
        """
        if question.name not in self._sketch_by_question:
            lab, sketch = self.step_of(question).lab, self.sketches[question.name]
            handles = {"x": ", ".join(map(str, sketch.x))}
            along = [
                self.compute(self.validate({**lab, **handles, "point": str(point)})).facts
                for point in range(1, len(sketch.x) + 1)
            ]
            beliefs = {
                one.key: np.array([float(one.value(facts)) for facts in along])
                for one in question.options
            }
            # Drawn before anything is hidden: the chart has room for the curve.
            whole = self.lab.figures(self.asked_about(question), self.validate(lab))
            figures = [covered_figure(one, frozenset(question.hides)) for one in whole]
            self._sketch_by_question[question.name] = sketch.on(figures, beliefs)
        return self._sketch_by_question[question.name]

    @cached_property
    def _sketch_by_question(self) -> dict[str, Sketch]:
        return {}

    def case(self, question: Question) -> Settings:
        """Return the settings that the lab gets when the learner commits to an answer.

        Raises:
            InvalidParametersError: the lab refuses these settings, and that is the right answer.
        """
        return self.validate({**self.step_of(question).lab, **question.reveal})

    def answer(self, question: Question) -> str:
        """Find the right answer to a question, at the settings of the question's step."""
        return self.right(question, self.asked_about(question))

    def text(self, values: Settings) -> dict[str, str]:
        """Write the values as text for a URL; `validate` parses it back."""
        return {p.name: p.format(values[p.name]) for p in self.lab.parameters}

    @cached_property
    def views(self) -> dict[str, str]:
        """The labels of the drawers that no other lesson has, by the name of a view."""
        return listed_under(in_language(self.folder), VIEWS)

    @cached_property
    def defaults(self) -> dict[str, str]:
        """The text of the default values."""
        return self.text(self.validate({}))

    def changed(self, values: Settings) -> dict[str, str]:
        """Write as text only the values that differ from their defaults."""
        return {n: text for n, text in self.text(values).items() if text != self.defaults[n]}


def _apart(one: float | str, other: float | str) -> float:
    """Return the distance between two facts: 0 for two NaNs, infinity for different texts."""
    if one == other:
        return 0.0
    if isinstance(one, str) or isinstance(other, str):
        return math.inf
    if math.isnan(one) and math.isnan(other):
        return 0.0
    return math.inf if math.isnan(one - other) else abs(one - other)


_cut_open = lru_cache(maxsize=64)(cut)


def _fixed(facts: Callable[..., Facts], program: Callable[..., Any]) -> Facts:
    """Return facts that depend on no setting, computed once, or once for each program they read."""
    return _once(facts, program) if inspect.signature(facts).parameters else _once(facts)


@lru_cache(maxsize=512)
def _once(facts: Callable[..., Facts], *program: Callable[..., Any]) -> Facts:
    return facts(*program)
