"""A bug of the tests' own, in a file so that its source can be shown."""


def broken(x: float) -> float:
    return x


def left_as_it_is(x: float) -> float:
    return x * 1


def absolute(x: float) -> float:
    return abs(x)


def raises(x: float) -> float:
    raise ValueError("this fix raises")


def check(code) -> None:
    came = code(-3.0)
    assert came == 3.0, f"{came} came, 3.0 was expected"


FIXES = {"none": left_as_it_is, "absolute": absolute, "raises": raises}
