"""How many random cases a run tries: few before a commit, many in ``make test-long``."""

import os

LONG = os.environ.get("TEST_LONG") == "1"


def cases(few: int, many: int) -> int:
    """So many in this run."""
    return many if LONG else few
