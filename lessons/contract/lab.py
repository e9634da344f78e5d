"""What a lab is: what can be set, what it computes, and how that is shown.

A lab of a lesson's own (``lessons/chapters/clipping/value_or_norm`` has one to copy) owes:

- a Result with the series forward, trick_gradient, true_gradient and intended_gradient, all over
  the learner's inputs, and a note where a number is not finite (``kit/nan_notes.py``);
- traces in the colours of the roles that they tell of, or with these roles as ``hides``
  (``chart_pieces.covered_with``), and a role for each such column of the table: ``covering.py``
  takes away what a question still hides. Until then a chart's title is its ``subject``;
- an ``alt`` with numbers;
- titles that are right at every setting: one sentence with facts, or with ends or lengths of what
  is drawn, as in ``kit/titles.py``; tests/lessons/test_titles.py finds each number in the result;
- no word that a learner reads: all of them stand in en.md (``contract/words.py``);
- facts that tell of a role under its name, as ``trick_gradient_length``, or under words that
  ``TELLS`` of that test lists: it changes those to see that no title gives them away;
- facts that need further runs of the program, such as what a wrong answer expects, in
  ``more_facts``: they are computed only where a text quotes one;
- a run of the lesson's program whose graph should stay below a dozen ops; a leaf of one shape meets
  operands of the same shape, since a step shows one component of each;
- the same numbers for the same values: what is drawn comes from ``kit/noise.py`` and a seed.

``kit/experiment.py`` runs the program, gives its gradient in each role, and makes a lab of that: an
author adds only what is the lesson's own. ``kit/inputs.py`` has device and number format as
settings, ``kit/components.py`` a chart and a table of a few components, ``kit/chart_pieces.py``
lines, bands and axes in the roles' colours.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Generic, TypeVar

import torch

from lessons.contract.figure import Figure, Table
from lessons.contract.parameters import Index, Parameter
from lessons.contract.result import Result
from lessons.contract.settings import Settings
from lessons.contract.training import Training
from lessons.contract.words import Words
from lessons.gradient_tricks.recorder.recording.plain_tensor import Entry

S = TypeVar("S", bound=Settings)


@dataclass(frozen=True)
class Start:
    """One run of the program, as its graph is recorded: ``finish(call(program))``.

    Args:
        leaves: the tensors it starts from, by argument; those that require a gradient get one.
        arguments: its other arguments.
        index: the component whose numbers the drawing shows, as in the recorder's
            ``picture.graph_drawing``; in a tensor with one row for each entry of the leaves, that
            entry's row.
        finish: makes one tensor of what the program returns; the backward pass starts there, with
            an upstream gradient of ones.
        extra_leaves: tensors that the program reads but doesn't take as arguments, such as
            weights, by their names in the graph; edges to them cannot be cut.
        show_unused_ops: whether to draw ops, too, that don't lead to the end: what was computed
            and then copied out of the graph.
    """

    leaves: Mapping[str, torch.Tensor]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    index: tuple[int, ...] = ()
    finish: Callable[[Any], torch.Tensor] = lambda returned: returned
    extra_leaves: Mapping[str, torch.Tensor] = field(default_factory=dict)
    show_unused_ops: bool = False

    def __post_init__(self) -> None:
        lengths = {len(leaf) for leaf in self.leaves.values() if leaf.ndim == 1}
        if len(self.index) == len(lengths) == 1:  # one axis, and all lists are equally long
            object.__setattr__(self, "index", Entry(self.index, of=lengths.pop()))

    def with_(self, **others: Any) -> "Start":
        """A copy of the run with the leaves and arguments of these names replaced.

        A new leaf gets a gradient if the one that it replaces does.
        """
        leaves, arguments = dict(self.leaves), dict(self.arguments)
        for name, value in others.items():
            if name in leaves:
                leaves[name] = value.detach().requires_grad_(leaves[name].requires_grad)
            else:
                arguments[name] = value
        return replace(self, leaves=leaves, arguments=arguments)

    def call(self, program: Callable[..., Any]) -> Any:
        """Run the program; construct a module class with the arguments, call it with the leaves."""
        if isinstance(program, type):
            return program(**self.arguments)(**self.leaves)
        return program(**self.leaves, **self.arguments)


@dataclass(frozen=True)
class Lab(Generic[S]):
    """What can be set and seen; several lessons may share one.

    Args:
        words: what its settings, charts and table are called.
        settings: the class of what the learner can set.
        compute: a pure function of the lesson's program and of the settings.
        table: from a result.
        charts: each from a result, in this order.
        check: validate settings against each other; messages by setting.
        preview: cheaper settings, for while the learner drags; a training reads none of those that
            change.
        seconds: about how long computing takes, by arithmetic; most labs take about 20 ms.
        start: the run whose graph is drawn, at the learner's inputs; None where there is no graph
            to see.
        training: what the learner watches being trained, if anything. ``compute`` gives the rest of
            the picture before it starts; facts of the untrained networks are added to its facts.
        sampled_values: numbers that the settings stand for, such as noise, by their names in
            in_torch.py.
        direct_labels: whether each line has its own name in the charts, so that they need no key.

    Attributes:
        parameters: the settings' controls, labels and helps as the words have them.
    """

    words: Words
    settings: type[S]
    compute: Callable[[Callable[..., Any], S], Result]
    table: Callable[[Result, S], Table]
    charts: Sequence[Callable[[Result, S], Figure]] = ()
    _: KW_ONLY
    check: Callable[[S], Mapping[str, str]] = lambda settings: {}
    preview: Callable[[S], S] = lambda settings: settings
    seconds: Callable[[S], float] = lambda settings: 0.02
    start: Callable[[S], Start] | None = None
    training: Training[S] | None = None
    sampled_values: Callable[[S], Mapping[str, Any]] = lambda settings: {}
    direct_labels: bool = False
    parameters: tuple[Parameter, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", self.words.labelled(self.settings.parameters))

    def figures(self, result: Result, settings: S) -> list[Figure]:
        """Draw the charts."""
        return [chart(result, settings) for chart in self.charts]

    def at_point(self, settings: S, result: Result) -> dict[str, float | int | str]:
        """The settings as facts; for a list, its number and each series' at the chosen point."""
        facts = {n: one for n, one in settings.items() if isinstance(one, (float, int, str))}
        for point in (one for one in self.parameters if isinstance(one, Index)):
            numbers = settings[point.of]
            place = min(settings[point.name], len(numbers)) - 1
            facts[point.of] = numbers[place]
            facts |= {s.name: float(s.y[place]) for s in result.series if len(s.y) == len(numbers)}
        return facts

    @property
    def trained_with(self) -> list[str]:
        """Names of the parameters that the training reads, and ``cuts`` if it does; else []."""
        if self.training is None:
            return []
        names = [one.name for one in self.parameters if one.in_run != "looks"]
        return [*names, *["cuts"] * self.training.cuts]
