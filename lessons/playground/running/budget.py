"""What a run takes and may take, in time and memory: all of this arithmetic stands here.

The run at the learner's points is small by the limits alone: ``MAX_OPS`` results of
``MAX_ELEMENTS`` numbers, forward with tricks and without, come to some 30 MB. Every op of it is
counted as it runs. From the count follows, before any curve is begun, how many points and draws the
curves have and how many of those are run at a time.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from lessons.playground.language.expressions import Node, called, op_types
from lessons.playground.language.limits import (
    CURVE_POINTS,
    LEAST_POINTS,
    MAX_DRAWN,
    MAX_DRAWS,
    MAX_ELEMENTS,
    MAX_OPS,
    MAX_SWEEP_BYTES,
    MAX_SWEEP_ELEMENTS,
    MAX_SWEEP_WORK,
    SECONDS,
)
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.running.words import WORDS

HELD_NUMBERS = 2
"""Numbers held for each number of a result: the result, and what autograd keeps for its way back or
sends on it. Measured: 1.4 for a product, 1.5 for softmax and for a power, 0.8 for where."""

BACKWARD = 3
"""A forward and a backward pass together, in forward passes."""

COST = {"pow": 10, "softmax": 10, "log_softmax": 10, "maximum": 6, "minimum": 6, "sin": 6, "cos": 6,
        "softplus": 6, "where": 4, "div": 4, "tanh": 4, "clamp": 3, "exp": 3, "log": 3,
        "sigmoid": 3, "logsumexp": 10, "topk": 60, "onehot_argmax": 10,
        "onehot_sample": 10}  # fmt: skip
"""An op's time for each number, in times of a product. Other ops count as one product."""

OPERAND_SIZED = {"logsumexp", "topk", "select"}
"""Ops that take the time of their operand's size, however few numbers they return."""

EACH = 20_000
"""What an op takes for being run at all, however little it computes, in numbers of a product: some
45 microseconds."""

PRODUCT_SECONDS, OP_SECONDS, DRAWN_OP_SECONDS = 2.5e-9, 3e-4, 1.5e-3
"""Seconds for a number of a product in the curves; for an op at the learner's own points; and for
an op in the drawing of the graph, its layout and its text together."""


@dataclass
class Spent:
    """The work of a program's ops in one run.

    Args:
        numbers: in all results together.
        work: the same, slow ops counted as many times as they are slow.
        ops: how many ran.
    """

    numbers: int = 0
    work: int = 0
    ops: int = 0


class Budget:
    """The time a run may take, read between ops; and the count of what it has spent.

    The time is of computing, in the thread that makes it: waiting for others does not count.
    """

    def __init__(self) -> None:
        self._end = time.thread_time() + SECONDS
        self._spent = Spent()

    def check(self, line: int = 0, column: int = 0) -> None:
        """Raise `PlaygroundError` when the time is over."""
        if time.thread_time() > self._end:
            raise PlaygroundError(WORDS("took_long", seconds=SECONDS), line, column)

    def count(self, node: Node, operands: Sequence[Any], result: Any) -> None:
        """Take note of an op that ran."""
        results = result if isinstance(result, tuple) else (result,)
        numbers = sum(tensor.numel() for tensor in results if isinstance(tensor, torch.Tensor))
        types = op_types(node) or (called(node),)
        if OPERAND_SIZED.intersection(types):
            numbers = max(numbers, operands[0].numel())
        work = numbers * sum(COST.get(op, 1) for op in types)
        if "matmul" in types:
            # Each number is a sum over the operands' common size; four of its terms go in the time
            # that one number of a product takes.
            work += numbers * operands[0].shape[-1] // 4
        self._spent.numbers += numbers * len(types)
        self._spent.work += work
        self._spent.ops += 1

    def spent(self) -> Spent:
        """Return the work since the last call."""
        spent, self._spent = self._spent, Spent()
        return spent


@dataclass(frozen=True)
class Plan:
    """How the curves are run.

    Args:
        points: of each curve.
        draws: of the noise at each point.
        at_once: runs of the program in one batch.
    """

    points: int
    draws: int
    at_once: int = field(compare=False)


def plan(
    largest: int,
    inputs: int,
    passes: tuple[Spent, Spent, Spent],
    roles: int,
    drawn: bool,
    size: int = 8,
) -> Plan:
    """How many points, draws and runs at a time the curves have room for.

    Args:
        largest: how many numbers the largest tensor of one run holds.
        inputs: how many its inputs hold.
        passes: what came of one run forward, with tricks and without, and of the rules backward.
        roles: how many gradients are taken of the pass without tricks.
        drawn: whether any input is.
        size: bytes of a number.

    Raises:
        PlaygroundError: not even ``LEAST_POINTS`` points have room.
    """
    tricky, plain, rules = passes
    numbers = max(tricky.numbers, plain.numbers) + rules.numbers
    each = (numbers * HELD_NUMBERS + inputs) * size
    at_once = max(1, MAX_SWEEP_BYTES // each)

    def all_passes(once: int, with_tricks: int, of_rules: int) -> int:
        return (with_tricks + once * roles) * BACKWARD + of_rules

    work = all_passes(plain.work, tricky.work, rules.work)
    work += EACH * all_passes(plain.ops, tricky.ops, rules.ops) // at_once
    runs = MAX_SWEEP_WORK // max(work, 1)
    draws = max(1, MAX_SWEEP_ELEMENTS // (CURVE_POINTS * max(largest, 1))) if drawn else 1
    draws = max(1, min(MAX_DRAWS, draws, runs // CURVE_POINTS))
    # An odd number, as CURVE_POINTS is: 0 is one of the points where it is the middle.
    points = min(CURVE_POINTS, (runs // draws - 1) // 2 * 2 + 1)
    if points < LEAST_POINTS:
        most = MAX_SWEEP_WORK // LEAST_POINTS
        raise PlaygroundError(WORDS("much_work", work=_millions(work), most=_millions(most)))
    return Plan(points, draws, at_once)


def seconds_of(program: str, sizes: Sequence[int], drawn: bool) -> float:
    """About how long a program takes to compute, by its text alone.

    Args:
        sizes: how many numbers each of its inputs holds.
        drawn: whether any input is.
    """
    ops = _ops(program)
    signs = {"pow": "**", "div": "/"}
    times = ops + sum(slow * program.count(signs.get(op, op)) for op, slow in COST.items())
    times += 16 * (program.count("@") + program.count("matmul"))
    # A list next to a column makes a matrix of the two.
    numbers = math.prod(sorted(sizes)[-2:]) * (4 if "[" in program or "@" in program else 1)
    numbers = min(numbers, MAX_ELEMENTS)
    runs = CURVE_POINTS * (MAX_DRAWS if drawn else 1)
    passes = 3 * BACKWARD
    at_once = max(1, MAX_SWEEP_BYTES // max(1, 16 * ops * numbers))
    work = passes * (times * numbers + EACH * ops / min(runs, at_once)) * runs
    return PRODUCT_SECONDS * min(work, MAX_SWEEP_WORK) + OP_SECONDS * min(ops, MAX_OPS)


def drawing_seconds(program: str) -> float:
    """Estimate how long the graph of a program takes to draw, by its text alone."""
    return DRAWN_OP_SECONDS * min(_ops(program), MAX_DRAWN)


def _ops(program: str) -> int:
    return sum(program.count(sign) for sign in "+-*/@<>(")


def _millions(count: int) -> str:
    return f"{math.ceil(count / 1e5) / 10:,g}"
