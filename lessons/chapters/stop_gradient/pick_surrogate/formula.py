"""A function of x that a learner writes, in the playground's language: read, run, exported.

Text becomes the playground's nodes; nothing of it is ever evaluated as Python.
"""

import ast
from dataclasses import dataclass
from functools import lru_cache

import torch

from lessons.contract.words import Words
from lessons.playground.language.emit import in_torch_of
from lessons.playground.language.expressions import Node, called, kind_of, row_of, sign, walk
from lessons.playground.language.functions import FUNCTIONS
from lessons.playground.language.parse import parse_program
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.running.budget import Budget
from lessons.playground.running.interpret import Machine

WORDS = Words(__file__)

_HEAD = "y = "
# These mix entries, or give another shape than x has.
_OTHER_SHAPE = {"sum", "mean", "matmul", "transpose", "unbind", "logsumexp", "topk", "select",
                "onehot_sample"}  # fmt: skip
_TOGETHER = {"softmax", "log_softmax", "onehot_argmax"}

FUNCTION_NAMES = tuple(
    name for name, function in FUNCTIONS.items() if not function.trick and name not in _OTHER_SHAPE
)
"""The functions that an expression may call."""


@dataclass(frozen=True)
class Expression:
    """A function of x alone.

    Args:
        text: as the learner wrote it.
        node: the same, read.
    """

    text: str
    node: Node

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        """Its value at x, in x's shape and dtype.

        Raises:
            PlaygroundError: it takes too long, or torch refuses it, as ``refusal`` says before.
        """
        machine = Machine(_HEAD + self.text, x.device, x.dtype, Budget())
        value: torch.Tensor = machine.value(self.node, {"x": x})
        return value if self.reads_x else torch.zeros_like(x) + value

    def refusal(self, dtype: torch.dtype) -> str:
        """The reason why this number format cannot compute it, for people; nothing where it can.

        Tried on a list of two: what torch refuses depends on shapes and formats alone.
        """
        try:
            self(torch.ones(2, dtype=dtype))
        except PlaygroundError as error:
            return _placed(error)
        return ""

    @property
    def reads_x(self) -> bool:
        """False for a constant."""
        return any(isinstance(node, ast.Name) for node in walk(self.node))

    @property
    def entry_by_entry(self) -> bool:
        """False where one entry's value depends on the others, as in a softmax."""
        return not any(called(node) in _TOGETHER for node in walk(self.node))

    @property
    def inline(self) -> "Code":
        """It as a function in torch, without a name; a constant takes x's shape."""
        body = in_torch_of(self.node, floats=kind_of(self.node) == "number")
        return Code(f"lambda x: {body if self.reads_x else f'torch.zeros_like(x) + {body}'}")


class Code(str):
    """Python that is written into a file as it is, where other text would get its quotes."""

    __slots__ = ()
    __repr__ = str.__str__


@lru_cache(maxsize=64)
def read(text: str) -> Expression:
    """The expression that a text stands for.

    Raises:
        ValueError: what was given and what to write, in words for people.
    """
    if "\n" in text or "\r" in text:
        raise ValueError(WORDS("one_line"))
    if not text.strip():
        raise ValueError(WORDS("empty"))
    try:
        lines = parse_program(_HEAD + text, ["x"]).assignments
    except PlaygroundError as error:
        raise ValueError(_placed(error)) from None
    if len(lines) != 1 or lines[0].names != ("y",):
        raise ValueError(WORDS("one_expression"))
    node = lines[0].value
    for part in walk(node):
        _refuse(part)
    if kind_of(node) == "mask":
        raise ValueError(WORDS("comparison"))
    found = Expression(text, node)
    if refused := found.refusal(torch.float64):
        raise ValueError(refused)
    return found


def _placed(error: PlaygroundError) -> str:
    """The message, with its place in the learner's own text in front."""
    column = error.column - len(_HEAD)
    return WORDS("column", column=column, message=error.message) if column > 0 else error.message


def _refuse(part: Node) -> None:
    """Raise for what does not give one number for each x, or brings a trick of its own."""
    name = called(part)
    if name in FUNCTIONS and name not in FUNCTION_NAMES:
        names = ", ".join(FUNCTION_NAMES)
        if FUNCTIONS[name].trick:
            raise ValueError(WORDS("function_is_trick", name=name, names=names))
        raise ValueError(WORDS("mixes_inputs", name=name, names=names))
    if sign(part) == "@":
        raise ValueError(WORDS("matrices"))
    if not (row_of(part) or sign(part) or isinstance(part, ast.Name | ast.Constant)):
        raise ValueError(WORDS("lists"))
