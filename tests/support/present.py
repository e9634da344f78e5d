"""Values that may be None elsewhere, and that a test knows to be there."""

from typing import TypeVar

T = TypeVar("T")


def present(value: T | None) -> T:
    """Return the value, unless it is None: then the test fails."""
    assert value is not None, "None came where a value was expected"
    return value
