"""Runs a document: values, gradients by role, curves, notes. Pure: the same text, the same numbers.

The roles are those of ``lessons.contract.roles``. The trick gradient is what autograd gives for
the program as it stands, overrides included; the true gradient is the derivative of the same
forward expression, every trick taken out and the noise frozen; the intended gradient is the true
one of a name the learner chose. All are gradients of the sum of the output's entries.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import torch

from lessons.contract.result import Array, Result, Series
from lessons.playground.document.check import Checked, check
from lessons.playground.document.contents import Document
from lessons.playground.running.budget import Budget, Plan, plan
from lessons.playground.running.execute import gradients, has_gradient, live
from lessons.playground.running.run_notes import notes
from lessons.playground.running.sweep import sweep
from lessons.playground.running.words import WORDS

_PLAIN = "true_gradient", "intended_gradient"
"""The roles of the curves without tricks."""

Name = TypeVar("Name")
Gradient = torch.Tensor | None
"""float64; None where no gradient reaches the input at all."""


@dataclass(frozen=True)
class Outcome(Result):
    """Everything the playground shows for one document; a ``Result`` with more to it.

    Args:
        series: over the plotted input's own entries, by role: the forward value where it has the
            same shape, and the gradients.
        curves: over the plotted range, with a band over draws where there is noise.
        values: every input and every name of the program: tensors (float64), floats for numbers.
        output: the name that was differentiated.
        over: the input that was plotted over.
        gradients: role → input → gradient.
        overridden: op type → how many ops had a rule bound.
        sent: name → autograd's gradient, for every name in the graph, if asked for.
        draws: by role, value and gradients at the plotted entry in each draw, if asked for.
        room: the plan of the curves, if there are any.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    output: str = ""
    over: str = ""
    gradients: Mapping[str, Mapping[str, Gradient]] = field(default_factory=dict)
    overridden: Mapping[str, int] = field(default_factory=dict)
    sent: Mapping[str, Gradient] = field(default_factory=dict)
    draws: Mapping[str, Array] = field(default_factory=dict)
    room: Plan | None = None


def run(document: Document, curves: bool = True) -> Outcome:
    """Check a document and compute all of it.

    Args:
        curves: False leaves the curves out, for while the learner types.

    Raises:
        PlaygroundError: whatever is wrong, for people, with line and column.
    """
    return run_checked(check(document), curves)


def run_checked(
    checked: Checked,
    curves: bool = True,
    like: Outcome | None = None,
    full: bool = False,
    most: Plan | None = None,
) -> Outcome:
    """As ``run``, for a document that has been checked.

    Args:
        like: the outcome of a program that is the same without its tricks: its gradients and
            curves without tricks are reused, and its notes about them are not repeated.
        most: the most points and draws that the curves have.
        full: True adds ``sent``, and ``draws``, which takes ``MAX_DRAWS`` more runs.
    """
    budget, document = Budget(), checked.document
    tricky = live(checked, budget=budget)
    with_tricks = budget.spent()
    passes = {"trick_gradient": (tricky, tricky.output)}
    if like is None:
        plain = live(checked, plain=True, budget=budget)
        passes["true_gradient"] = plain, plain.output
        if document.intended:
            passes["intended_gradient"] = plain, plain.values[document.intended]
    without = budget.spent() if like is None else with_tricks
    found: dict[str, Mapping[str, Gradient]] = {}
    sent: dict[str, Gradient] = {}
    for role, (made, output) in passes.items():
        budget.check()
        asked = dict(made.inputs)
        with_names = full and made is tricky
        if with_names:
            asked |= {name: value for name, value in made.values.items() if has_gradient(value)}
        got = by_name(asked, gradients(output, [*asked.values()], keep=True))
        if with_names:
            sent = got
        found[role] = {name: got[name] for name in made.inputs}
    if like is not None:
        found |= {role: one for role, one in like.gradients.items() if role in _PLAIN}
    rules = budget.spent()
    values = {**checked.inputs, **{n: _plain(v) for n, v in tricky.values.items()}}
    room = None
    if curves:
        given = [value.numel() for value in checked.inputs.values()]
        room = plan(
            largest=max([step.result.numel() for step in tricky.steps] + given),
            inputs=sum(given),
            passes=(with_tricks, without, rules),
            roles=len(found) - 1,
            drawn=any(i.noise and i.name in checked.program.reads for i in document.inputs),
            size=checked.dtype.itemsize,
        )
        if most:
            points, draws = min(room.points, most.points), min(room.draws, most.draws)
            room = replace(room, points=points, draws=draws)
    alike = like and room and like.room == room
    plain_curves = [one for one in like.curves if one.role in _PLAIN] if like and alike else ()
    drawn: dict[str, Array] | None = {} if full else None
    return Outcome(
        series=_series(checked, values[checked.output], found),
        curves=sweep(checked, room, budget, plain_curves, drawn) if room else (),
        notes=tuple(notes(checked, passes, values, found, room)),
        work=WORDS("draws", n=room.draws) if room and room.draws > 1 else "",
        values=values,
        output=checked.output,
        over=checked.over.name,
        gradients=found,
        overridden=dict(+Counter(tricky.ran)),
        sent=sent,
        draws=drawn or {},
        room=room,
        device=str(checked.device),
    )


def by_name(names: Iterable[Name], found: Iterable[Gradient]) -> dict[Name, Gradient]:
    """Gradients by name, as float64 on the CPU."""
    return {
        name: None if one is None else one.detach().to("cpu", torch.float64)
        for name, one in zip(names, found, strict=True)
    }


def _plain(value: Any) -> Any:
    """A name's value, cut from its graph; a comparison's yes and no as 1 and 0."""
    return value.detach().to("cpu", torch.float64) if isinstance(value, torch.Tensor) else value


def _series(
    checked: Checked, output: torch.Tensor, found: Mapping[str, Mapping[str, Gradient]]
) -> tuple[Series, ...]:
    x = checked.inputs[checked.over.name]
    places: Array = x.flatten().numpy()
    series = []
    if output.shape == x.shape or output.numel() == 1:
        # One number, of whatever shape, is drawn at each entry of x.
        whole = output.reshape(()).expand(x.shape) if output.numel() == 1 else output
        y: Array = whole.flatten().numpy()
        series.append(Series("forward", "forward", places, y))
    for role, by_input in found.items():
        gradient = by_input[checked.over.name]
        y = (torch.zeros_like(x) if gradient is None else gradient).flatten().numpy()
        series.append(Series(role, role, places, y))
    return tuple(series)
