"""A map whose key is the name of an op, not its type."""

from collections.abc import Callable

import torch

from lessons.contract.bug import Bug, changed
from lessons.recorder import named
from lessons.tricks import TrickError, gradient_override_map, py_func
from lessons.tricks.rule import Op

Code = Callable[[torch.Tensor], torch.Tensor]


def broken(x: torch.Tensor) -> torch.Tensor:
    def straight_through(op: Op, upstream: torch.Tensor) -> torch.Tensor:
        return upstream

    with gradient_override_map({"my_round": straight_through}):
        return named(py_func(torch.round, x), "my_round")


def check(code: Code) -> None:
    """The gradient of 3·round(x), straight through."""
    x = torch.tensor([0.4, 1.6], requires_grad=True)
    try:
        y = code(x)
    except TrickError as error:
        raise AssertionError(f"expected a gradient of [3, 3]; the map says: {error}") from None
    assert y.tolist() == [0, 2], f"value: got {y.tolist()}, expected [0, 2]"
    (got,) = torch.autograd.grad((3 * y).sum(), x)
    assert got.tolist() == [3, 3], f"gradient: got {got.tolist()}, expected [3, 3]"


BUG = Bug(
    source="tensorflow/tensorflow#1095",
    title="Gradient of tf.py_func and how to define gradients for a custom op only with python",
    opened="2016-02-14",
    broken=broken,
    fixes={
        "type": changed(broken, {'{"my_round"': '{"py_func"'}),
        "capital": changed(broken, {'{"my_round"': '{"My_round"'}),
        "name": changed(broken, {'x), "my_round"': 'x), "py_func"'}),
    },
    check=check,
)
