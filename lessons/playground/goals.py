"""Goals for programs of one's own: what value, what gradient. Whatever gives both has reached it.

A goal is looked at by computing: the learner's program runs, forward and backward, at inputs that
are not those on the screen, and its numbers are held against what the goal asks.
"""

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

import torch

from lessons.playground.document.check import Checked, draws
from lessons.playground.language.expressions import row_of, surrogates
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.running.budget import Budget
from lessons.playground.running.execute import gradients, live
from lessons.text.words import Texts

WORDS = Texts(__file__)

_PLACES = (-2.7, -1.6, -1.2, -0.8, -0.3, -0.15, 0.0, 0.15, 0.3, 0.8, 1.2, 1.7, 2.6)
"""Inputs that goals are looked at: on both sides of 0, of ±0.5 and of ±1, and 0 itself."""
_LARGEST = 64
"""Entries of x: a larger input is not looked at."""


@dataclass(frozen=True)
class Trial:
    """A program at other inputs, run after run: flat, float64, a gradient that is not there is 0.

    Args:
        over: the input that is called x in the goals.
        drawn: the inputs that are noise.
        inputs, by: each input, and the gradient by it.
        value: the output.
        tricks, rules: whether the program has tricks, and whether it has rules.
    """

    over: str
    drawn: frozenset[str]
    inputs: Mapping[str, torch.Tensor]
    by: Mapping[str, torch.Tensor]
    value: torch.Tensor
    tricks: bool
    rules: bool

    @property
    def x(self) -> torch.Tensor:
        return self.inputs[self.over]

    def other(self, drawn: bool) -> str:
        """The one other input that is drawn, or given; empty where there is none, or several."""
        found = [n for n in self.inputs if n != self.over and (n in self.drawn) == drawn]
        return found[0] if len(found) == 1 else ""

    def times(self, name: str) -> torch.Tensor:
        """That input; NaN, which nothing equals, where there is none or it is of another size."""
        found = self.inputs.get(name)
        if found is None or found.shape != self.x.shape:
            return torch.full_like(self.x, math.nan)
        return found


@dataclass(frozen=True)
class Goal:
    """What a program should come to.

    Args:
        name: what the browser remembers; never changed.
        text: one sentence.
        value, gradient: what they are, of x.
        also: what else has to hold.
        moved: the other given inputs are moved as well.
    """

    name: str
    text: str
    value: Callable[[Trial], torch.Tensor]
    gradient: Callable[[Trial], torch.Tensor]
    also: Callable[[Trial], bool] = lambda trial: True
    moved: bool = False

    def met(self, trial: Trial) -> tuple[bool, bool]:
        """Whether the value is right, and whether the gradient is (and what else has to hold)."""
        right = _same(trial.value, self.value(trial))
        return right, _same(trial.by[trial.over], self.gradient(trial)) and self.also(trial)


def _same(found: torch.Tensor, wanted: torch.Tensor) -> bool:
    # A program may compute in bfloat16, and a trick such as x + stop(f - x) rounds.
    alike = found.shape == wanted.shape
    return alike and bool(torch.allclose(found, wanted.to(found), rtol=1e-2, atol=1e-3))


def _root(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x == 0, 0.0, x.sign() / (2 * x.abs().sqrt()).clamp(min=1e-9))


GOALS = (
    Goal("stop", WORDS("stop"), lambda t: t.x**2, lambda t: 0 * t.x),
    Goal("half", WORDS("half"), lambda t: t.x**2, lambda t: t.x),
    Goal("flip", WORDS("flip"), lambda t: t.x, lambda t: -torch.ones_like(t.x)),
    Goal("ghost", WORDS("ghost"), lambda t: 0 * t.x, lambda t: 2 * t.x),
    Goal("round", WORDS("round"), lambda t: t.x.round(), lambda t: torch.ones_like(t.x)),
    Goal("tanh", WORDS("tanh"), lambda t: t.x.sign(), lambda t: 1 - t.x.tanh() ** 2),
    Goal("window", WORDS("window"), lambda t: t.x.sign(), lambda t: (t.x.abs() <= 1).to(t.x)),
    Goal("clip", WORDS("clip"), lambda t: t.x**2, lambda t: (2 * t.x).clamp(-1, 1)),
    Goal("table", WORDS("table"), lambda t: t.x**2, lambda t: -2 * t.x,
         lambda t: t.rules and not t.tricks),
    Goal("noise", WORDS("noise"), lambda t: t.x * t.times(t.other(drawn=True)),
         lambda t: torch.ones_like(t.x)),
    Goal("partner", WORDS("partner"), lambda t: t.x * t.times(t.other(drawn=False)),
         lambda t: t.times(t.other(drawn=False)), lambda t: not t.by[t.other(drawn=False)].any(),
         moved=True),
    Goal("root", WORDS("root"), lambda t: t.x.abs().sqrt(), lambda t: _root(t.x)),
)  # fmt: skip
"""In order: the easiest first."""


def looked_at(checked: Checked) -> dict[str, tuple[bool, bool]]:
    """Of each goal, by name: whether the value is right, and whether the gradient is.

    A program that cannot run at other inputs, or gives something of another shape, meets none.
    """
    trials: dict[bool, Trial | None] = {False: None, True: None}
    inputs = checked.document.inputs
    moves = any(one.noise is None and one.name != checked.over.name for one in inputs)
    for moved in trials:
        with suppress(PlaygroundError):
            # Drawn noise is the same again.
            trials[moved] = trials[False] if moved and not moves else _trial(checked, moved)
    tried = ((goal, trials[goal.moved]) for goal in GOALS)
    return {goal.name: goal.met(trial) if trial else (False, False) for goal, trial in tried}


def _trial(checked: Checked, moved: bool) -> Trial | None:
    """The program at ``_PLACES``; None where its value has not the shape of x.

    Args:
        moved: the other given inputs are moved as well.
    """
    over, shape = checked.over.name, checked.inputs[checked.over.name].shape
    size = shape.numel()
    if size > _LARGEST:
        return None
    budget = Budget()
    noise = {i.name: draws(checked.document, i) for i in checked.document.inputs if i.noise}
    inputs: dict[str, list[torch.Tensor]] = {name: [] for name in checked.inputs}
    by: dict[str, list[torch.Tensor]] = {name: [] for name in checked.inputs}
    values = []
    for start in range(0, len(_PLACES), size):
        places = [_PLACES[(start + place) % len(_PLACES)] for place in range(size)]
        given = {over: torch.tensor(places, dtype=torch.float64).reshape(shape)}
        for name, value in checked.inputs.items():
            if name in noise:
                given[name] = next(noise[name])
            elif moved and name != over:
                given[name] = value + 0.7 + start
        made = live(checked, given, budget=budget)
        if made.output.shape != shape:
            return None
        values.append(_wide(made.output, size))
        found = gradients(made.output, list(made.inputs.values()))
        for (name, value), one in zip(made.inputs.items(), found, strict=True):
            inputs[name].append(_wide(value, size))
            by[name].append(_wide(torch.zeros_like(value) if one is None else one, size))
    rows = ((node, row_of(node)) for node in checked.program.nodes)
    tricks = any(surrogates(node) or (row and row.trick) for node, row in rows)
    return Trial(
        over,
        frozenset(noise),
        {name: torch.cat(parts) for name, parts in inputs.items()},
        {name: torch.cat(parts) for name, parts in by.items()},
        torch.cat(values),
        tricks,
        bool(checked.rows),
    )


def _wide(value: torch.Tensor, size: int) -> torch.Tensor:
    """Flat, in float64: one number for each entry of x."""
    flat = value.detach().to(torch.float64).flatten()
    return flat.expand(size) if flat.numel() == 1 else flat
