"""A key that names no op, in TensorFlow 1 and here."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Literal, NamedTuple

import torch

from lessons.contract.lab import Start
from lessons.contract.lesson import Lesson
from lessons.contract.parameters import Text, Values
from lessons.contract.result import Note, Result
from lessons.contract.words import Words
from lessons.kit.curve_lab import Curve, Run, curve_lab
from lessons.kit.experiment import Program
from lessons.tricks import TrickError, gradient_override_map
from lessons.tricks.entry import unmatched
from lessons.tricks.lookup import resolve

WORDS = Words(__file__)


def silent_key(x: torch.Tensor, key: str) -> torch.Tensor:
    def straight(op: object, upstream: torch.Tensor) -> torch.Tensor:
        return upstream

    with gradient_override_map({key: straight} if key else {}):
        return torch.sign(torch.sin(x))


IN_TENSORFLOW = ("Sin", "Sign")
"""The types of the two ops in a TensorFlow graph: a key binds where it is one of these exactly."""


class Outcome(NamedTuple):
    """The engine's answer to a key, and its words. It is silent if the key overrides an op."""

    answer: Literal["silence", "warning", "error"]
    words: str = ""


def outcome(key: str) -> Outcome:
    """Run the lesson's two ops under this key and keep the engine's answer."""
    with gradient_override_map({}) as report:
        torch.sign(torch.sin(torch.ones(1)))
    if not key:
        return Outcome("warning", WORDS("empty_map"))
    try:
        types = resolve(key)
    except TrickError as error:
        return Outcome("error", str(error))
    if not set(types) & set(report.ran):
        return Outcome("warning", unmatched(key, types, report.ran))
    return Outcome("silence")


def bound(values: Values) -> Values:
    """The values with a key that binds an op, or none: where TensorFlow goes on in silence."""
    return {**values, "key": values["key"] if outcome(values["key"]).answer == "silence" else ""}


@cache
def unknown_gradient() -> str:
    """The engine's error for a gradient name that is not registered."""
    try:
        with gradient_override_map({"Sign": "Straigt"}):
            pass
    except TrickError as error:
        return str(error)
    return ""


def beliefs(run: Run, settings: Values) -> dict[str, float | str]:
    """The gradient under some keys, here and in TensorFlow, and what is said of them."""

    def tensorflow(key: str) -> float:
        return run(key=key if key in IN_TENSORFLOW else "")["trick_gradient"]

    return {
        "right_key": run(key="Sign")["trick_gradient"],
        "lower_here": run(key="sign")["trick_gradient"],
        "lower_there": tensorflow("sign"),
        "through": run(key="")["intended_gradient"],
        "plain": run(key="")["true_gradient"] + 0.0,  # no minus sign before a zero
        "misspelt": outcome("Sing").words,
        "wrong_case": outcome("Matmul").words,
        "absent": outcome("MatMul").words,
        "absent_answer": outcome("MatMul").answer,
        "unknown_gradient": unknown_gradient(),
        **frozen(),
    }


@cache
def frozen() -> dict[str, float | str]:
    """Run the text's loop, which compares names of parameters with a misspelt one."""
    x = torch.tensor([[3.0]])
    model = torch.nn.utils.skip_init(torch.nn.Linear, 1, 1)
    for name, parameter in model.named_parameters():
        if name == "weights":
            parameter.requires_grad_(False)
    model(x).sum().backward()
    came = "frozen" if model.weight.grad is None else "usual"
    names = ", ".join(name for name, _ in model.named_parameters())
    return {"frozen_x": x.item(), "frozen_names": names, "frozen_came": came}


def op_type(text: str) -> None:
    """Refuse what no op type could look like; whether it is one, the engine says."""
    if not re.fullmatch(r"[\w.:/ -]*", text, re.ASCII):
        raise ValueError(WORDS("not_a_type"))


CURVE = Curve(
    parameters=(Text("key", "Sign", longest=40, read=op_type),),
    plain=lambda x, **_: torch.sign(torch.sin(x)),
    # The sign passes on what arrives, and the sine has its own gradient.
    intended=lambda x, **_: torch.cos(x),
    words=WORDS,
    x="-2, 1, 2.5",
    point=2,
    facts=beliefs,
)

LAB = curve_lab(CURVE)


def compute(program: Program, values: Values) -> Result:
    """The curve under the key that binds, with what is said of the learner's key."""
    result = LAB.compute(program, bound(values))
    facts = {**result.facts, "key": values["key"]}
    return replace(result, facts=facts, notes=(*result.notes, *_notes(values["key"])))


def start(values: Values) -> Start:
    """The run whose graph is drawn: under the key that binds, or under an empty map."""
    return CURVE.experiment.run(bound(values))


def _notes(key: str) -> Iterator[Note]:
    here, there = outcome(key), key in IN_TENSORFLOW
    if here.answer == "error":
        yield Note("warning", WORDS("error", says=here.words))
    elif not key:
        yield Note("info", here.words)
    elif here.answer == "warning":
        yield Note("warning", WORDS("warning", says=here.words))
    elif not there:
        yield Note("info", WORDS("works"))
    if key and not there:
        yield Note("warning", WORDS("ignored"))


LESSON = Lesson(
    program=silent_key,
    lab=replace(LAB, compute=compute, start=start),
    predictions={
        "absent": lambda result: str(result.facts["absent_answer"]),
        "transfer": lambda result: str(result.facts["frozen_came"]),
    },
    highlight="with gradient_override_map({key: straight} if key else {}):",
)
