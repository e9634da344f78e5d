"""A map finds ops by their type; an op's name plays no part."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import torch

from lessons.contract.figure import Table
from lessons.contract.lesson import Lesson
from lessons.contract.parameters import Choice, Text, Values
from lessons.contract.result import Result
from lessons.contract.words import Words
from lessons.kit.curve_lab import Curve, Run, curve_lab
from lessons.kit.experiment import Program
from lessons.kit.gradients import gradient
from lessons.recorder import named, record
from lessons.tricks import TrickError, gradient_override_map, identity, op_types
from lessons.tricks.lookup import resolve
from lessons.tricks.rule import Op

WORDS = Words(__file__)

_NAME = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*", re.ASCII)


def type_not_name(x: torch.Tensor, key: str, name: str, place: str) -> torch.Tensor:
    def half(op: Op, upstream: torch.Tensor) -> torch.Tensor:
        return upstream * 0.5

    with gradient_override_map({key: half}, warn=False):
        y = torch.square(named(torch.mul(x, 6), name))
        if place == "inside":
            y = identity(y)
    return identity(y) if place == "outside" else y


def a_type(text: str) -> None:
    """Refuse what names no op type, in the engine's words."""
    try:
        resolve(text)
    except TrickError as error:
        message = str(error)
        raise ValueError(message[0].upper() + message[1:]) from None


def a_name(text: str) -> None:
    """Refuse what TensorFlow would not take as the name of an op."""
    if not _NAME.fullmatch(text):
        raise ValueError(WORDS("not_a_name"))


def beliefs(run: Run, settings: Values) -> dict[str, float]:
    """The article's map with its identity in three places, and what each belief expects."""
    article = {"key": "Identity", "name": "Identity"}
    true = run()["true_gradient"]
    return {
        **{
            f"identity_{place}": run(**article, place=place)["trick_gradient"]
            for place in ("none", "inside", "outside")
        },
        "on_mul": run(key="Mul", place="none")["trick_gradient"],
        "half_true": true / 2,
        "quarter": true / 4,
        "six_lost": true / 6 / 2,
        **in_other_words(),
    }


@cache
def in_other_words() -> dict[str, float]:
    """The text's map for mul around variables called add and mul, and what each belief expects."""

    def double(op: Op, upstream: torch.Tensor) -> torch.Tensor:
        return 2 * upstream

    def double_both(op: Op, upstream: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return 2 * upstream, 2 * upstream

    def came(rules: dict[str, Callable[..., Any]]) -> float:
        x = torch.tensor([1.0], dtype=torch.float64, requires_grad=True)
        with gradient_override_map(rules):
            add = 3 * x
            mul = add + x
        return float(gradient(mul + add, x))

    return {
        "words_came": came({"mul": double}),
        "words_by_type": 2 * 2 + 1,
        "words_by_name": came({"add": double_both}),
        "words_doubled": 2 * came({}),
        "words_plain": came({}),
    }


def inspected(program: Program, x: torch.Tensor, settings: Values) -> dict[str, str | int]:
    """Name and type of every op of the program's run, and whether it has the rule."""
    leaf = x.detach().requires_grad_()
    with record({"x": leaf}) as recording:
        program(leaf, **settings)
    facts: dict[str, str | int] = {"ops": len(recording.ops)}
    for place, op in enumerate(recording.ops, start=1):
        # The product runs first, and is the only one that the program names.
        facts[f"op{place}_name"] = op.label if place == 1 else op.name
        facts[f"op{place}_type"] = op.type
        facts[f"op{place}_gradient"] = (
            WORDS("the_rule") if op.kind == "overridden" else WORDS("its_own")
        )
    overridden = [op.name for op in recording.ops if op.kind == "overridden"]
    return facts | {"overridden": len(overridden)}


def inspector(result: Result, values: Values) -> Table:
    """A row for each op, in the order they ran."""
    facts = result.facts
    types = op_types()
    rows = []
    for place in range(1, int(facts["ops"]) + 1):
        name, kind, by = (str(facts[f"op{place}_{what}"]) for what in ("name", "type", "gradient"))
        rows.append((name, kind, types.get(kind) or WORDS("none"), by))
    columns = ((WORDS("name"), None), (WORDS("type"), None), (WORDS("type_in_tensorflow"), None))
    caption = subject = WORDS("table")
    if not facts["overridden"]:
        caption = WORDS("never_called", key=values["key"])
    return Table(
        caption, (*columns, (WORDS("its_gradient"), "trick_gradient")), tuple(rows), subject
    )


CURVE = Curve(
    parameters=(
        Text("key", "Identity", longest=40, read=a_type),
        Text("name", "Identity", longest=40, read=a_name),
        Choice("place", "inside", names=("none", "inside", "outside")),
    ),
    plain=lambda x, **_: torch.square(torch.mul(x, 6)),
    intended=lambda x, **_: 36 * x,  # half of the derivative 72·x of (6·x)²
    words=WORDS,
    x="-2, 1, 3",
    point=3,
    facts=beliefs,
    observe=inspected,
)

LESSON = Lesson(
    program=type_not_name,
    lab=replace(curve_lab(CURVE), table=inspector),
    highlight="with gradient_override_map({key: half}, warn=False):",
)
