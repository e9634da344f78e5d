"""Text from fields, addresses and command lines: what is accepted, and how the rest is refused."""

import pytest

from lessons.contract.parameters import InvalidParametersError
from lessons.outputs.catalogue import find

LAB = find("noise_leaks")

REFUSED = [
    ("x", "a, b", "not a number"),
    ("x", "", "empty"),
    ("x", "  ,, ", "empty"),
    ("x", ", ".join(["1"] * 257), "at most 256"),
    ("x", "1," * 10_000, "characters|at most 256"),
    ("x", "nan", "not a number"),
    ("x", "inf", "not a number"),
    ("x", "1e999", "too large"),
    ("x", "1_000", "not a number"),
    ("x", "１", "not a number"),
    ("x", "–2, 1", "dash"),
    ("x", "__import__('os').system('true')", "not a number"),
    ("x", "9" * 5000, "not a number"),
    ("noise_low", "2", "above"),
    ("noise_low", "-11", "outside"),
    ("noise_high", "low", "not a number"),
    ("draws", "0", "outside"),
    ("draws", "-5", "outside"),
    ("draws", "2.5", "whole"),
    ("draws", "1000001", "outside"),
    ("seed", "-1", "outside"),
    ("seed", "1e30", "outside"),
    ("u", "1, 2", "one for each x"),
    ("device", "tpu", "not a device"),
    ("device", "cuda:0; rm -rf /", "not a device"),
    ("dtype", "float16", "not one of"),
    ("point", "0", "outside"),
]


@pytest.mark.parametrize(("name", "text", "message"), REFUSED)
def test_bad_input_is_refused_beside_its_own_field(name: str, text: str, message: str) -> None:
    with pytest.raises(InvalidParametersError) as caught:
        LAB.validate({name: text})
    assert list(caught.value.errors) == [name]
    import re

    assert re.search(message, caught.value.errors[name])
    assert len(caught.value.errors[name]) < 200


def test_everything_wrong_is_said_at_once() -> None:
    with pytest.raises(InvalidParametersError) as caught:
        LAB.validate({"x": "a", "draws": "b", "nonsense": "c"})
    assert set(caught.value.errors) == {"x", "draws", "nonsense"}


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("-2,-1,1", (-2.0, -1.0, 1.0)),
        ("[−2  1e-3;.5]", (-2.0, 0.001, 0.5)),
        (" 3. ", (3.0,)),
        (",".join(["0.25"] * 64), (0.25,) * 64),
    ],
)
def test_lists_are_read_as_people_write_them(text: str, numbers: tuple[float, ...]) -> None:
    assert LAB.validate({"x": text})["x"] == numbers


def test_awkward_numbers_survive_the_address() -> None:
    values = LAB.validate({"x": "-0.0, 0.1, 1e-300, 12345678901234567, 1e22", "noise_low": "1e-7"})
    again = LAB.validate(LAB.text(values))
    assert [repr(number) for number in again["x"]] == [repr(number) for number in values["x"]]
    assert again["noise_low"] == 1e-7
