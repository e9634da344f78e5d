"""A message of a lab as a client in Python reads it."""

import struct
from typing import Any

import numpy as np
import orjson

_HEAD = struct.Struct("<III")


def decode(message: bytes) -> tuple[int, int, dict[str, Any]]:
    """Number, kind and content, arrays as float32."""
    seq, what, length = _HEAD.unpack_from(message)
    numbers = np.frombuffer(message, "<f4", offset=_HEAD.size + length)

    def filled(value: Any, begin: int) -> Any:
        if isinstance(value, list):
            return [filled(item, begin) for item in value]
        if not isinstance(value, dict):
            return value
        if "$" not in value:
            return {name: filled(item, begin) for name, item in value.items()}
        place, count, width = value["$"]
        array = numbers[begin + place : begin + place + count]
        return array.reshape(-1, width) if width else array

    body = without_arrays(message)
    for figure in body["figures"]:
        if "figure" in figure:
            figure["figure"] = filled(figure["figure"], figure["start"])
    return seq, what, body


def without_arrays(message: bytes) -> dict[str, Any]:
    """The content alone, arrays as they stand in its JSON."""
    _, _, length = _HEAD.unpack_from(message)
    content: dict[str, Any] = orjson.loads(message[_HEAD.size : _HEAD.size + length])
    return content
