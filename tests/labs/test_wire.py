"""What crosses the wire, without a browser: what is refused, and what is written."""

import json
from typing import Any

import numpy as np
import pytest

from pages.labs import wire
from pages.labs.messages import (
    MAX_MESSAGE,
    MAX_TEXT,
    RefusedError,
    Wish,
    opened,
    read,
    read_training,
)


def test_a_message_comes_through_as_it_was_sent() -> None:
    text = '{"lab":"flip","values":{"x":"-2, -1"},"moving":true,"answers":["a"]}'
    message = opened(f'3 ask {text}\n{{"phase":"run","token":"t"}}')
    assert (message.seq, message.kind) == (3, "ask")
    assert read(message.wish) == Wish(
        lab="flip", values={"x": "-2, -1"}, moving=True, answers=["a"]
    )
    assert read_training(message.training).phase == "run"


@pytest.mark.parametrize(
    "text",
    ["", "ask", "ask {}", "x ask {}", "-1 ask {}", "1.5 ask {}", "99999999999 ask {}", "٣ ask {}",
     "1 fly {}", "1 train {}", "1 ask {}\n{}\n{}", "1  ask {}", "5000000000 ask {}",
     "1 ask " + "x" * MAX_MESSAGE],
    ids=lambda text: text[:20],
)  # fmt: skip
def test_what_is_no_message_is_refused_in_few_words(text: str) -> None:
    with pytest.raises(RefusedError) as refused:
        opened(text)
    assert len(str(refused.value)) < 300


DEEP = "[" * 100_000 + "]" * 100_000


REFUSED = {
    "message": ["", "null", "[]", '{"lab":"flip"'],
    "lab": ["{}", '{"lab":3}'],
    "seq": ['{"lab":"flip","seq":1}'],
    "moving": ['{"lab":"flip","moving":1}'],
    "step": [f'{{"lab":"flip","step":{step}}}' for step in ("0", "true", "1e9")],
    "values": [
        '{"lab":"flip","values":[]}',
        json.dumps({"lab": "flip", "values": {"x" * 101: "1"}}),
        json.dumps({"lab": "flip", "values": {f"x{n}": "" for n in range(257)}}),
    ],
    "values.x": [
        '{"lab":"flip","values":{"x":1}}',
        json.dumps({"lab": "flip", "values": {"x": "1" * (MAX_TEXT + 1)}}),
    ],
    "answers": [json.dumps({"lab": "flip", "answers": ["a"] * 200})],
    "": ['{"lab":"flip","values":' + DEEP + "}", '{"lab":"\\ud800"}'],
    "have": ['{"lab":"flip","have":{}}'],
    'The server got “"1"”.': ['{"lab":"flip","step":"1"}'],
    "va�lues�": ['{"lab":"flip","va\u202elues\\u0000":{}}'],
}


@pytest.mark.parametrize("part", REFUSED)
def test_a_wish_that_is_not_as_described_is_refused_and_its_part_is_named(part: str) -> None:
    for text in REFUSED[part]:
        with pytest.raises(RefusedError) as refused:
            read(text)
        assert part in str(refused.value)
        assert len(str(refused.value)) < 300


def test_a_training_that_is_not_as_described_is_refused() -> None:
    for part in ('"phase":"fly"', '"begun":-1', f'"token":"{"x" * 200}"', '"more":1'):
        with pytest.raises(RefusedError):
            read_training(f"{{{part}}}")


def written(content: dict[str, Any]) -> Any:
    """What a browser reads of it."""
    text = wire.message(7, "frame", wire.encode(content))
    message = json.loads(text, parse_constant=pytest.fail)
    assert (message["seq"], message["kind"]) == (7, "frame")
    return message["content"]


def test_numbers_are_written_as_float32_and_what_is_not_finite_as_null() -> None:
    values = np.array([0.1, 1 / 3, np.nan, np.inf, -np.inf, 1e300])
    read_again = written({"x": values, "y": [float("nan"), np.float64(1 / 3)], "z": float("inf")})
    assert read_again == {"x": [0.1, 0.33333334, None, None, None, None], "y": [None, 1 / 3],
                          "z": None}  # fmt: skip


@pytest.mark.parametrize(
    "array", [np.arange(12.0).reshape(3, 4).T, np.arange(9)[::2], np.array([[True], [False]]),
              np.array(["a", "−"]), np.empty((0, 2)), np.arange(8.0).reshape(2, 2, 2)],
    ids=range(6),
)  # fmt: skip
def test_an_array_is_written_as_lists(array: np.ndarray) -> None:
    assert written({"figures": [{"figure": {"data": [{"z": array}]}}]}) == {
        "figures": [{"figure": {"data": [{"z": array.tolist()}]}}]
    }


def test_values_that_json_lacks_are_converted() -> None:
    assert written({"a": "\ud800", "n": 10**40, "x": np.array([1.5])}) == {
        "a": "?", "n": 1e40, "x": [1.5]
    }  # fmt: skip
