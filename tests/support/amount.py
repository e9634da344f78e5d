"""How many cases a run tries: some before a commit, all or many more in ``make test-long``."""

import os
from typing import Any

import pytest

SEED = int(os.environ.get("TEST_LONG", "0"))
"""What random cases are drawn by: 0 in ``make test``, another number in each ``make test-long``."""
LONG = SEED > 0


def cases(few: int, many: int) -> int:
    """So many in this run."""
    return many if LONG else few


def seeds(few: int, many: int) -> range:
    """Seeds of random cases: the same few in every run, many new ones in ``make test-long``."""
    first = 1000 * SEED
    return range(first, first + cases(few, many))


def also(*values: Any) -> list[Any]:
    """Parameters of a test that only ``make test-long`` runs."""
    return [
        pytest.param(*(one if isinstance(one, tuple) else (one,)), marks=pytest.mark.long)
        for one in values
    ]
