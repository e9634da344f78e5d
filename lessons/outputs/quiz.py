"""A chapter's quiz: which gradient torch gives to a lesson's program, with numbers for each seed.

The trick is at work in every question: torch's gradient is not the true one. The true one is among
the wrong answers, and the recorded backward pass explains the right one.
"""

import ast
import inspect
import math
import random
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from lessons import tricks
from lessons.contract.lab import Start
from lessons.contract.lesson import Lesson
from lessons.contract.parameters import (
    Choice,
    Index,
    Integer,
    InvalidParametersError,
    Number,
    Numbers,
    Parameter,
    Values,
)
from lessons.contract.prose import Option
from lessons.contract.result import Array, Series
from lessons.outputs.brief import choices, specialised
from lessons.outputs.catalogue import chapters_by_slug, find
from lessons.recorder import Edge, Node, RecordError, Recording, Value, record
from lessons.recorder.derivatives import local_derivative
from lessons.recorder.picture.sentences import stale_sentence
from lessons.recorder.recording.plain_tensor import flat, place
from lessons.text import factor, number
from lessons.text.words import Texts

WORDS = Texts(__file__)

LENGTH = 5
"""Questions in a quiz."""
SEEDS = 10**6
"""Quizzes of one chapter."""
_LEAST, _MOST = 3, 4
"""Answers to choose from."""
_APART = 0.02
"""How far two answers are apart at least, as a share of the larger."""
_LONGEST, _LARGEST = 8, 1000
"""Sentences of an explanation, and the largest right answer: a learner computes by hand."""
_NONE = 1e-6
"""A gradient below it is 0 but for rounding."""
_SHOWN = 4
"""A list of so many numbers is written out."""
_TRIES = 400
_TRICK = re.compile(rf"\b({'|'.join(tricks.__all__)})\b|\.detach\(|\.data\b|\.item\(")
"""What edits a gradient, in the code of a program."""


@dataclass(frozen=True)
class Item:
    """One question.

    Args:
        lesson: whose program.
        settings: text by parameter, as an address has it.
        code: a whole program, up to the backward pass.
        question: which number to predict, Markdown.
        options: by their text, from the smallest to the largest; the reply names the belief.
        right: the text of the right one.
        why: the backward pass in sentences, Markdown.
    """

    lesson: Lesson
    settings: Mapping[str, str]
    code: str
    question: str
    options: Mapping[str, Option]
    right: str
    why: tuple[str, ...]


@lru_cache(maxsize=64)
def quiz(slug: str, seed: int) -> tuple[Item, ...]:
    """A chapter's questions for this seed, in turn from those of its lessons that can be asked.

    Raises:
        ValueError: no such questions could be drawn, which the tests would have seen.
    """
    draw = random.Random(f"{slug} {seed}")
    chapter = chapters_by_slug()[slug]
    lessons = [lesson for lesson in chapter.lessons if can_be_asked(lesson.slug)]
    draw.shuffle(lessons)
    items: list[Item] = []
    for index in range(LENGTH * _TRIES):
        item = _item(lessons[(len(items) + index // _TRIES) % len(lessons)], draw)
        if item and item.code not in [one.code for one in items]:
            items.append(item)
        if len(items) == LENGTH:
            return tuple(items)
    raise ValueError(f"{slug}: no {LENGTH} questions for the seed {seed}")


@lru_cache(maxsize=256)
def can_be_asked(slug: str) -> bool:
    """Whether a lesson's program can hold a trick, and one run of it gives its lab's gradients."""
    lesson = find(slug)
    if lesson.lab.training or not _TRICK.search(inspect.getsource(lesson.program)):
        return False
    return bool(_runs(lesson, lesson.validate({}), 0))


def _item(lesson: Lesson, draw: random.Random) -> Item | None:
    """A question with drawn settings; None where the trick does nothing or torch refuses."""
    settings = {p.name: _drawn(p, draw) for p in lesson.lab.parameters if _is_set(lesson, p)}
    output = draw.randrange(2)
    try:
        values = lesson.validate(settings)
        program = _program(lesson.slug, tuple(choices(lesson, values).items()))
        if not _TRICK.search(program[program.index("def ") :]):
            return None
        runs = _runs(lesson, values, output)
    except (InvalidParametersError, RecordError):
        return None
    if not runs:
        return None
    run = draw.choice(runs)
    none = [one for one in (run.asked.value, run.true) if abs(one) < _NONE]
    if any(none) or (none and len(run.start.index) > 1):  # rounded, or no factor to tell
        return None
    replies: dict[float, str] = {}
    for value, reply in run.candidates():
        if math.isfinite(value) and all(_differ(value, one) for one in replies):
            replies[value] = reply
        elif len(replies) < 2:  # no right one, or the trick does nothing
            return None
    why = run.told()
    if len(replies) < _LEAST or len(why) > _LONGEST or abs(run.asked.value) > _LARGEST:
        return None
    kept = {number(value, 4): replies[value] for value in sorted([*replies][:_MOST])}
    question = WORDS("asked", name=run.name)
    if len(run.start.index) > 1:
        question = WORDS("asked_with_true", name=run.name, true=number(run.true, 4))
    return Item(
        lesson,
        settings,
        f"{program}\n\n{_call(program, run.start, settings, output)}",
        question,
        {text: Option(text, text, reply) for text, reply in kept.items()},
        number(run.asked.value, 4),
        why,
    )


def _is_set(lesson: Lesson, parameter: Parameter) -> bool:
    """Whether a question draws it: it is an argument, or the arguments are made of it."""
    if parameter.name in inspect.signature(lesson.program).parameters:
        return True
    loose = parameter.advanced or isinstance(parameter, Index | Numbers)
    return not loose and not lesson.lab.drawn(lesson.validate({}))


def _runs(lesson: Lesson, values: Values, output: int) -> "list[_Run]":
    """One run, from one output where there are two, for each input whose gradient the lab has."""
    result = lesson.compute(lesson.lab.preview(values))
    if lesson.lab.start is None or "noise" in [one.name for one in result.series]:
        return []  # nothing is recorded, or the lab's gradients are means over draws
    start = lesson.lab.start(values)
    with record({**start.leaves, **start.besides}) as recording:
        end = start.call(lesson.program)
        if isinstance(end, tuple):
            end = (end[output] ** 2).sum() / 2
    recording.backward(end)
    found: list[_Gradient] = []
    for role in ("trick_gradient", "intended_gradient"):  # of two outputs one has the latter
        found = found or _gradients(recording, start.index, result[role])
    true, meant = result["true_gradient"].y, result["intended_gradient"].y
    return [
        _Run(recording, start, one, float(true[one.row]), float(meant[one.row])) for one in found
    ]


class _Gradient(NamedTuple):
    """The gradient of a leaf's shown component, and its place in the lab's series."""

    node: str
    value: float
    row: int


def _gradients(recording: Recording, index: tuple[int, ...], series: Series) -> list[_Gradient]:
    """The leaves whose gradients the lab shows: one of them, or all of them end to end."""
    leaves = [node for node in recording if node.leaf and node.kind == "input"]
    known = recording.gradients
    came = [(node, known[node.name]) for node in leaves if node.name in known]
    for group in [*([one] for one in came), came]:
        numbers: list[float] = []
        found: list[_Gradient] = []
        for node, value in group:
            if value is None:
                numbers += [0.0] * node.outputs[0].size
                continue
            at, shown = flat(place(index, value.shape), value.shape), value.component(index)
            found.append(_Gradient(node.name, shown, len(numbers) + at))
            numbers += value.numbers
        if found and _agree(numbers, series.y):
            return found
    return []


def _agree(some: Sequence[float], others: Array) -> bool:
    if len(some) != len(others):
        return False
    # Float32 rounds sums in its own order.
    least = 1e-7 * float(np.abs(others[np.isfinite(others)]).max(initial=0.0))
    return np.allclose(some, others, rtol=1e-5, atol=least, equal_nan=True)


def _differ(one: float, other: float) -> bool:
    return abs(one - other) > _APART * max(abs(one), abs(other))


@dataclass(frozen=True)
class _Run:
    """The recorded backward pass of a question, for one number of one leaf."""

    recording: Recording
    start: Start
    asked: _Gradient
    true: float
    meant: float

    @property
    def name(self) -> str:
        """The gradient as code."""
        shape = self.recording.nodes[self.asked.node].outputs[0].shape
        at = list(place(self.start.index, shape)) if math.prod(shape) > 1 else ""
        return f"{self.asked.node}.grad{at}"

    @cached_property
    def way(self) -> list[tuple[Node, list[Edge]]]:
        """The ops that lead to the leaf, last op first, each with its edges on the way there."""
        leading = {self.asked.node}
        for node in self.recording:
            if any(edge.producer.name in leading for edge in node.operands):
                leading.add(node.name)
        nodes = [self.recording.nodes[one] for one in self.recording.order if one in leading]
        return [(one, [e for e in one.operands if e.producer.name in leading]) for one in nodes]

    @property
    def stops(self) -> bool:
        """Whether stopped paths, and nothing else, make the difference to the true gradient."""
        kinds = {node.kind for node in self.recording} - {"input", "constant", "plain"}
        return kinds == {"stopped"} and not any(node.stale for node in self.recording)

    def candidates(self) -> Iterator[tuple[float, str]]:
        """The right answer, the true gradient, then what else one may take for the right one."""
        yield self.asked.value, WORDS("torch_gives")
        yield self.true, WORDS("is_true")
        yield self.meant, WORDS("is_meant")
        if self.stops:
            yield self.true - self.asked.value, WORDS("is_stopped")
        for node, edges in self.way:
            for edge in edges if node.kind != "plain" and node.outputs[0].size == 1 else ():
                if edge.gradient is not None:
                    sent = edge.gradient.component(self.start.index)
                    yield sent, WORDS("leaves", op=node.type)
        yield 0.0, WORDS("is_none")
        yield -self.asked.value, WORDS("wrong_sign")

    def told(self) -> tuple[str, ...]:
        """What each op on the way does to the gradient, where it changes it, and the end."""
        lines = dict.fromkeys(line for node, edges in self.way for line in self._lines(node, edges))
        arrived = self._arrived(self.recording.nodes[self.asked.node])
        value = number(self.asked.value, 4) if "[" in self.name else arrived
        end = {"name": self.name, "value": value, "true": number(self.true, 4)}
        if len(self.start.index) > 1:  # a sum over examples: what matters is the factor
            times = number(self.asked.value / self.true, 4)
            return (*lines, WORDS("so_times", times=times, **end))
        if self.stops:
            more = number(self.true - self.asked.value, 4)
            return (*lines, WORDS("so_stopped", more=more, **end))
        return (*lines, WORDS("so", **end))

    def _lines(self, node: Node, edges: list[Edge]) -> Iterator[str]:
        arrived = self._arrived(node)
        if "=" in arrived:
            yield WORDS("paths_meet", sum=arrived)
        came = arrived.rpartition("= ")[2]
        for edge, value in ((one, one.gradient) for one in edges if one.gradient is not None):
            local, sent = local_derivative(edge, self.start.index), self._text(value)
            alone = node.outputs[0].size == value.size == 1
            if node.kind != "plain" or (local is None and alone and sent != came):
                yield WORDS("through", op=node.type, came=came, sent=sent)
            elif alone and local not in (None, 1):
                by = factor(number(local or 0.0, 4))
                yield WORDS("through_times", op=node.type, came=came, local=by, sent=sent)
        for stale in node.stale:
            yield stale_sentence(node, stale, self.start.index)

    def _arrived(self, node: Node) -> str:
        """The gradient that came to an op or a leaf, as a sum where several paths meet."""
        paths = [one.gradient for one in self.recording.consumers(node) if one.gradient is not None]
        between = WORDS("and")
        total = f" {between} ".join(self._text(one) for one in node.upstream if one is not None)
        if len(paths) < 2 or len(node.outputs) > 1 or len(paths) > _SHOWN:
            return total
        return f"{' + '.join(factor(self._text(one)) for one in paths)} = {total}"

    def _text(self, value: Value) -> str:
        """One number, or all of a short list."""
        if 1 < value.size <= _SHOWN:
            return f"({', '.join(number(one, 4) for one in value.numbers)})"
        return number(value.component(self.start.index), 4)


@lru_cache(maxsize=256)
def _program(slug: str, choices: tuple[tuple[str, str], ...]) -> str:
    """The program without the branches that are not taken, after all that it reads."""
    whole = find(slug).program
    name, source = whole.__name__, inspect.getsource(sys.modules[whole.__module__])
    parameters = inspect.signature(whole).parameters.values()
    chosen = dict(choices) | {one.name: None for one in parameters if one.default is None}
    program = specialised(source, name, chosen)
    parts, imports = [program[program.index("def ") :]], {"import torch"}  # without decorators
    for one in reversed(ast.parse(source).body):
        nodes = [*ast.walk(ast.parse("\n".join(parts)))]
        names = {(type(node.ctx), node.id) for node in nodes if isinstance(node, ast.Name)}
        read = {word for _, word in names if (ast.Store, word) not in names}
        if isinstance(one, ast.Import | ast.ImportFrom):
            one.names = [alias for alias in one.names if (alias.asname or alias.name) in read]
            imports |= {ast.unparse(one)} if one.names else set()
        elif isinstance(one, ast.FunctionDef | ast.ClassDef) and one.name in read - {name}:
            parts.insert(0, specialised(source, one.name, chosen))
        elif isinstance(one, ast.AnnAssign) and one.value and ast.unparse(one.target) in read:
            made = f"{ast.unparse(one.target)} = {ast.unparse(one.value)}"
            parts.insert(0, made.replace("'", '"'))
    return "\n\n".join(["\n".join(sorted(imports, reverse=True)), *parts])


def _call(program: str, start: Start, settings: Mapping[str, str], output: int) -> str:
    """The lines that make the inputs, run the program and start the backward pass."""
    functions = [one for one in ast.parse(program).body if isinstance(one, ast.FunctionDef)]
    lines, given = [], []
    for name in (one.arg for one in functions[-1].args.args):
        if (leaf := start.leaves.get(name)) is not None:
            numbers = leaf.detach().double().round(decimals=6).tolist()
            grad = ", requires_grad=True" * leaf.requires_grad
            lines.append(f"{name} = torch.tensor({numbers}{grad})")
            given.append(name)
        elif callable(value := start.settings[name]):  # a formula
            formula = re.sub(r"\b([a-z]+)\(", r"torch.\1(", settings[name])
            given.append(f"{name}=lambda x: {formula}")
        else:
            given.append(f'{name}="{value}"' if isinstance(value, str) else f"{name}={value:g}")
    call = f"{functions[-1].name}({', '.join(given)})"
    if "return by_value, by_norm" in program:
        call = f"({call}[{output}] ** 2).sum() / 2"
    return "\n".join([*lines, f"loss = {call}", "loss.backward()"])


def _drawn(parameter: Parameter, draw: random.Random) -> str:
    """A setting for a question: a number that is easy to compute with, never 0."""
    match parameter:
        case Choice(options=options):
            return draw.choice(options)[0]
        case Integer(low=low, high=high):
            return str(draw.randint(max(low, 1), min(high, low + 3)))
        case Number(slider=(low, high)):
            return _multiple(0.5 if high - low > 2 else 0.1, low, high, draw)
        case Numbers(default=""):
            return _multiple(0.2, 0.2, 2.2, draw)
        case Numbers(default=default):
            among = parameter.parse(default) or (0.0,)
            # No half, no whole number if possible: a program that rounds or sorts has no tie then.
            return _multiple(0.2, min(among), max(among), draw, whole=False)
    return parameter.default


def _multiple(step: float, low: float, high: float, draw: random.Random, whole: bool = True) -> str:
    """A multiple of the step between these, but not 0.

    Without ``whole``, it is a whole number only if there is nothing else.
    """
    among = [k for k in range(math.ceil(low / step), math.floor(high / step) + 1) if k]
    if not whole:
        among = [k for k in among if k % round(1 / step)] or among
    return f"{draw.choice(among) * step:.4g}"
