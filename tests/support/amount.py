"""How many cases a run tries: some before a commit, all or many more in ``make test-long``."""

import os
import secrets
from typing import Any

import pytest

LONG = os.environ.get("TEST_LONG") == "1"


def cases(few: int, many: int) -> int:
    """So many in this run."""
    return many if LONG else few


def seeds(few: int, many: int) -> range:
    """Seeds of random cases: the same few in every run, many new ones in ``make test-long``."""
    first = secrets.randbelow(10**6) if LONG else 0
    return range(first, first + cases(few, many))


def also(*values: Any) -> list[Any]:
    """Of a test with parameters: these in ``make test-long`` alone."""
    return [
        pytest.param(*(one if isinstance(one, tuple) else (one,)), marks=pytest.mark.long)
        for one in values
    ]
