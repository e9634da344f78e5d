"""What a lab is: what can be set, what it computes, and how that is shown."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from lessons.contract.figure import Figure, Table
from lessons.contract.parameters import Parameter, Values
from lessons.contract.result import Result
from lessons.contract.training import Training

Progress = Callable[[float], None]
"""Called with the share done, 0 to 1, now and then; may raise to stop the computation."""


def _itself(result: Any) -> Any:
    return result


@dataclass(frozen=True)
class Start:
    """One run of the program, as its graph is recorded: ``finish(call(program))``.

    Args:
        leaves: the tensors it starts from, by argument; those that require a gradient get one.
        settings: its other arguments.
        index: the component whose numbers the drawing shows, as in
            ``lessons.tracer.picture.drawing``.
        finish: makes one tensor of what the program returns; the backward pass starts there, with
            an upstream gradient of ones.
        besides: the tensors that the program reads though they are none of its arguments, weights
            say, by the name each gets in the graph; the edges to them cannot be cut.
    """

    leaves: Mapping[str, torch.Tensor]
    settings: Mapping[str, Any] = field(default_factory=dict)
    index: tuple[int, ...] = ()
    finish: Callable[[Any], torch.Tensor] = _itself
    besides: Mapping[str, torch.Tensor] = field(default_factory=dict)

    def call(self, program: Callable[..., Any]) -> Any:
        """What the program returns; of a module's class the settings make one, for the leaves."""
        if isinstance(program, type):
            return program(**self.settings)(**self.leaves)
        return program(**self.leaves, **self.settings)


@dataclass(frozen=True, kw_only=True)
class Lab:
    """What can be set and seen; several lessons may share one.

    Args:
        parameters: what the learner can set.
        compute: a pure function of values and a progress callback.
        figures, table: from a result and the roles still hidden.
        check: refusals that need several values at once, by parameter name.
        preview: cheaper values, for while the learner drags.
        start: the run whose graph is drawn, at the learner's inputs; None where there is no graph
            to see.
        training: what is trained before the learner's eyes, if anything is; ``compute`` is then
            what is there before the first step.
        script: the last lines of an exported file: plain Python that prints the series of these
            values as one JSON object; it may name the program and the lab's own functions.
        preview_note: what is said of cheaper values above the charts; nothing where it is plain to
            see.
    """

    parameters: tuple[Parameter, ...]
    compute: Callable[[Callable[..., Any], Values, Progress], Result]
    figures: Callable[[Result, Values, frozenset[str]], list[Figure]]
    table: Callable[[Result, Values, frozenset[str]], Table]
    script: Callable[[str, Values], str]
    check: Callable[[Values], Mapping[str, str]] = lambda values: {}
    preview: Callable[[Values], Values] = lambda values: values
    start: Callable[[Values], Start] | None = None
    training: Training | None = None
    preview_note: str = "While you drag, fewer draws; all of them when you let go."
