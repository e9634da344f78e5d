"""A map finds ops by their type, TensorFlow 1 finds rules by name; an op's name plays no part."""

import re
from collections.abc import Callable
from dataclasses import replace

import torch

from lessons.contract.figure import Table
from lessons.contract.lesson import Lesson
from lessons.contract.parameters import Text
from lessons.contract.result import Result
from lessons.contract.settings import choice, declared
from lessons.contract.words import Words
from lessons.gradient_tricks.recorder import named, record
from lessons.gradient_tricks.tricks import (
    TrickError,
    flip_gradient,
    fresh_registry,
    gradient_override_map,
    identity,
    op_types,
    register_gradient,
)
from lessons.gradient_tricks.tricks.lookup import resolve
from lessons.gradient_tricks.tricks.registry import registered_names
from lessons.gradient_tricks.tricks.rule import Op
from lessons.kit.curve_lab import Curve, Run, curve_lab
from lessons.kit.gradients import gradient
from lessons.kit.inputs import AlongX, inputs, point_in_text

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
    if message := said(lambda: resolve(text)):
        raise ValueError(message[0].upper() + message[1:])


def a_name(text: str) -> None:
    """Refuse what TensorFlow would not take as the name of an op."""
    if not _NAME.fullmatch(text):
        raise ValueError(WORDS("not_a_name"))


class Settings(AlongX):
    key = declared(Text("key", "Identity", longest=40, read=a_type))
    name = declared(Text("name", "Identity", longest=40, read=a_name))
    place = choice("none", "inside", "outside", default="inside")
    x = inputs("-2, 1, 3")
    point = point_in_text(3)


def said(run: Callable[[], object]) -> str:
    """The engine's error, or an empty text."""
    try:
        run()
    except TrickError as error:
        return str(error)
    return ""


def beliefs(run: Run, settings: Settings) -> dict[str, float]:
    """The article's map with and without its identity, other keys, what each belief expects."""
    article = {"key": "Identity", "name": "Identity"}
    true = run()["true_gradient"]
    ignored = run(key="MatMul", place="inside")["trick_gradient"]  # as any key that fits no op
    return {
        **{
            f"identity_{place}": run(**article, place=place)["trick_gradient"]
            for place in ("none", "inside", "outside")
        },
        "on_mul": run(key="Mul", place="none")["trick_gradient"],
        "half_true": true / 2,
        "six_lost": true / 6 / 2,
        "lower_here": run(key="identity", place="inside")["trick_gradient"],
        # TensorFlow's own numbers, kept next to in_tensorflow1.py, are compared with these.
        **dict.fromkeys(("lower_there", "misspelt_there", "absent_there"), ignored),
    }


def misspelt() -> dict[str, str]:
    """What the engine says of a wrong key."""
    return {"misspelt": said(lambda: resolve("Identty"))}


def shared_name() -> dict[str, float | str]:
    """Run the text's two reversals whose rules share one name; what each belief expects."""

    def flip(x: torch.Tensor, scale: float) -> torch.Tensor:
        def rule(op: Op, upstream: torch.Tensor) -> torch.Tensor:
            return -scale * upstream

        if "Flip" not in registered_names():
            register_gradient("Flip")(rule)
        with gradient_override_map({"Identity": "Flip"}):
            return identity(x)

    x = torch.tensor([1.0], requires_grad=True)
    plain = float(gradient(x**3 + x**2, x))
    with fresh_registry():
        facts: dict[str, float | str] = {
            "shared_came": float(gradient(flip(x, 2) ** 3 + flip(x, 0.5) ** 2, x)),
            "unknown_rule": said(lambda: gradient_override_map({"Identity": "Filp"}).__enter__()),
        }
    return facts | {
        "own": float(gradient(flip_gradient(x, 2) ** 3 + flip_gradient(x, 0.5) ** 2, x)),
        "first_twice": -2 * plain,
        "last_twice": -0.5 * plain,
        "not_reversed": plain,
    }


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


def inspected(run: Run, settings: Settings) -> dict[str, str | int]:
    """Every op that ran: ``op1_name``, ``op1_type``, and in ``op1_gradient`` if it has the rule."""
    leaf = run.x.detach().requires_grad_()
    with record({"x": leaf}) as recording:
        run.output(leaf)
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


def inspector(result: Result, settings: Settings) -> Table:
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
        caption = WORDS("never_called", key=settings.key)
    return Table(
        caption, (*columns, (WORDS("its_gradient"), "trick_gradient")), tuple(rows), subject
    )


CURVE = Curve(
    settings=Settings,
    plain=lambda x, **_: torch.square(torch.mul(x, 6)),
    intended=lambda x, **_: 36 * x,  # half of the derivative 72·x of (6·x)²
    words=WORDS,
    facts=(beliefs, inspected),
)

LESSON = Lesson(
    program=type_not_name,
    lab=replace(curve_lab(CURVE), table=inspector),
    predictions={"transfer": lambda result: str(result.facts["frozen_came"])},
    facts=(misspelt, shared_name, frozen),
    highlight="with gradient_override_map({key: half}, warn=False):",
)
