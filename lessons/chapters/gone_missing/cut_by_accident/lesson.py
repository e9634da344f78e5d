"""One loss, spelled in five ways: four of them leave the graph."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

import numpy as np
import torch

from lessons.contract.figure import Table
from lessons.contract.lab import Lab, Start
from lessons.contract.lesson import Lesson
from lessons.contract.result import Note, Result
from lessons.contract.settings import choice, numbers, slider
from lessons.contract.words import Words
from lessons.gradient_tricks.recorder import named
from lessons.kit.components import component_table
from lessons.kit.experiment import Experiment, Program, Roles, components, run_of
from lessons.kit.inputs import ComputedIn, array

WORDS = Words(__file__)


class Settings(ComputedIn):
    w = numbers("1, 0.5", most=8)
    spelling = choice("whole", "tensor", "item", "numpy", "detach")
    silence = choice("no", "yes")
    penalty = choice("no", "yes")
    x = slider(2, -3, 3, 0.1, accepts=(-3, 3))
    target = slider(3, -5, 5, 0.1, accepts=(-1000, 1000))


def cut_by_accident(
    w: torch.Tensor, x: float, target: float, spelling: str, silence: str, penalty: str
) -> torch.Tensor:
    loss = ((w * x - target) ** 2).sum()
    if spelling == "tensor":
        loss = torch.tensor(loss)
    elif spelling == "item":
        loss = torch.tensor(loss.item(), dtype=w.dtype)
    elif spelling == "numpy":
        loss = torch.from_numpy(loss.detach().cpu().numpy())
    elif spelling == "detach":
        loss = loss.detach()
    if silence == "yes":
        loss.requires_grad_()
    if penalty == "yes":
        loss = loss + 0.5 * (w**2).sum()
    return loss


def a_product() -> Mapping[str, float]:
    """The gradient of a loss times another loss's ``.item()``, and what each answer expects."""
    w = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    first, second = w**2, 3 * w
    ((gradient,), (plain,)) = (
        torch.autograd.grad(loss, w, retain_graph=True)
        for loss in (first * second.item(), first * second)
    )
    return {
        "product_at": w.item(),
        "product_came": float(gradient),
        "product_one": 2 * w.item() * second.item(),
        "product_both": float(plain),
        "product_other": 3.0 * first.item(),
    }


STEPS = 30
"""Steps of a training run."""
RATE = 0.02
"""Its learning rate: up to |x| = 3 no step is too long."""


def as_it_should_be(
    w: torch.Tensor, x: float, target: float, penalty: str, **_: object
) -> torch.Tensor:
    """The same forward pass with no copy in it."""
    loss = ((w * x - target) ** 2).sum()
    return loss + 0.5 * (w**2).sum() if penalty == "yes" else loss


def by_formula(w: torch.Tensor, x: float, target: float, penalty: str, **_: str) -> torch.Tensor:
    """The gradient of the loss with no copy in it."""
    slope = 2 * x * (w * x - target)
    return slope + w if penalty == "yes" else slope


def run(settings: Settings) -> Start:
    """The loss in the spelling chosen; the graph shows ops that lead nowhere, too."""
    start = replace(_run(settings), show_unused_ops=True)
    # A tensor made from a plain number comes from no op: it is a leaf, and needs a label.
    alone = settings.spelling in ("item", "numpy") and settings.penalty == "no"
    return replace(start, finish=partial(named, label="loss")) if alone else start


_run = run_of("w", arguments=("x", "target", "spelling", "silence", "penalty"))

EXPERIMENT = Experiment(run, plain=as_it_should_be, intended=by_formula)


def by_role(program: Program, start: Start) -> Roles:
    """The experiment's roles, with NaN for the gradient if torch refuses ``backward()``."""
    roles = EXPERIMENT.by_role(program, start)
    if start.call(program).requires_grad:
        return roles
    return {**roles, "trick_gradient": torch.full_like(roles["true_gradient"], math.nan)}


def backward(
    program: Program, w: torch.Tensor, arguments: Mapping[str, object]
) -> tuple[str, torch.Tensor | None]:
    """Call backward() on the loss: torch's message if it refuses, and the weights' ``.grad``."""
    w = w.detach().requires_grad_()
    try:
        program(w, **arguments).backward()
    except RuntimeError as error:
        return str(error), None
    return "", w.grad


def refused_flag() -> str:
    """Torch's message for ``loss.requires_grad = True`` on a loss with a history: one sentence."""
    loss = torch.ones(1, requires_grad=True).sum()
    try:
        loss.requires_grad = True
    except RuntimeError as error:
        return str(error).partition(". ")[0].removesuffix(".")
    return ""


def train(program: Program, w: torch.Tensor, arguments: Mapping[str, object]) -> torch.Tensor:
    """Some steps of plain gradient descent, the loss before each, shape [STEPS].

    A weight whose ``.grad`` is None stays as it is, as with any optimizer of torch. Where torch
    refuses backward(), no step is taken.
    """
    w = w.detach().clone().requires_grad_()
    losses = []
    for _ in range(STEPS):
        loss = program(w, **arguments)
        losses.append(loss.detach())
        if loss.requires_grad:
            w.grad = None
            loss.backward()
            if w.grad is not None:
                w.detach().add_(w.grad, alpha=-RATE)  # as torch.optim.SGD does, which takes longer
    return torch.stack(losses)


LABELS = {"true_gradient": WORDS("should_be"), "trick_gradient": WORDS("arrives")}
"""The two gradients of the table: of the loss with no copy in it, and of the spelling chosen."""


def compute(program: Program, settings: Settings) -> Result:
    """The loss, its gradient by role, and some steps of training with either gradient."""
    start = EXPERIMENT.run(settings)
    w, arguments = start.leaves["w"].detach(), start.arguments
    tensors = by_role(program, start)
    roles = {role: array(y) for role, y in tensors.items()}
    runs = {"true_gradient": as_it_should_be, "trick_gradient": program}
    losses = {role: array(train(one, w, arguments)) for role, one in runs.items()}
    said, arrived = backward(program, w, arguments)
    known = [y for role, y in roles.items() if not (said and role == "trick_gradient")]
    return Result(
        series=components(tensors),
        facts={
            "w_first": settings.w[0],
            "loss": float(roles["forward"][0]),
            "true_first": float(roles["true_gradient"][0]),
            "trick_first": float(roles["trick_gradient"][0]),
            "arrives": int(arrived is not None),
            "steps": STEPS,
            "true_end": float(losses["true_gradient"][-1]),
            "trick_end": float(losses["trick_gradient"][-1]),
        },
        more_facts=[lambda: _about_the_copy(program, start)],
        notes=tuple(_notes(said, [*known, *losses.values()], settings)),
        work=WORDS.counted("weights", len(w)),
    )


def table(result: Result, settings: Settings) -> Table:
    """One row a weight; “none” in the place of a number where ``.grad`` is None."""
    made = component_table(result, LABELS, _names(result), WORDS("table"))
    if result.facts["arrives"]:
        return made
    return replace(made, rows=tuple((*row[:-1], WORDS("none")) for row in made.rows))


def _about_the_copy(program: Program, start: Start) -> dict[str, float | int | str]:
    """Torch's message for this loss, and the first weight's gradient with a second term.

    Each is of the program as it is set, but for what the name says.
    """
    bare = start.with_(silence="no", penalty="no")
    w, first = start.leaves["w"], float(start.leaves["w"][0].detach())
    x, target = (start.arguments[name] for name in ("x", "target"))
    lost = 2 * x * (first * x - target)
    with_penalty = by_role(program, start.with_(silence="no", penalty="yes"))["trick_gradient"]
    return {
        "says": backward(program, w, bare.arguments)[0] or WORDS("says_nothing"),
        "flag_says": refused_flag(),
        "with_penalty": float(with_penalty[0]),
        "penalty_part": first,
        "lost_part": lost,
        "sum_of_both": lost + first,
    }


def _notes(said: str, shown: list[np.ndarray], settings: Settings) -> Iterator[Note]:
    # Always one line, so that what is below it doesn't move.
    yield Note("warning", f"RuntimeError: {said}") if said else Note("info", WORDS("runs"))
    if not all(np.isfinite(one).all() for one in shown):
        yield Note("warning", WORDS("too_large", dtype=settings.dtype))


def _refused(settings: Settings) -> dict[str, str]:
    if settings.spelling == "numpy" and settings.dtype == "bfloat16":
        return {"dtype": WORDS("no_bfloat16")}
    return {}


def _names(result: Result) -> list[str]:
    subscripts = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
    return [
        f"w{place + 1}".translate(subscripts) for place in range(len(result["true_gradient"].x))
    ]


LESSON = Lesson(
    program=cut_by_accident,
    lab=Lab(WORDS, Settings, compute, table, check=_refused, start=run),
    highlight="loss.requires_grad_()",
    facts=(a_product,),
)
