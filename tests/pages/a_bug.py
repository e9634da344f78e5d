"""A bug of the tests' own, in a file so that its source can be shown."""

from collections.abc import Callable

from lessons.contract.bug import changed


def broken(x: float) -> float:
    return x


def raises(x: float) -> float:
    raise ValueError("this fix raises")


def check(code: Callable[[float], float]) -> None:
    came = code(-3.0)
    assert came == 3.0, f"{came} came, 3.0 was expected"


FIXES = {
    "none": changed(broken, {"return x": "return x * 1"}),
    "absolute": changed(broken, {"return x": "return abs(x)"}),
    "raises": raises,
}
