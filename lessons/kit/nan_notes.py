"""Says of NaN and infinities at which inputs they are, and why."""

from collections.abc import Iterable, Iterator, Mapping

import torch

from lessons.contract.result import Note
from lessons.contract.words import Words
from lessons.gradient_tricks.text import listed, number

WORDS = Words(__file__)

Cause = tuple[torch.Tensor, str]
"""At which inputs it holds, a mask of shape [n], and what is said of them."""


def not_finite_mask(values: Iterable[torch.Tensor]) -> torch.Tensor:
    """The inputs at which one of these is NaN or infinite: a mask of shape [n]."""
    return ~torch.stack([value.isfinite() for value in values]).all(0)


def too_large(name: str, values: torch.Tensor) -> Cause:
    """The cause where the number format turns these values into infinities."""
    return values.isinf(), WORDS("too_large", name=name)


def notes_on_not_finite(
    name: str,
    given: torch.Tensor,
    values: Mapping[str, torch.Tensor],
    causes: Iterable[Cause],
    otherwise: str = "",
) -> Iterator[Note]:
    """A note for each cause of a number that is not finite; an input counts to its first cause.

    Args:
        name: what the inputs are called.
        given: the inputs as they are to be read, shape [n].
        values: what was computed at each, by role, shape [n].
        causes: in the order in which they are told.
        otherwise: what is said of an input that has none of them, if anything.
    """
    unexplained = not_finite_mask(values.values())
    if not unexplained.any():  # nearly always
        return
    rest = ((torch.ones_like(unexplained), otherwise),) if otherwise else ()
    for where, why in (*causes, *rest):
        where = where & unexplained
        if where.any():
            places = listed([number(value) for value in given[where.cpu()].tolist()])
            yield Note("warning", WORDS("at", name=name, places=places, why=why))
            unexplained = unexplained & ~where
