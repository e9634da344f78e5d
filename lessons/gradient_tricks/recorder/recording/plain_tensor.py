"""A tensor's plain copy: shape, dtype and numbers, and which of them a chosen component is."""

import math
from array import array
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import torch

from ...text import number
from ...text.words import Texts

WORDS = Texts(__file__)

LIMIT = 4096
"""Numbers copied of one tensor. The rest of a larger one is counted, not kept."""

NOT_KEPT = float("nan")
"""What stands for a number that was not copied: this very object, which nothing computes."""

MOST_WRITTEN, FIRST_WRITTEN = 32, 12
"""Numbers of a tensor that is written out, and those of a larger one."""

_LONGEST_LIST = 64
"""Numbers kept as a list. More of them are an array of doubles: a quarter of the memory."""

_DTYPES = {
    dtype: str(dtype).removeprefix("torch.")
    for dtype in vars(torch).values()
    if isinstance(dtype, torch.dtype)
}


def spelled(value: Any, digits: int = 6) -> str:
    """A number, or none, as the pages write it; a zero has no sign, and one not kept is no NaN.

    >>> spelled(-0.5), spelled(None), spelled(True), spelled(1 + 2j), spelled(-0.0)
    ('−0.5', 'none', '1', '(1+2j)', '0')
    """
    if value is None:
        return WORDS("none")
    if value is NOT_KEPT:
        return WORDS("not_kept")
    return str(value) if isinstance(value, complex) else number(float(value) + 0.0, digits)


def short(value: Any) -> str:
    """A number with four digits, for a sentence or a small box."""
    return spelled(value, 4)


class Entry(tuple[int, ...]):
    """The chosen component of a list that has `of` entries.

    A tensor that has a row for each entry shows the chosen one's row, in its first column.
    """

    of: int

    def __new__(cls, index: Sequence[int], of: int) -> "Entry":
        made = super().__new__(cls, index)
        made.of = of
        return made


class Value(NamedTuple):
    """What was in a tensor.

    `shape`; `dtype` as torch names it, without "torch."; `numbers` in row-major order: floats,
    ints, bools or complex numbers, at most LIMIT of them; an array where there are many floats.
    """

    shape: tuple[int, ...]
    dtype: str
    numbers: Sequence[Any]

    @classmethod
    def of(cls, tensor: torch.Tensor) -> "Value":
        """Copy `tensor`, whatever its device or layout. A meta tensor has no numbers."""
        shape = tuple(tensor.shape)
        numbers: Any
        if tensor.is_meta:
            numbers = []
        elif tensor.layout is not torch.strided:
            numbers = _numbers(tensor.detach().to_dense().flatten()[:LIMIT])
        elif not shape:
            numbers = [tensor.item()]
        elif len(shape) == 1 and shape[0] <= _LONGEST_LIST:
            numbers = tensor.tolist()
        else:
            numbers = _numbers(tensor.detach().reshape(-1)[:LIMIT])
        return cls(shape, _DTYPES[tensor.dtype], numbers)

    def same_as(self, other: "Value") -> bool:
        """Whether both hold the same numbers, a NaN being the same as a NaN."""
        mine, others = self.numbers, other.numbers
        if len(mine) != len(others):
            return False
        pairs = zip(mine, others, strict=True)
        return mine == others or all(a == b or (a != a and b != b) for a, b in pairs)

    @property
    def size(self) -> int:
        """How many numbers the tensor has, kept or not."""
        return math.prod(self.shape)

    def component(self, index: Sequence[int]) -> Any:
        """The number of the chosen component, as `place` finds it; `NOT_KEPT` beyond the LIMIT."""
        kept = len(self.numbers)
        if kept < 2:
            return self.numbers[0] if kept else math.nan
        position = flat(place(index, self.shape), self.shape)
        return self.numbers[position] if position < kept else NOT_KEPT


def component(value: Value | None, index: Sequence[int]) -> Any:
    """The number of the chosen component; None where there is no tensor."""
    return None if value is None else value.component(index)


def whole(value: Value) -> str:
    """Write a tensor's numbers, or the first of a large one, with its shape and dtype.

    >>> whole(Value((3,), "float64", [-2.0, 0.5, 1.0]))
    '[−2, 0.5, 1] (3, float64)'
    """
    count = MOST_WRITTEN if value.size <= MOST_WRITTEN else FIRST_WRITTEN
    texts = [spelled(item) for item in value.numbers[:count]]
    more = value.size - len(texts)
    texts += [WORDS("more_numbers", n=f"{more:,}")] if more > 0 else []
    shape = "×".join(map(str, value.shape)) or WORDS("scalar")
    numbers = f"[{', '.join(texts)}]" if value.shape else "".join(texts)
    return f"{numbers} ({shape}, {value.dtype})"


def added(first: Value | None, second: Value) -> Value:
    """The sum, entry by entry: an op of several parts sends its shares one by one."""
    if first is None:
        return second
    pairs = zip(first.numbers, second.numbers, strict=True)
    summed: Sequence[Any] = [a + b for a, b in pairs]
    packed = isinstance(second.numbers, array)
    return second._replace(numbers=array("d", summed) if packed else summed)


def _numbers(flat: torch.Tensor) -> Sequence[Any]:
    if len(flat) <= _LONGEST_LIST or not flat.is_floating_point():
        numbers: list[Any] = flat.tolist()
        return numbers
    return array("d", flat.to("cpu", torch.float64).numpy().tobytes())


def place(index: Sequence[int], shape: Sequence[int]) -> tuple[int, ...]:
    """Where the chosen component `index` lies in a tensor of this shape, as broadcasting does it.

    Axes are matched from the right; an axis of length 1 has only place 0, an axis too short its
    last place, an axis that `index` does not name its first. An `Entry` is a row where it can be
    no column.

    >>> place((2,), (3,)), place((2,), ()), place((1, 2), (3,)), place((2,), (4, 1))
    ((2,), (), (2,), (0, 0))
    >>> place(Entry((2,), of=4), (4, 3)), place(Entry((2,), of=4), (2, 4))
    ((2, 0), (0, 2))
    """
    of = index.of if isinstance(index, Entry) else 0
    return _placed(tuple(index), tuple(shape), of)


@lru_cache(1024)
def _placed(index: tuple[int, ...], shape: tuple[int, ...], of: int) -> tuple[int, ...]:
    if of > 1 and len(shape) > 1 and shape[0] == of != shape[-1]:
        return (*index, *[0] * (len(shape) - len(index)))
    missing = len(shape) - len(index)
    aligned = [0] * missing + list(index[max(-missing, 0) :])
    return tuple(min(i, max(n - 1, 0)) for i, n in zip(aligned, shape, strict=True))


def flat(index: Sequence[int], shape: Sequence[int]) -> int:
    """The row-major position of `index`.

    >>> flat((1, 2), (2, 3)), flat((), ())
    (5, 0)
    """
    position = 0
    for i, n in zip(index, shape, strict=True):
        position = position * n + i
    return position


def unflat(position: int, shape: Sequence[int]) -> tuple[int, ...]:
    """The inverse of `flat`.

    >>> unflat(5, (2, 3))
    (1, 2)
    """
    index = []
    for n in reversed(shape):
        position, i = divmod(position, n)
        index.append(i)
    return tuple(reversed(index))
