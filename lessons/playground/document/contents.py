"""What a playground's text says: inputs, program, overrides, output. Plain values.

`as_text.py` reads a document from the text and writes it back; `check.py` makes of it what can run.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from lessons.gradient_tricks.text import cited, suggestion
from lessons.playground.document.words import WORDS
from lessons.playground.language.playground_error import PlaygroundError

Distribution = Literal["uniform", "normal"]

Numbers = float | tuple[float, ...] | tuple[tuple[float, ...], ...]
"""One number, a list, or a matrix."""


@dataclass(frozen=True)
class Noise:
    """How an input is drawn; the same seed gives the same numbers anywhere (``lessons.kit.noise``).

    Args:
        distribution: "uniform" from a to b, or "normal" with mean a and standard deviation b.
        a, b: see above.
        seed: 0 to 2**32 - 1.
        like: the input whose shape it takes; empty for one number.
    """

    distribution: Distribution
    a: float
    b: float
    seed: int = 0
    like: str = ""


@dataclass(frozen=True)
class Input:
    """A name that is given: by its values, or drawn.

    Args:
        name: as in the program.
        values: what it is; None where it is drawn.
        noise: how it is drawn; None where values are given.
        remark: the comment at the end of its line.
        above: the comments above it, line by line.
        low, high: from where to where the curves run over it.
    """

    name: str
    values: Numbers | None = None
    noise: Noise | None = None
    remark: str = ""
    above: tuple[str, ...] = ()
    low: float = -3.0
    high: float = 3.0


@dataclass(frozen=True)
class Override:
    """A rule for the ops of one type.

    Args:
        op_type: the engine's name, torch's or TensorFlow's.
        rule: one expression for each tensor operand, over grad, in1, out1.
        only: the names on whose lines it holds; empty for the whole program. This is what stands
            inside TensorFlow's ``with``.
    """

    op_type: str
    rule: str
    only: tuple[str, ...] = ()


@dataclass(frozen=True)
class Document:
    """Everything that one page of the playground shows.

    Args:
        inputs: in order.
        program: assignments, one a line.
        output: the name whose sum is differentiated; empty for the last one given.
        overrides: the rules of its override maps.
        over: the input that the curves run over; empty for the first that is not drawn.
        entry: which of its entries moves, 1 for the first; the others stay.
        intended: a name whose true gradient is the one wanted; empty for none.
        dtype: a number format that ``contract/devices.py`` names.
        device: the name of the device to compute on; the CPU computes if the machine lacks it.
    """

    inputs: tuple[Input, ...]
    program: str
    output: str = ""
    overrides: tuple[Override, ...] = ()
    over: str = ""
    entry: int = 1
    intended: str = ""
    dtype: str = "float64"
    device: str = "cpu"

    def __post_init__(self) -> None:
        text = self.program.replace("\r\n", "\n").strip("\n")
        object.__setattr__(self, "program", text)

    @property
    def plotted(self) -> str:
        """The name of the input that the curves run over; empty if every input is drawn."""
        return self.over or next((one.name for one in self.inputs if one.noise is None), "")

    def input(self, name: str) -> Input:
        """The input with this name.

        Raises:
            PlaygroundError: there is none.
        """
        for input_ in self.inputs:
            if input_.name == name:
                return input_
        near = suggestion(name, [input_.name for input_ in self.inputs])
        message = WORDS("no_input", name=cited(name), near=near)
        raise PlaygroundError(message, part="document")

    def with_(self, **changes: Any) -> "Document":
        """The same document with some fields changed."""
        return replace(self, **changes)


def as_numbers(array: Any) -> Numbers:
    """An array as an input has it: a number, a list, or a matrix.

    >>> as_numbers(np.zeros((1, 2)))
    ((0.0, 0.0),)
    """
    return tuple(map(as_numbers, array)) if np.ndim(array) else float(array)  # type: ignore[return-value]
