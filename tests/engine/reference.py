"""The harness of the reference tests: TensorFlow's own numbers, and how ours are compared.

Every case of tests/data/tensorflow.json is bound to a function by `case`. Where torch must
differ, that function's docstring says why, and the difference itself is asserted.
"""

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from lessons.tricks import register_gradient

DATA = Path(__file__).parents[1] / "data" / "tensorflow.json"
CASES = {case["id"]: case for case in json.loads(DATA.read_text("utf-8"))}
RUN: dict[str, Callable[[dict[str, Any]], None]] = {}
_names = itertools.count()


def case(*prefixes: str) -> Callable[[Any], Any]:
    """Bind a function to every case whose id starts so and that no earlier function took."""

    def bind(function: Any) -> Any:
        taken = [i for i in CASES if i not in RUN and i.startswith(prefixes)]
        assert taken, prefixes
        RUN.update(dict.fromkeys(taken, function))
        return function

    return bind


def bound(module: str) -> list[str]:
    """The ids of the cases that functions of `module` are bound to."""
    return [name for name, function in RUN.items() if function.__module__ == module]


def numbers(value: Any) -> Any:
    """The file's "nan" and "inf" as numbers."""
    if isinstance(value, list):
        return [numbers(item) for item in value]
    return float(value)


def tensor(case: dict[str, Any], key: str, grad: bool = True) -> torch.Tensor:
    dtype = getattr(torch, case["inputs"].get("dtype", "float64"))
    return torch.tensor(numbers(case["inputs"][key]), dtype=dtype, requires_grad=grad)


def grad(y: torch.Tensor, x: torch.Tensor, **options: Any) -> torch.Tensor | None:
    return torch.autograd.grad(y.sum(), x, allow_unused=True, retain_graph=True, **options)[0]


def same(got: torch.Tensor | None, expected: Any) -> None:
    if expected is None or got is None:
        assert got is None
        assert expected is None
        return
    wanted = torch.tensor(numbers(expected), dtype=torch.float64)
    precise = got.dtype == torch.float64
    torch.testing.assert_close(
        got.detach().double().reshape(wanted.shape), wanted,
        rtol=1e-12 if precise else 1e-6, atol=1e-300 if precise else 1e-30, equal_nan=True,
    )  # fmt: skip


def fresh(rule: Callable[..., Any]) -> str:
    """Register `rule` under a name of its own, as each TensorFlow case did."""
    name = f"Reference{next(_names)}"
    register_gradient(name)(rule)
    return name


def times10(op: Any, upstream: torch.Tensor) -> torch.Tensor:
    return 10 * upstream


def halve(op: Any, upstream: torch.Tensor) -> torch.Tensor:
    return upstream * 0.5
