"""Runs both variants: their values, the gradient along each edge, and what the noise reaches."""

import ast
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch

from lessons.bench.function import NOISE, after_trick
from lessons.bench.setting import Setting
from lessons.bench.tricks import Clipping, Variant
from lessons.bench.words import WORDS, label
from lessons.contract.result import Series
from lessons.gradient_tricks.recorder import Recording
from lessons.gradient_tricks.recorder.recording.plain_tensor import place as at
from lessons.kit.titles import brief
from lessons.playground.document.check import Checked, check
from lessons.playground.document.contents import Document
from lessons.playground.language.expressions import Program, children
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.running.execute import gradients, has_gradient, run_forward
from lessons.playground.running.outcome import Gradient, Outcome, run_checked
from lessons.playground.running.recorded import place, recorded

Sentence = list[tuple[str, str]]
"""Pairs of a role, or nothing, and the words in its colour."""
_ROUNDING = 1e-9
_DRAW, _PROGRAM = 2, 8
"""Roundings by which one program's draws may differ, and two programs of the same function. In
bfloat16 eight are 6 %, which is as much as a narrow range of noise."""


@dataclass(frozen=True)
class Side:
    """One variant that ran.

    Args:
        variant, checked, outcome: the function with the trick, its program, its run.
        edges: the gradients along the edges of the function, in the order of the operands, by the
            first names of the two lines; None if there is none.
    """

    variant: Variant
    checked: Checked
    outcome: Outcome
    edges: Mapping[tuple[str, str], list[float | None]]

    @property
    def document(self) -> Document:
        return self.checked.document

    def series(self, role: str) -> Series | None:
        """The numbers of a role at each number of the input, if there are any."""
        return next((one for one in self.outcome.series if one.role == role), None)

    def at_point(self, role: str) -> float:
        """A number at the learner's point; a value of another shape is summed, as in its chart."""
        found = self.series(role)
        if found is None:
            return float(self.outcome.values[self.outcome.output].sum())
        return float(found.y[min(self.document.entry, len(found.y)) - 1])

    @property
    def gradient(self) -> float | None:
        """Autograd's gradient at the point; None where none reaches the input."""
        if self.outcome.gradients["trick_gradient"][self.outcome.over] is None:
            return None
        return self.at_point("trick_gradient")

    def rounding(self, steps: int) -> float:
        """The relative size of a difference that rounding in so many steps may make."""
        return max(_ROUNDING, steps * torch.finfo(self.checked.dtype).eps)

    def spread(self, role: str) -> float:
        """The range of the numbers over the draws at the point: 0 if they differ by rounding alone,
        ∞ if some of them aren't finite."""
        numbers = self.outcome.draws[role]
        if not np.isfinite(numbers).all():
            return 0.0 if len({str(one) for one in numbers.tolist()}) == 1 else math.inf
        spread = float(numbers.max() - numbers.min())
        return spread if spread > self.rounding(_DRAW) * float(np.abs(numbers).max()) else 0.0


@dataclass(frozen=True)
class Comparison:
    """A and B, and the run of the function without any trick, which gives the graph."""

    setting: Setting
    a: Side
    b: Side
    plain: Recording

    @cached_property
    def sentence(self) -> Sentence:
        """Say from the numbers whether A and B have the same value and gradient at the point."""
        said: Sentence = []
        rounding = self.a.rounding(_PROGRAM)
        a, b = _in_words(self.a.at_point("forward"), self.b.at_point("forward"), rounding)
        value = WORDS("same_value", value=a) if a == b else WORDS("different_value", a=a, b=b)
        said.append(("forward", value))
        a, b = _in_words(self.a.gradient, self.b.gradient, rounding)
        if a == b:
            said.append(("trick_gradient", WORDS("same_gradient", gradient=a)))
        else:
            said.append(("trick_gradient", WORDS("different_gradient", a=a, b=b)))
        if NOISE in self.setting.function.noisy and self.setting.values["noise"] != "off":
            sides = self.a, self.b
            whose = _whose(*(side.spread("trick_gradient") > 0 for side in sides))
            if whose == "none" and all(side.variant.function.stops_noise for side in sides):
                whose = "stopped"
            said.append(("", label(f"noise_reaches_{whose}")))
        return [*said, *self._bound()]

    def _bound(self) -> Sentence:
        """Say the norm of the gradient that is clipped, and whose limit changes it."""
        over, sent = self.a.outcome.over, [side.outcome.sent for side in (self.a, self.b)]
        clipped = [(one.get(after_trick(over)), one[over]) for one in sent]
        norm = next((float(one.norm()) for one, _ in clipped if one is not None), math.nan)
        if not isinstance(self.setting.trick, Clipping) or not math.isfinite(norm):
            return []
        binds = (
            before is not None and after is not None and not torch.equal(before, after)
            for before, after in clipped
        )
        return [("", label(f"binds_{_whose(*binds)}", norm=brief(norm)))]


def _whose(a: bool, b: bool) -> str:
    """Name the variants for which something holds."""
    return ("both" if b else "a") if a else ("b" if b else "none")


def compare(setting: Setting) -> Comparison:
    """Run both variants.

    Raises:
        PlaygroundError: one of them does not run; its subject is "a" or "b".
    """
    plain = check(setting.document())
    a = _run(setting, "a", setting.variants[0], plain)
    b = _run(setting, "b", setting.variants[1], plain, like=a.outcome, most=a.outcome.room)
    if a.outcome.room != b.outcome.room:
        a = _run(setting, "a", setting.variants[0], plain, most=b.outcome.room)
    return Comparison(setting, a, b, recorded(plain, backward=False))


def _run(setting: Setting, name: str, variant: Variant, plain: Checked, **more: Any) -> Side:
    try:
        checked = check(setting.document(variant))
        outcome = run_checked(checked, full=True, **more)
        return Side(variant, checked, outcome, _along_edges(checked, outcome, plain.program))
    except PlaygroundError as error:
        raise error.within(error.part, name) from None


def _along_edges(
    checked: Checked, outcome: Outcome, plain: Program
) -> Mapping[tuple[str, str], list[float | None]]:
    """The gradients along the edges of the function, as ``Side`` has them.

    If one operand alone reads a name, this is the name's whole gradient, whichever way the trick
    sends it. Else another run tells the operands' parts; a trick at the input acts on their sum. A
    line that the trick has replaced has other operands: their sum comes along the first edge.
    """
    index, lines = place(checked), plain.assignments
    producers = {name: line.names[0] for line in lines for name in line.names}
    reads = {
        line.names[0]: [one for one in line.nodes if isinstance(one, ast.Name)] for line in lines
    }
    operands = {line.names[0]: children(line.value) for line in lines}  # no comparison's
    times = Counter(one.id for line in reads for one in reads[line] if one in operands[line])
    parts = _parts(checked) if any(count > 1 for count in times.values()) else {}
    found: dict[tuple[str, str], list[float | None]] = {}
    for line, names in reads.items():
        for number, one in enumerate(names):
            if one not in operands[line]:
                continue
            gradient = outcome.sent.get(one.id)
            if times[one.id] > 1 and len(parts[line]) == len(names):
                gradient = parts[line][number][1]
            elif times[one.id] > 1:
                same = [part for name, part in parts[line] if name == one.id and part is not None]
                is_first = one.id not in [other.id for other in names[:number]]
                gradient = torch.stack(same).sum(0) if same and is_first else None
            sent = None if gradient is None else float(gradient[at(index, gradient.shape)])
            found.setdefault((producers.get(one.id, one.id), line), []).append(sent)
    return found


def _parts(checked: Checked) -> Mapping[str, Sequence[tuple[str, Gradient]]]:
    """For each line, the names that it reads, each with the gradient through this line."""
    made = run_forward(checked, apart=True)
    views = [view for reads in made.reads.values() for _, view in reads if has_gradient(view)]
    sent = dict(zip(map(id, views), gradients(made.output, views), strict=True))
    return {
        line: [(name, sent.get(id(view))) for name, view in reads]
        for line, reads in made.reads.items()
    }


def _in_words(one: float | None, other: float | None, rounding: float) -> tuple[str, str]:
    """Write two numbers; the texts are equal exactly if the numbers differ by rounding alone.

    A difference that the charts' titles show is never rounding.
    """
    if one is None or other is None:
        a, b = (WORDS("none") if each is None else brief(each) for each in (one, other))
        return a, b
    alike = math.isclose(one, other, rel_tol=rounding) and brief(one) == brief(other)
    if alike or (math.isnan(one) and math.isnan(other)):
        return brief(one), brief(one)
    digits = next((n for n in (3, 6, 9) if brief(one, digits=n) != brief(other, digits=n)), 12)
    return brief(one, digits=digits), brief(other, digits=digits)
