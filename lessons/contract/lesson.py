"""The class `Lesson`: it turns parameters into a Result, and has text, figures, table and code."""

import contextlib
import inspect
import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from lessons.contract.bug import Bug
from lessons.contract.covering import covered_figure, covered_result, covered_table
from lessons.contract.cuts import read_cuts, write_cuts
from lessons.contract.devices import refused, resolve
from lessons.contract.figure import Figure, Table
from lessons.contract.lab import Lab
from lessons.contract.parameters import InvalidParametersError, Values, validate
from lessons.contract.prose import TRY, TURN, Prose, Question, Step
from lessons.contract.result import Facts, FactsAsAsked, Result, warned
from lessons.contract.sketch import Sketch
from lessons.contract.words import VIEWS
from lessons.recorder import Recording, RefusedError, record
from lessons.recorder.cutting import Cut, cut
from lessons.text import listed, visible
from lessons.text.words import ProseError, Texts, in_language, listed_under
from lessons.tricks import TrickError

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
        sketches: for each question that the learner answers by drawing, its chart and answers.
        highlight: the part of the program's source that contains the trick; may be empty.
        bug: a real mistake to find, from the lesson's bug.py.
        elsewhere: computes facts about code that a question quotes but the lab doesn't run.
    """

    program: Callable[..., Any]
    lab: Lab
    predictions: Mapping[str, Callable[[Result], str]] = field(default_factory=dict)
    sketches: Mapping[str, Sketch] = field(default_factory=dict)
    highlight: str = ""
    bug: Bug | None = None
    elsewhere: Callable[[], Facts] = dict
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

    def source_with(self, cuts: Collection[Cut]) -> str:
        """Return the source, with a line that cuts these edges if there are any."""
        if not cuts:
            return self.source
        pairs = ", ".join(f"({op!r}, {operand})" for op, operand in sorted(cuts))
        name = self.program.__name__
        return f"{self.source}\n\n{name} = cut({name}, [{pairs}])\n"

    @cached_property
    def in_torch(self) -> str:
        """Return in_torch.py with the chapter's map written into it, if it imports the map."""
        text = (self.folder / "in_torch.py").read_text("utf-8")
        line = re.search(rf"\nfrom .*\.{self.chapter}\.in_torch import .*\n", text)
        if line is None:
            return text
        own = (self.folder.parent / "in_torch.py").read_text("utf-8").partition("import torch\n")[2]
        before, _, after = text.replace(line[0], "").partition("\n\n\n")
        return "\n\n\n".join([before, own.strip(), after])

    @property
    def equivalents(self) -> dict[str, Path]:
        """Files in the folder with the same program in other frameworks, by label."""
        names = {"TensorFlow 1": "in_tensorflow1.py", "JAX": "in_jax.py"}
        paths = {label: self.folder / name for label, name in names.items()}
        return {label: path for label, path in paths.items() if path.exists()}

    def validate(self, given: Mapping[str, str]) -> dict[str, Any]:
        """Parse the given texts, and use the default for every other parameter.

        Raises:
            InvalidParametersError: with a message for each refused parameter, by its name.
        """
        values = validate(self.lab.parameters, given)
        errors = {**refused(values), **self.lab.check(values)}
        if errors:
            raise InvalidParametersError(errors)
        return values

    def settings(
        self, given: Mapping[str, str], good: Mapping[str, str] | None
    ) -> tuple[dict[str, str], Values, dict[str, str]]:
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

    def compute(self, values: Values, cuts: Collection[Cut] = ()) -> Result:
        """Run the lesson, with these edges of its program's graph cut.

        The same values and cuts always give the same result.

        Raises:
            CutError: the program computes a gradient itself, and the cuts leave no path for it.
        """
        try:
            program = self.cut_open(cuts)
            result = self.lab.compute(program, values)
            facts, own = result.facts, self.elsewhere()
            if self.lab.training is not None:
                own = {**self.lab.training.facts_at_first(program, values), **own}
            if isinstance(facts, FactsAsAsked) and not cuts:
                facts = facts.with_known(own)
            else:  # after a cut, compute all facts here: one may raise for lack of a gradient
                facts = {**facts, **own}
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

    def edges(self, values: Values) -> frozenset[Cut]:
        """Return the edges of the program's graph that can be cut."""
        recording = self.record(values)
        edges = recording.edges if recording else ()
        return frozenset((edge.consumer.name, edge.operand) for edge in edges if edge.cuttable)

    def cuts_in(self, asked: str, values: Values) -> tuple[tuple[Cut, ...], str]:
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

    def record(self, values: Values, cuts: Collection[Cut] = ()) -> Recording | None:
        """Record one run at the learner's inputs, forward and backward; None without a graph.

        Raises:
            RecordError: a cut names no edge of the graph.
        """
        if self.lab.start is None:
            return None
        start = self.lab.start(values)
        with record({**start.leaves, **start.besides}, cuts=cuts) as recording:
            out = start.call(self.program)
            own = set(recording.nodes)
            end = start.finish(out)
        for node in recording:
            for edge in node.operands if node.name not in own else ():
                edge.fixed = True  # it comes after the program, and `compute` cuts only the program
        recording.dead_ends = start.dead_ends
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
            raise ProseError(
                f"{self.slug}, question {question.name!r}: the lab does not compute the fact "
                f"{error}. Name one of the facts that it computes: {sorted(result.facts)}"
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

    def figures(self, result: Result, values: Values, hidden: frozenset[str]) -> list[Figure]:
        """Draw the lab's charts without the traces of the hidden roles."""
        seen = covered_result(result, hidden)
        return [covered_figure(one, hidden) for one in self.lab.figures(seen, values)]

    def table(self, result: Result, values: Values, hidden: frozenset[str]) -> Table:
        """Build the lab's table without the numbers of the hidden roles."""
        return covered_table(self.lab.table(result, values), hidden)

    def sketch(self, question: Question) -> Sketch:
        """Set up the question's sketch on the lab's chart, with the question's roles hidden."""
        values = self.validate(self.step_of(question).lab)
        whole = self.lab.figures(self.asked_about(question), values)  # with room for the curve
        figures = [covered_figure(one, frozenset(question.hides)) for one in whole]
        return self.sketches[question.name].on(figures)

    def case(self, question: Question) -> Values:
        """Return the settings that the lab gets when the learner commits to an answer.

        Raises:
            InvalidParametersError: the lab refuses these settings, and that is the right answer.
        """
        return self.validate({**self.step_of(question).lab, **question.reveal})

    def answer(self, question: Question) -> str:
        """Find the right answer to a question, at the settings of the question's step."""
        return self.right(question, self.asked_about(question))

    def text(self, values: Values) -> dict[str, str]:
        """Write the values as text for a URL; `validate` parses it back."""
        return {p.name: p.format(values[p.name]) for p in self.lab.parameters}

    def spelled(self, texts: Mapping[str, str]) -> dict[str, str]:
        """Respell the settings as a drag writes them, with a blank after each comma of a list.

        A text that can't be parsed stays unchanged, and its control then refuses it.
        """
        found = dict(texts)
        for one in self.lab.parameters:
            with contextlib.suppress(ValueError, OverflowError):
                if one.name in found:
                    found[one.name] = one.format(one.parse(found[one.name]))
        return found

    @cached_property
    def views(self) -> dict[str, str]:
        """The labels of the drawers that no other lesson has, by the name of a view."""
        return listed_under(in_language(self.folder), VIEWS)

    @cached_property
    def defaults(self) -> dict[str, str]:
        """The text of the default values."""
        return self.text(self.validate({}))

    def changed(self, values: Values) -> dict[str, str]:
        """Write as text only the values that differ from their defaults."""
        return {n: text for n, text in self.text(values).items() if text != self.defaults[n]}

    def query(
        self,
        values: Values,
        step: int,
        cuts: Collection[Cut] = (),
        hidden: Collection[str] = (),
        fixed: Collection[str] = (),
        stated: Collection[str] = (),
    ) -> str:
        """Return the query that restores this screen: lesson, step, and every changed setting.

        Args:
            values, step, cuts: the state of the screen.
            hidden, fixed: controls that a teacher hides or locks; a name of no control is left out.
            stated: settings to include even at their defaults, as for locked controls.
        """
        texts = self.text(values)
        named = (name for name in (*fixed, *stated) if name in texts)
        changed = self.changed(values) | {name: texts[name] for name in named}
        words = {
            "cuts": write_cuts(cuts),
            "hide": ",".join(sorted(texts.keys() & hidden)),
            "fix": ",".join(sorted(texts.keys() & fixed)),
        }
        words = {word: text for word, text in words.items() if text}
        return urlencode({"lesson": self.slug, "step": str(step), **changed, **words}, safe=",:")


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


def step_controls(lesson: Lesson, step: Step) -> frozenset[str]:
    """Return the controls shown next to a step's stage: the declared ones, or those in its text."""
    if step.controls is not None:
        return frozenset(step.controls)
    text = f"{step.text} {step.turn.text if step.turn else ''}"
    named = {p.name for p in lesson.lab.parameters if f"**{p.label}**" in text}
    return frozenset(named | step.touch.keys() & {p.name for p in lesson.lab.parameters})


def without_hidden(lesson: Lesson, text: str, hidden: Collection[str]) -> str:
    """Remove the tasks that name a hidden control from a step's text.

    Args:
        text: Markdown; each task is a paragraph that names controls by their labels.
    """
    labels = [f"**{p.label}**" for p in lesson.lab.parameters if p.name in hidden]
    kept = (
        part
        for part in text.split("\n\n")
        if not part.startswith((TRY, TURN)) or not any(label in part for label in labels)
    )
    return "\n\n".join(kept)
