"""No case of TensorFlow's reference is left out: each is bound to a test in a file beside this."""

from tests.engine import (
    test_reference_corners,
    test_reference_seed1,
    test_reference_seed2,
)
from tests.engine.reference import CASES, RUN

FILES = (test_reference_seed1, test_reference_seed2, test_reference_corners)


def test_every_case_is_bound() -> None:
    assert len(CASES) == 59
    assert set(RUN) == set(CASES)
    assert {function.__module__ for function in RUN.values()} == {f.__name__ for f in FILES}
