"""Noise that is the same everywhere.

Torch's generators give different numbers for float32 and float64, CPU and CUDA, one big draw and
several small ones. So noise is always drawn on the CPU, in float64, in chunks of ``ROWS`` rows;
the caller then moves and casts.
"""

from collections.abc import Iterator
from functools import lru_cache

import torch

ROWS = 512
"""Draws at a time: small enough that a chunk stays in the cache."""

KEPT_COLUMNS = 256
"""Columns up to which the first chunk is kept: a megabyte."""


def unit_draws(seed: int, stream: int, columns: int) -> Iterator[torch.Tensor]:
    """Uniform draws in [0, 1), chunk after chunk, without end.

    Args:
        seed: 0 to 2**32 - 1; the same seed gives the same numbers on every device.
        stream: 0 or 1: two independent series for one seed.
        columns: how many numbers one draw has.

    Yields:
        float64 on the CPU, shape [ROWS, columns]; others get the same tensor: it is not to be
        changed in place.
    """
    first, state = (_kept if columns <= KEPT_COLUMNS else _first)(seed, stream, columns)
    yield first
    generator = torch.Generator().set_state(state)
    while True:
        yield _chunk(generator, columns)


def _chunk(generator: torch.Generator, columns: int) -> torch.Tensor:
    return torch.rand(ROWS, columns, dtype=torch.float64, generator=generator)


def _first(seed: int, stream: int, columns: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The first chunk, and the state that the generator is in after it."""
    generator = torch.Generator().manual_seed(2 * seed + stream)
    return _chunk(generator, columns), generator.get_state()


_kept = lru_cache(maxsize=8)(_first)
"""While a hand drags, all frames have the same seed: a frame takes 3.6 ms, without this 4.4."""
