"""Runs a program's nodes on tensors: the only place where a program meets torch.

Each node calls the one torch function that its row of the table names; every op is checked for
shape and size before it runs, and the clock is read between ops. No Python of the learner's is
ever compiled, evaluated or looked up.
"""

import ast
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from lessons.gradient_tricks import tricks
from lessons.gradient_tricks.tricks import TrickError
from lessons.playground.language.expressions import (
    SIGNS,
    Assignment,
    Node,
    apply,
    called,
    children,
    kind_of,
    row_of,
    sign,
    surrogates,
    words,
    written,
)
from lessons.playground.language.functions import Function
from lessons.playground.language.limits import MAX_ELEMENTS
from lessons.playground.language.playground_error import PlaygroundError, shape_text
from lessons.playground.running.budget import Budget
from lessons.playground.running.words import WORDS

Value = torch.Tensor | float
"""What a name stands for: a tensor, or a number that the program writes."""

Env = dict[Any, Any]
"""Values by name; one that a single expression reads, by that expression."""

_FITTED = {"maximum", "minimum", "where"}
_LAST_AXIS = {"softmax", "log_softmax", "logsumexp", "topk", "select", "onehot_argmax",
              "onehot_sample", "unbind"}  # fmt: skip


@dataclass
class Step:
    """One tensor that a run made: the expression, its tensor operands and the result."""

    node: Node
    operands: tuple[torch.Tensor, ...]
    result: torch.Tensor


@dataclass
class Machine:
    """Computes nodes.

    Args:
        text: the program, for the errors' own words.
        device, dtype: of every constant; the inputs must have them, too.
        budget: shared by all that belongs to one run.
        plain: True takes every trick out: what is left is the forward expression.
        steps: filled with every op that ran, if given.
        counted: whether the budget counts the ops. The plan of the curves needs the count.
    """

    text: str
    device: torch.device
    dtype: torch.dtype
    budget: Budget
    plain: bool = False
    steps: list[Step] | None = None
    counted: bool = True

    def line(self, line: Assignment, env: Env) -> Env:
        """Run one line, and return what its names stand for.

        Raises:
            PlaygroundError: shapes that clash, a size or time over its bound.
        """
        value = self.value(line.value, env)
        if len(line.names) == 1:
            return {line.names[0]: value}
        if len(value) != len(line.names):
            counts = {"outputs": len(value), "names": len(line.names)}
            raise PlaygroundError.at(line.value, WORDS("other_outputs", **counts))
        return dict(zip(line.names, value, strict=True))

    def value(self, node: Node, env: Env) -> Any:
        """The value of one expression: a float, a tensor, or a tuple of tensors."""
        if isinstance(node, ast.Constant):
            tensor = kind_of(node) == "tensor" and node.value is not None
            return self.tensor(written(node)) if tensor else node.value
        if isinstance(node, ast.Name):
            return env[node] if node in env else env[node.id]
        if isinstance(node, ast.List):
            return self._made(ast.literal_eval(node))
        self.budget.check(node.lineno, node.col_offset + 1)
        arguments = [self.value(child, env) for child in children(node)]
        if kind_of(node) == "number":
            return apply(node, arguments)
        try:
            result = self._run(node, arguments, env)
        except PlaygroundError:
            raise
        except (TrickError, RuntimeError, ValueError, TypeError, IndexError) as error:
            if isinstance(error.__cause__, PlaygroundError):
                raise error.__cause__ from None
            why = (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
            raise PlaygroundError.at(node, WORDS("torch_refuses", why=why)) from error
        if self.counted:
            self.budget.count(node, arguments, result)
        if self.steps is not None and isinstance(result, torch.Tensor):
            tensors = tuple(a for a in arguments if isinstance(a, torch.Tensor))
            self.steps.append(Step(node, tensors, result))
        return result

    def _run(self, node: Node, arguments: list[Any], env: Env) -> Any:
        if row := row_of(node):
            return self._call(node, row, arguments)
        if named := surrogates(node):
            return self._surrogate(node, named, self.tensor(arguments[0]))
        if isinstance(node, ast.Call):
            return self._py_func(node, arguments, env)
        self._check_operator(node, arguments)
        if isinstance(node, ast.UnaryOp):
            return torch.neg(arguments[0])
        return SIGNS[sign(node)].run(*arguments)

    def _call(self, node: Node, function: Function, arguments: list[Any]) -> Any:
        if function.trick and self.plain:
            return self.tensor(arguments[0])
        kinds = [parameter.kind for parameter in function.parameters]
        prepared: list[Any] = [
            self.tensor(value) if kind == "tensor" else int(value) if kind == "whole" else value
            for kind, value in zip(kinds, arguments, strict=False)
        ]
        if function.name == "where" and not any(torch.is_tensor(a) for a in arguments[1:]):
            prepared[1] = self.tensor(prepared[1])
        tensors = [value for value in prepared if isinstance(value, torch.Tensor)]
        self._check_dimensions(node, function.name, tensors)
        if function.name in _FITTED:
            self._check_broadcast(node, function.name, tensors)
        elif function.name == "matmul":
            self._check_matmul(node, tensors[0].shape, tensors[1].shape)
        elif function.parameters[-1].kind == "whole" and len(prepared) == 2:
            self._check_whole(node, function.name, tensors[0], prepared[1])
        elif function.name == "onehot_sample":
            self._check_sample(node, tensors[0], tensors[1])
        return function.run(*prepared)

    def _surrogate(
        self, node: Node, functions: Sequence[Function], x: torch.Tensor
    ) -> torch.Tensor:
        for function in functions:
            self._check_dimensions(node, function.name, [x])
        runs = [function.run for function in functions]
        if self.plain:
            return runs[0](x)  # type: ignore[no-any-return]
        if called(node) == "straight_through":
            return tricks.straight_through(runs[0])(x)
        return tricks.forward_backward(runs[0], runs[1])(x)

    def _py_func(self, node: ast.Call, inputs: list[torch.Tensor], env: Env) -> Any:
        names = [name.id for name in children(node) if isinstance(name, ast.Name)]
        outer = {name: value for name, value in env.items() if isinstance(value, float)}

        def func(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
            inner = {**outer, **dict(zip(names, tensors, strict=True))}
            quiet = replace(self, steps=None)
            return tuple(self.tensor(quiet.value(output, inner)) for output in node.args)

        outputs = func(*inputs) if self.plain else tricks.py_func(func, *inputs)
        return outputs if kind_of(node) == "several" else outputs[0]

    def tensor(self, value: Value) -> torch.Tensor:
        """The tensor itself, or a number as one of no dimensions."""
        return value if isinstance(value, torch.Tensor) else self._made(value)

    def _made(self, numbers: Any) -> torch.Tensor:
        return torch.tensor(numbers, dtype=self.dtype, device=self.device)

    def _check_operator(self, node: Node, arguments: Sequence[Any]) -> None:
        tensors = [value for value in arguments if isinstance(value, torch.Tensor)]
        if sign(node) == "@":
            self._check_matmul(node, tensors[0].shape, tensors[1].shape)
        elif len(tensors) == 2:
            self._check_broadcast(node, sign(node), tensors)

    def _check_dimensions(self, node: Node, name: str, tensors: Sequence[torch.Tensor]) -> None:
        if name in _LAST_AXIS and not tensors[0].dim():
            raise PlaygroundError.at(node, WORDS("needs_list", name=name))
        if name == "transpose" and tensors[0].dim() < 2:
            said = WORDS("needs_matrix", name=name, shape=shape_text(tensors[0].shape))
            raise PlaygroundError.at(node, said)

    def _check_broadcast(self, node: Node, what: str, tensors: Iterable[torch.Tensor]) -> None:
        shapes = [tuple(tensor.shape) for tensor in tensors]
        if len({*shapes}) == 1:
            return  # a result of this size, as each operand is
        try:
            shape = np.broadcast_shapes(*shapes)
        except ValueError:
            tensors_of = [one for one in children(node) if kind_of(one) in ("tensor", "mask")]
            operands = zip(tensors_of, shapes, strict=False)
            shown = ", ".join(f"{words(self.text, c, 32)}: {shape_text(s)}" for c, s in operands)
            said = WORDS("shapes_clash", op=what, shapes=shown)
            raise PlaygroundError.at(node, said) from None
        self._check_size(node, shape)

    def _check_matmul(self, node: Node, a: torch.Size, b: torch.Size) -> None:
        if not a or not b:
            child = children(node)[0 if not a else 1]
            said = WORDS("matmul_of_number", code=words(self.text, child, 32))
            if isinstance(child, ast.Name):
                said = WORDS("matmul_of_name", name=child.id)
            raise PlaygroundError.at(node, said)
        if a[-1] != b[-2 if len(b) > 1 else 0]:
            left, right = (words(self.text, child, 32) for child in children(node))
            shapes = {"a": shape_text(a), "b": shape_text(b)}
            raise PlaygroundError.at(node, WORDS("matmul_clash", left=left, right=right, **shapes))
        self._check_size(node, (*a[:-1], *b[-1:] * (len(b) > 1)))

    def _check_whole(self, node: Node, name: str, x: torch.Tensor, number: int) -> None:
        """Refuse a k, an index or an axis that the shape doesn't have."""
        shape, dimensions, last = shape_text(x.shape), x.dim(), [1, *x.shape][-1]
        if name == "topk":
            fits, said = number <= last, WORDS("large_k", k=number, most=last, shape=shape)
        elif name == "select":
            said = WORDS("no_index", index=number, last=last - 1, shape=shape)
            fits = -last <= number < last
        else:
            said = WORDS("no_axis", axis=number, shape=shape)
            fits = -dimensions <= number < max(dimensions, 1)
        if not fits:
            raise PlaygroundError.at(node, said)

    def _check_sample(self, node: Node, p: torch.Tensor, u: torch.Tensor) -> None:
        rows = tuple(p.shape[:-1])
        if u.dim() > 1 or (u.dim() and rows and u.shape != rows):
            shapes = {"p": shape_text(p.shape), "u": shape_text(u.shape)}
            if rows:
                raise PlaygroundError.at(node, WORDS("sample_of_rows", rows=rows[0], **shapes))
            raise PlaygroundError.at(node, WORDS("sample_of_list", **shapes))
        self._check_size(node, (*(rows or u.shape), p.shape[-1]))

    def _check_size(self, node: Node, shape: Sequence[int]) -> None:
        count = math.prod(shape)
        if count > MAX_ELEMENTS:
            shown = shape_text(shape)
            message = WORDS("large_result", count=count, shape=shown, most=MAX_ELEMENTS)
            raise PlaygroundError.at(node, message)
