"""How many cases a run tries: some before a commit, all or many more in ``make test-long``."""

import os
from typing import Any

import pytest

LONG = os.environ.get("TEST_LONG") == "1"


def cases(few: int, many: int) -> int:
    """So many in this run."""
    return many if LONG else few


def also(*values: Any) -> list[Any]:
    """Of a test with parameters: these in ``make test-long`` alone."""
    return [
        pytest.param(*(one if isinstance(one, tuple) else (one,)), marks=pytest.mark.long)
        for one in values
    ]
