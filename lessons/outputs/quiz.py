"""A chapter's quiz: its lessons' questions and tasks, most at other settings, edges to cut, and
charts to find a program's gradient in."""

import math
import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from urllib.parse import parse_qsl

from lessons.bench.comparison import compare
from lessons.bench.setting import SIDES, Setting, read_setting
from lessons.contract.lesson import Lesson
from lessons.contract.parameters import Number
from lessons.contract.result import Result
from lessons.gradient_tricks.recorder.recording.plain_tensor import short
from lessons.gradient_tricks.text.words import Texts
from lessons.outputs.address import spelled, step_controls
from lessons.outputs.catalogue import chapters_by_slug
from lessons.outputs.computed import computed, leaf_gradients
from lessons.playground.document.as_text import to_text
from lessons.playground.running.outcome import run
from lessons.prose.steps import TRY, Option, Question, Step, fill

WORDS = Texts(__file__)

LENGTH = 5
"""Items in a quiz."""
SEEDS = 10**6
"""Seeds that a quiz's address can name: 0 to SEEDS − 1, each another quiz of the chapter."""
GAVE_UP, DONE = "gave_up", "done"
"""The keys of a task's answers."""
_LEAST_CHANGE = 0.05
"""A gradient to reach differs from the present one by more than this share of it."""
_PLACES = 0.25, 0.75
"""Where a slider leads to a gradient, as shares of its length."""


@dataclass(frozen=True)
class _Item:
    """What a question and a task share.

    Args:
        lesson, number: the lesson, and at which of its steps, counted from 1.
        settings: what the lab is set to first, as an address has it.
    """

    lesson: Lesson
    number: int
    settings: Mapping[str, str]

    @property
    def step(self) -> Step:
        return self.lesson.prose.steps[self.number - 1]


@dataclass(frozen=True)
class Prediction(_Item):
    """The question of a step.

    Args:
        keys: its answers in the order of their tiles.
    """

    keys: tuple[str, ...]

    @property
    def question(self) -> Question:
        question = self.step.question
        assert question is not None  # the lesson's text can't be read otherwise
        return question

    @property
    def text(self) -> str:
        """The step's text, without what it lets one try first."""
        parts = self.step.text.split("\n\n")
        return "\n\n".join(part for part in parts if not part.startswith(TRY))

    @cached_property
    def result(self) -> Result:
        """What the lab computes at these settings."""
        return self.lesson.compute(self.lesson.validate(self.settings))

    @property
    def right(self) -> str:
        """The key of the right answer."""
        return self.lesson.right(self.question, self.result)

    @property
    def options(self) -> dict[str, Option]:
        """The answers by key, with their numbers."""
        filled = self.question.filled(self.result.facts)
        return {key: filled[key] for key in self.keys}


@dataclass(frozen=True)
class Task(_Item):
    """Something to set or to cut, until a goal is reached.

    Args:
        text: what to do, as Markdown.
        goal: in facts, as ``lessons.prose.goal`` reads it.
        solved: what reaches it, over the settings.
        reason: why it does.
        hidden: the controls that could reach it in another way than the text asks for.
    """

    text: str
    goal: str
    solved: Mapping[str, str]
    reason: str
    hidden: tuple[str, ...] = ()
    keys = GAVE_UP, DONE
    right = DONE


@dataclass(frozen=True)
class Match(_Item):
    """A program, and two charts of which one is its gradient: A's or B's, on the bench.

    Args:
        settings: the bench's.
        code: the program.
        right: whose chart it is.
        reason: how A and B differ.
    """

    code: str
    right: str
    reason: str
    keys = SIDES


Item = Prediction | Task | Match
Make = Callable[[Lesson, int, random.Random], Item]


@lru_cache(maxsize=64)
def quiz(slug: str, seed: int) -> tuple[Item, ...]:
    """Draw a chapter's items for this seed, in the order of its lessons.

    No step comes twice, and a lesson comes again only if no other lesson offers an item of the kind
    that is drawn. Where a chapter has too few of a kind, the quiz has more of the others.
    """
    draw = random.Random(f"{slug} {seed}")
    lessons = chapters_by_slug()[slug].lessons
    left = [(place, *one) for place, lesson in enumerate(lessons) for one in offered(lesson)]
    draw.shuffle(left)
    items: dict[tuple[int, int], Item] = {}
    kinds = Counter(one[:2] for one in left)  # how many kinds each step offers
    times = Counter[int]()  # how often each lesson was drawn
    # A chapter may have a single cut, in a step that offers a move, too.
    for kind in ("cut", "move", "match", "question", "question"):
        of_kind = [one for one in left if one[2] == kind] or left
        place, number, _, make = min(of_kind, key=lambda one: (times[one[0]], kinds[one[:2]]))
        items[place, number] = make(lessons[place], number, draw)
        times[place] += 1
        left = [one for one in left if one[:2] != (place, number)]
    return tuple(items[key] for key in sorted(items))


@lru_cache(maxsize=256)
def offered(lesson: Lesson) -> list[tuple[int, str, Make]]:
    """List what a quiz can take of a lesson: the number of a step, the kind, what makes the item.

    A task of the lesson that is solved by a cut is of the kind ``cut``, too.
    """
    found: list[tuple[int, str, Make]] = []
    trains = lesson.lab.training is not None  # its lab doesn't show a goal at once
    for number, step in enumerate(lesson.prose.steps, start=1):
        if step.quiz:
            found.append((number, "question", prediction))
        if step.stage == "graph" and not trains and gradients_by_slider(lesson, number):
            found.append((number, "move", drag))
        elif step.turn and step.stage and not trains:
            found.append((number, "cut" if "cuts" in step.turn.solved else "move", move))
        if step.stage == "graph" and not trains and gradients_to_reach(lesson, number):
            found.append((number, "cut", cut))
    if on_bench(lesson):
        found.append((1, "match", match))
    return found


def prediction(lesson: Lesson, number: int, draw: random.Random) -> Prediction:
    """Draw the settings of a step's question and the order of its answers."""
    step = lesson.prose.steps[number - 1]
    settings = _settings(lesson, step, draw.choice(step.quiz))
    keys = [option.key for option in step.question.options] if step.question else []
    return Prediction(lesson, number, settings, tuple(draw.sample(keys, len(keys))))


def move(lesson: Lesson, number: int, draw: random.Random) -> Task:
    """Draw the settings of a step's task: those of its question in a quiz, if it has any."""
    step = lesson.prose.steps[number - 1]
    assert step.turn is not None
    settings = _settings(lesson, step, draw.choice(step.quiz or ({},)))
    text = fill(step.turn.text, computed(lesson, lesson.validate(settings)).result.facts)
    settings |= {**(step.question.reveal if step.question else {}), "cuts": step.cuts or ""}
    goal, reason = str(step.turn.goal), lesson.prose.front["remember"]
    return Task(lesson, number, settings, text, goal, step.turn.solved, reason)


def cut(lesson: Lesson, number: int, draw: random.Random) -> Task:
    """Draw a gradient that a cut leaves of the one in a step's graph."""
    settings = _settings(lesson, lesson.prose.steps[number - 1], {})
    leaf, edge, before, after = draw.choice(gradients_to_reach(lesson, number))
    told = {"leaf": leaf, "before": short(before), "after": short(after)}
    text, reason = WORDS("cut_task", **told), WORDS("cut_reason", **told)
    goal, solved = f"{leaf}_grad = {after}", {"cuts": edge}
    return Task(lesson, number, settings, text, goal, solved, reason, _others(lesson, solved))


def drag(lesson: Lesson, number: int, draw: random.Random) -> Task:
    """Draw a gradient that a slider next to a step's graph leads to."""
    settings = _settings(lesson, lesson.prose.steps[number - 1], {})
    leaf, slider, value, before, after = draw.choice(gradients_by_slider(lesson, number))
    told = {"leaf": leaf, "before": short(before), "after": short(after)}
    text, reason = WORDS("drag_task", label=slider.label, **told), lesson.prose.front["remember"]
    goal, solved = f"{leaf}_grad = {after}", {slider.name: value}
    return Task(lesson, number, settings, text, goal, solved, reason, _others(lesson, solved))


def _others(lesson: Lesson, solved: Mapping[str, str]) -> tuple[str, ...]:
    """Return the controls that a task isn't solved by."""
    return tuple(one.name for one in lesson.lab.parameters if one.name not in solved)


@lru_cache(maxsize=256)
def gradients_by_slider(lesson: Lesson, number: int) -> list[tuple[str, Number, str, float, float]]:
    """List gradients that a slider next to a step's graph leads to.

    Each has the input, the slider and its value there, the gradient before and after.
    """
    step, start = lesson.prose.steps[number - 1], lesson.lab.start
    if start is None:
        return []

    def gradients(texts: Mapping[str, str]) -> dict[str, float]:
        _, values, errors = lesson.settings({**step.lab, **texts}, {})
        return {} if errors else leaf_gradients(lesson.record(values), start(values).index)

    whole = gradients({})
    near = step_controls(lesson, step)
    sliders = [one for one in lesson.lab.parameters if one.name in near]
    found = []
    for slider in (one for one in sliders if isinstance(one, Number)):
        low, high = slider.slider
        for share in _PLACES:
            value = slider.format(slider.step * round((low + share * (high - low)) / slider.step))
            moved = gradients({slider.name: value})
            found += [
                (leaf, slider, value, before, moved[leaf])
                for leaf, before in whole.items()
                if _is_another(before, moved.get(leaf))
            ]
    return found


def _is_another(before: float, after: float | None) -> bool:
    """Whether a gradient is a number other than 0 that one can tell from the one before."""
    if not after or not math.isfinite(after):
        return False
    return not math.isclose(before, after, rel_tol=_LEAST_CHANGE, abs_tol=_LEAST_CHANGE)


def match(lesson: Lesson, number: int, draw: random.Random) -> Match:
    """Draw one of the two programs of a lesson's case on the bench."""
    setting = on_bench(lesson)
    assert setting is not None
    right = draw.choice(SIDES)
    code = to_text(setting.document(setting.variants[SIDES.index(right)]))
    reason = " ".join(said for _, said in compare(setting).sentence)
    return Match(lesson, number, setting.form, code, right, reason)


def on_bench(lesson: Lesson) -> Setting | None:
    """Return the lesson's case on the bench, if it has one whose two gradients differ."""
    if "bench" not in lesson.prose.front:
        return None
    setting = read_setting(dict(parse_qsl(lesson.prose.front["bench"])))
    runs = (run(setting.document(one), curves=False) for one in setting.variants)
    a, b = (one.gradients["trick_gradient"][one.over] for one in runs)
    return None if a is not None and b is not None and a.equal(b) else setting


@lru_cache(maxsize=256)
def gradients_to_reach(lesson: Lesson, number: int) -> list[tuple[str, str, float, float]]:
    """List gradients that a cut leaves in a step's graph: input, edge, gradient before and after.

    Only an edge that shares its producer's gradient with others leaves a part of a gradient.
    """
    values, start = lesson.validate(lesson.prose.steps[number - 1].lab), lesson.lab.start
    recording = lesson.record(values)
    if start is None or recording is None:
        return []
    index = start(values).index
    whole, found = leaf_gradients(recording, index), []
    for node in recording:
        edges = [edge for edge in recording.consumers(node) if edge.gradient is not None]
        for edge in edges if len(edges) > 1 else ():
            cuts = [(edge.consumer.name, edge.operand)] if edge.cuttable else []
            left = leaf_gradients(lesson.record(values, cuts), index)
            found += [
                (leaf, edge.name, before, left[leaf])
                for leaf, before in whole.items()
                if _is_another(before, left.get(leaf))
            ]
    return found


def _settings(lesson: Lesson, step: Step, others: Mapping[str, str]) -> dict[str, str]:
    """Return a step's settings with others over them."""
    return spelled(lesson, {**lesson.defaults, **step.lab, **others})
