"""Random and hostile documents; fuzz.py says what must hold."""

import pytest

from tests.support.amount import cases
from tests.support.fuzzing import found

pytestmark = pytest.mark.slow

PROGRAMS = cases(200, 20_000)


@pytest.mark.random
def test_hostile_documents_do_no_harm() -> None:
    came = found("tests.playground.fuzz", PROGRAMS)
    assert came["ran"] + came["refused"] == PROGRAMS
    # Neither half may quietly become a test of nothing.
    assert came["ran"] > PROGRAMS // 10
    assert came["refused"] > PROGRAMS // 4
