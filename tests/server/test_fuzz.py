"""Some hostile messages; fuzz.py says what must hold. ``make fuzz`` sends many more."""

import pytest

from tests.support.amount import cases
from tests.support.fuzzing import found

pytestmark = pytest.mark.slow


@pytest.mark.random
def test_hostile_messages_are_answered() -> None:
    came = found("tests.server.fuzz", cases(32, 600))
    # None of these may quietly become a test of nothing.
    assert came["message"] > cases(20, 1000)
    assert all(came[kind] for kind in ("frame", "refused", "again", "picture")), came
