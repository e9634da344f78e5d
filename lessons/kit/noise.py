"""Noise that is the same everywhere.

Torch's generators give different numbers for float32 and float64, CPU and CUDA, one big draw and
several small ones. So noise is always drawn on the CPU, in float64, ``ROWS`` rows of it; the
caller then moves and casts.
"""

from functools import lru_cache

import torch

ROWS = 512
"""Draws of one seed: few enough that they stay in the processor's cache."""

KEPT_COLUMNS = 256
"""Columns up to which the draws are kept: a megabyte."""


def unit_draws(seed: int, stream: int, columns: int) -> torch.Tensor:
    """Uniform draws in [0, 1).

    Args:
        seed: 0 to 2**32 - 1; the same seed gives the same numbers on every device.
        stream: 0 or 1: two independent series for one seed.
        columns: how many numbers one draw has.

    Returns:
        float64 on the CPU, shape [ROWS, columns]; others get the same tensor: it is not to be
        changed in place.
    """
    return (_kept if columns <= KEPT_COLUMNS else _drawn)(seed, stream, columns)


def _drawn(seed: int, stream: int, columns: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(2 * seed + stream)
    return torch.rand(ROWS, columns, dtype=torch.float64, generator=generator)


_kept = lru_cache(maxsize=8)(_drawn)
"""While a hand drags, all frames have the same seed: a frame takes 3.6 ms, without this 4.4."""
