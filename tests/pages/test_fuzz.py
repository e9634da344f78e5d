"""Some hostile addresses; fuzz.py says what must hold. ``make fuzz`` tries many more."""

import pytest

from tests.support.amount import cases
from tests.support.fuzzing import found

pytestmark = pytest.mark.slow


@pytest.mark.random
def test_hostile_addresses_do_no_harm() -> None:
    count = cases(16, 400)
    came = found("tests.pages.fuzz", count)
    # Neither may quietly become a test of nothing.
    assert came["page"] == count // 2
    assert min(came["http_200"], came["http_400"], came["http_404"]) > 1
