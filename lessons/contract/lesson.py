"""What a lesson is: parameters in, a Result out, with its text, figures, table and code."""

import contextlib
import inspect
import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from lessons.contract.bug import Bug
from lessons.contract.covering import covered_figure, covered_table
from lessons.contract.cuts import read_cuts, write_cuts
from lessons.contract.devices import refused, resolve
from lessons.contract.figure import Figure, Table
from lessons.contract.lab import Lab
from lessons.contract.parameters import InvalidParametersError, Values, validate
from lessons.contract.prose import TRY, TURN, Prose, Question, Step
from lessons.contract.result import Facts, FactsAsAsked, Result, warned
from lessons.contract.sketch import Sketch
from lessons.recorder import Recording, RefusedError, record
from lessons.recorder.cutting import Cut, cut
from lessons.text import listed, visible
from lessons.text.words import ProseError, Texts
from lessons.tricks import TrickError

WORDS = Texts(__file__)


class CutError(ValueError):
    """A program that cannot run with these edges of its graph cut; says why."""


@dataclass(frozen=True)
class Lesson:
    """A lesson as its lesson.py declares it; the catalogue adds where it was found.

    Args:
        program: the function, or the module's class, that the lesson is about; its source is what
            the code pane shows.
        lab: what can be set and seen.
        predictions: for each question of the prose that asks for no fact, which answer the result
            makes right.
        sketches: for each question whose answer is drawn, where, and what each answer expects.
        highlight: the text in the program's source where the trick sits, or nothing.
        bug: a real mistake to find, from bug.py beside it.
        elsewhere: facts of code that a question quotes and the lab does not run.
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
        """The torch code that runs, as it stands in lesson.py."""
        return inspect.getsource(self.program)

    def source_with(self, cuts: Collection[Cut]) -> str:
        """The same, and how it is cut open if it is."""
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
        """The same in other frameworks: label to file, those that lie in the folder."""
        names = {
            "TensorFlow 2": "in_tensorflow.py",
            "TensorFlow 1": "in_tensorflow1.py",
            "JAX": "in_jax.py",
        }
        paths = {label: self.folder / name for label, name in names.items()}
        return {label: path for label, path in paths.items() if path.exists()}

    def validate(self, given: Mapping[str, str]) -> dict[str, Any]:
        """Values for the text given, defaults for the rest.

        Raises:
            InvalidParametersError: everything refused, by parameter name.
        """
        values = validate(self.lab.parameters, given)
        errors = {**refused(values), **self.lab.check(values)}
        if errors:
            raise InvalidParametersError(errors)
        return values

    def compute(self, values: Values, cuts: Collection[Cut] = ()) -> Result:
        """Run the lesson, its program cut open at these edges of its graph.

        Pure: the same values and cuts give the same result.

        Raises:
            CutError: the program itself asks for a gradient, and the cuts leave it none.
        """
        try:
            program = self.cut_open(cuts)
            result = self.lab.compute(program, values)
            facts, own = result.facts, self.elsewhere()
            if self.lab.training is not None:
                own = {**self.lab.training.facts_at_first(program, values), **own}
            if isinstance(facts, FactsAsAsked) and not cuts:
                facts = facts.with_known(own)
            else:  # with an edge cut all are computed here: some need the gradient that it sent
                facts = {**facts, **own}
            device, missing = resolve(values.get("device", "cpu"))
            notes = (*warned(missing), *result.notes)
            return replace(result, facts=facts, notes=notes, device=str(device))
        except (RuntimeError, TrickError) as error:
            # torch's words, and the engine's, where a backward call finds a graph leading nowhere.
            if not cuts or not re.search(
                "does not require grad|not have been used in the graph|no graph was built",
                str(error),
            ):
                raise
            raise CutError(WORDS("cannot_run", cuts=write_cuts(cuts), lesson=self.slug)) from error

    def cut_open(self, cuts: Collection[Cut]) -> Callable[..., Any]:
        """The program with these edges of its graph cut; the same cuts give the same object."""
        return _cut_open(self.program, tuple(sorted(cuts))) if cuts else self.program

    def edges(self, values: Values) -> frozenset[Cut]:
        """The edges of its graph that can be cut."""
        recording = self.record(values)
        edges = recording.edges if recording else ()
        return frozenset((edge.consumer.name, edge.operand) for edge in edges if edge.cuttable)

    def cuts_in(self, asked: str, values: Values) -> tuple[tuple[Cut, ...], str]:
        """The cuts in a text that its graph has, and what to say of the others; "" for none.

        Raises:
            ValueError: the text cannot be read.
        """
        cuts = read_cuts(asked)
        known = self.edges(values) if cuts else frozenset(cuts)
        gone = [edge for edge in cuts if edge not in known]
        if not gone:
            return cuts, ""
        names = listed([visible(write_cuts([edge])) for edge in gone], most=3)
        kept = tuple(edge for edge in cuts if edge in known)
        can_be_cut = write_cuts(known) or WORDS("none")
        return kept, WORDS("no_edges", edges=names, known=can_be_cut)

    def record(self, values: Values, cuts: Collection[Cut] = ()) -> Recording | None:
        """The graph of one run at the learner's inputs, forward and backward; None if it has none.

        Raises:
            RecordError: a cut that names no edge.
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
                edge.fixed = True  # behind the program, whose edges alone `compute` cuts
        recording.dead_ends = start.dead_ends
        with contextlib.suppress(RefusedError):  # its last step then says so, and why
            recording.backward(end)
        return recording

    def right(self, question: Question, result: Result) -> str:
        """The answer that the computed result, or for a bug the assertion, makes right.

        Raises:
            ProseError: the text names a fact that the result does not have.
        """
        if question.kind == "bug":
            assert self.bug is not None  # the catalogue has seen to it
            return self.bug.right()
        if not question.asks:
            return self.predictions[question.name](result)
        for name in (question.asks, *(option.fact for option in question.options)):
            if name not in result.facts:
                raise ProseError(
                    f"{self.slug}, question {question.name!r}: it needs the fact {name!r}, "
                    f"which the lab does not compute; there are {sorted(result.facts)}"
                )
        computed = result.facts[question.asks]
        return min(question.options, key=lambda one: _apart(computed, result.facts[one.fact])).key

    def asked_about(self, question: Question) -> Result:
        """The result that a question asks about: at the settings of its own step.

        Kept, since a page with a verdict reads it four times.
        """
        known = self._asked_about
        if question.name not in known:
            known[question.name] = self.compute(self.validate(self.step_of(question).lab))
        return known[question.name]

    @cached_property
    def _asked_about(self) -> dict[str, Result]:
        return {}

    def step_of(self, question: Question) -> Step:
        """The step that asks it."""
        return next(one for one in self.prose.steps if one.question == question)

    def figures(self, result: Result, values: Values, hidden: frozenset[str]) -> list[Figure]:
        """The lab's charts without what is drawn in the roles still hidden."""
        return [covered_figure(one, hidden) for one in self.lab.figures(result, values)]

    def table(self, result: Result, values: Values, hidden: frozenset[str]) -> Table:
        """The lab's table without the numbers of the roles still hidden."""
        return covered_table(self.lab.table(result, values), hidden)

    def sketch(self, question: Question) -> Sketch:
        """What is drawn to answer it, on the lab's chart as the question finds it."""
        values = self.validate(self.step_of(question).lab)
        figures = self.figures(self.asked_about(question), values, frozenset(question.hides))
        return self.sketches[question.name].on(figures)

    def case(self, question: Question) -> Values:
        """The very case that it is about: what the lab is set to by the commit.

        Raises:
            InvalidParametersError: the answer is that this case is refused.
        """
        return self.validate({**self.step_of(question).lab, **question.reveal})

    def answer(self, question: Question) -> str:
        """The right answer to a question of its prose, at the settings of its own step."""
        return self.right(question, self.asked_about(question))

    def text(self, values: Values) -> dict[str, str]:
        """The values as text that validates back to them; for URLs."""
        return {p.name: p.format(values[p.name]) for p in self.lab.parameters}

    def spelled(self, texts: Mapping[str, str]) -> dict[str, str]:
        """The same settings, each as a drag writes it: a list has a blank after each comma.

        What cannot be read stays as it is, for its control to refuse.
        """
        found = dict(texts)
        for one in self.lab.parameters:
            with contextlib.suppress(ValueError, OverflowError):
                if one.name in found:
                    found[one.name] = one.format(one.parse(found[one.name]))
        return found

    @property
    def defaults(self) -> dict[str, str]:
        """The text of the default values."""
        return dict(self._defaults)

    @cached_property
    def _defaults(self) -> dict[str, str]:
        return self.text(self.validate({}))

    def changed(self, values: Values) -> dict[str, str]:
        """As ``text``, only what differs from the defaults."""
        return {n: text for n, text in self.text(values).items() if text != self._defaults[n]}


def _apart(one: float | str, other: float | str) -> float:
    """How far apart two facts are; a NaN is equal to a NaN, and text to the same text alone."""
    if one == other:
        return 0.0
    if isinstance(one, str) or isinstance(other, str):
        return math.inf
    if math.isnan(one) and math.isnan(other):
        return 0.0
    return math.inf if math.isnan(one - other) else abs(one - other)


@lru_cache(maxsize=64)
def _cut_open(program: Callable[..., Any], cuts: tuple[Cut, ...]) -> Callable[..., Any]:
    return cut(program, cuts)


def hidden_roles(lesson: Lesson, answered: Collection[str], step: int) -> frozenset[str]:
    """The roles still covered: those of the step's question, if it is open, and of those to come.

    What a question hides is covered on the steps before it, unless an answer has shown it already.

    Args:
        lesson: whose questions.
        answered: names of the questions the learner has committed to.
        step: where the learner is, 1 for the first.
    """
    steps = lesson.prose.steps
    here = steps[min(step, len(steps)) - 1]
    asked = {q.name: frozenset(q.hides) for q in lesson.prose.questions}
    shown = frozenset[str]().union(*(asked[name] for name in answered if name in asked))
    hidden = frozenset[str]()
    for to_come in steps[step - 1 :]:
        question = to_come.question
        if question is not None and question.name not in answered:
            hidden |= asked[question.name] - (frozenset() if to_come is here else shown)
    return hidden - here.uncovers


def step_controls(lesson: Lesson, step: Step) -> frozenset[str]:
    """The controls in reach of a step's stage: those it declares, or those that its text names."""
    if step.controls is not None:
        return frozenset(step.controls)
    text = f"{step.text} {step.turn.text if step.turn else ''}"
    named = {p.name for p in lesson.lab.parameters if f"**{p.label}**" in text}
    return frozenset(named | step.touch.keys() & {p.name for p in lesson.lab.parameters})


def without_hidden(lesson: Lesson, text: str, hidden: Collection[str]) -> str:
    """A step's text without what it says to do with a control that is not shown.

    Args:
        lesson: whose controls.
        text: Markdown; what is to be tried is a paragraph, and names controls by their labels.
        hidden: names of controls.
    """
    labels = [f"**{p.label}**" for p in lesson.lab.parameters if p.name in hidden]
    kept = (
        part
        for part in text.split("\n\n")
        if not part.startswith((TRY, TURN)) or not any(label in part for label in labels)
    )
    return "\n\n".join(kept)


def held_controls(lesson: Lesson, answered: Collection[str], step: int) -> frozenset[str]:
    """What stands still at this step: what its question holds, if that is not yet answered.

    Args:
        lesson, answered, step: as for ``hidden_roles``.
    """
    question = lesson.prose.steps[step - 1].question
    if question is None or question.name in answered:
        return frozenset()
    return frozenset(question.holds)
