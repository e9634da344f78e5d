"""The graph of a document's run: recorded, and named as the program names things."""

from collections.abc import Iterable

import numpy as np
import torch

from lessons.gradient_tricks.recorder import Recording, record
from lessons.playground.document.check import Checked
from lessons.playground.running.budget import Budget
from lessons.playground.running.execute import Live, forward, leaves, playground_errors


def recorded(
    checked: Checked, cuts: Iterable[tuple[str, int]] = (), *, backward: bool = True
) -> Recording:
    """One run at the learner's points with the document's own draw, forward and backward.

    Args:
        backward: False leaves the backward pass out.
        cuts: edges (op, operand as the recording counts) where the gradient stops.

    Raises:
        PlaygroundError: it does not run.
    """
    given = leaves(checked)
    with playground_errors():
        with record(given, cuts=cuts) as recording:
            made = forward(checked, given, False, Budget())
            _name(recording, made)
        if backward:
            recording.backward(made.output)
    return recording


def _name(recording: Recording, made: Live) -> None:
    """Call each op's node by the name that the program gives its result, and by no other.

    Within the recording's block, so that a list that no op reads gets a node too.
    """
    for node in recording:
        node.variable = None
    for name, value in made.values.items():
        if isinstance(value, torch.Tensor):
            node, _ = recording.node_of(value)
            # The first name stays: `b = a` makes no new op.
            if node.kind != "input" and node.variable is None:
                node.variable = name


def place(checked: Checked) -> tuple[int, ...]:
    """The component that the plot moves, as an index into the plotted input."""
    shape = checked.inputs[checked.over.name].shape
    return tuple(int(i) for i in np.unravel_index(checked.document.entry - 1, shape))
