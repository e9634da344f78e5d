"""Writes the JSON that goes to a browser.

JSON has no NaN and no infinities: they become null, which is a gap in a chart. An array's numbers
are written as float32, which has half as many digits and more than a screen shows.
"""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import orjson


def encode(content: Mapping[str, Any]) -> bytes:
    """Write a Frame or a Picture; its charts may hold numpy arrays anywhere."""
    try:
        return orjson.dumps(content, _plain)
    except orjson.JSONEncodeError:
        return orjson.dumps(_mended(content), _plain)


def message(seq: int, kind: Literal["frame", "picture"], content: bytes) -> str:
    """Write a FrameMessage or a PictureMessage, for content that is encoded already."""
    return f'{{"seq":{seq},"kind":"{kind}","content":{content.decode()}}}'


def _plain(value: Any) -> Any:
    """Replace what JSON does not know."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        with np.errstate(over="ignore"):  # a chart has no pixel beyond float32's range
            numbers = value.astype("f4", order="C")
        return orjson.Fragment(orjson.dumps(numbers, option=orjson.OPT_SERIALIZE_NUMPY))
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise TypeError(f"A lab's frame cannot hold {type(value).__name__}")


def _mended(value: Any) -> Any:
    """Copy it without half characters, and with only the numbers and names that JSON has."""
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, int) and abs(value) >> 63:
        return float(value)
    if isinstance(value, Mapping):
        return {_mended(str(name)): _mended(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_mended(item) for item in value]
    return value
