"""A gradient registered in code that runs twice: the second registration is refused."""

import itertools
from collections.abc import Callable

import torch

from lessons.contract.bug import Bug, Code, changed
from lessons.gradient_tricks.tricks import (
    TrickError,
    fresh_registry,
    gradient_override_map,
    identity,
    register_gradient,
)
from lessons.gradient_tricks.tricks.registry import registered_names

Layer = Callable[[torch.Tensor], torch.Tensor]


def make_layer(factor: float) -> Layer:
    @register_gradient("ProbSample")
    def rule(op: object, upstream: torch.Tensor) -> torch.Tensor:
        return factor * upstream

    def layer(x: torch.Tensor) -> torch.Tensor:
        with gradient_override_map({"identity": "ProbSample"}):
            return identity(x)

    return layer


def unless_taken(factor: float) -> Layer:
    def rule(op: object, upstream: torch.Tensor) -> torch.Tensor:
        return factor * upstream

    if "ProbSample" not in registered_names():
        register_gradient("ProbSample")(rule)

    def layer(x: torch.Tensor) -> torch.Tensor:
        with gradient_override_map({"identity": "ProbSample"}):
            return identity(x)

    return layer


def counted(factor: float) -> Layer:
    count = itertools.count()
    name = f"ProbSample{next(count)}"

    @register_gradient(name)
    def rule(op: object, upstream: torch.Tensor) -> torch.Tensor:
        return factor * upstream

    def layer(x: torch.Tensor) -> torch.Tensor:
        with gradient_override_map({"identity": name}):
            return identity(x)

    return layer


def check(code: Code) -> None:
    x = torch.tensor(3.0, requires_grad=True)
    with fresh_registry():
        for factor in (2.0, 5.0):
            try:
                (gradient,) = torch.autograd.grad(code(factor)(x), x)
            except TrickError as error:
                raise AssertionError(f"no gradient for the factor {factor:g}. {error}") from None
            assert gradient.item() == factor, (
                f"gradient {gradient.item():g} for the factor {factor:g}, expected {factor:g}."
            )


BUG = Bug(
    source="xiaogangw-zz/cascaded-point-completion#9",
    title=(
        "KeyError: \"Registering two gradient with name 'ProbSample'! (Previous registration was "
        'in _find_and_load_unlocked <frozen importlib._bootstrap>:958)"'
    ),
    opened="2020-11-06",
    broken=make_layer,
    fixes={
        "unless_taken": unless_taken,
        "counted": counted,
        "no_name": changed(
            make_layer,
            {
                '@register_gradient("ProbSample")': "",
                '"identity": "ProbSample"': '"identity": rule',
            },
        ),
    },
    check=check,
)
