"""A frame as bytes: a head, one JSON text, then every array's numbers as they lie in memory.

The head is three little-endian uint32: the number of the message that is answered, what follows
(0 a frame, 1 a picture of a training), and the length of the JSON in bytes, a multiple of four. An
array stands in its chart as ``{"$": [place, count, width]}``: float32, counted in numbers, the
place from where the chart's begin (``start``); width is that of a row, 0 for a flat one.
"""

import hashlib
import re
import struct
from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

FRAME, PICTURE = 0, 1
_AXIS = re.compile(r"[xy]axis\d*")
_MOVES = ("x", "y", "text", "hovertemplate", "hovertext", "meta")
"""What changes in a trace while one drags. What is said under a pointer can wait until the hand
rests; what can be dragged is not drawn."""


def encode(
    message: Mapping[str, Any],
    have: Mapping[str, str] | None = None,
    drawn: dict[str, str] | None = None,
) -> bytes:
    """What follows the head's first two numbers: the same for all who want the same.

    NaN and infinities outside arrays become null.

    Args:
        message: a Frame or Picture; charts may hold numpy arrays anywhere.
        have: digests of what the browser has, by name: charts, ``graph``, ``code``.
        drawn: takes the digests of the charts.
    """
    have = have or {}
    drawn = {} if drawn is None else drawn
    blocks: list[bytes] = []
    count = 0
    charts = []
    for figure in message.get("figures", ()):
        chart, style, arrays, numbers = _chart(figure["figure"])
        digest = _digest(b"".join([chart, *arrays]))
        head = {name: value for name, value in figure.items() if name != "figure"}
        head |= {"digest": digest, "style": style, "start": count}
        drawn[figure["id"]] = digest
        text = _dump(head)
        if have.get(figure["id"]) != digest:
            text = b'%b,"figure":%b}' % (text[:-1], chart)
            blocks += arrays
            count += numbers
        charts.append(text)
    parts = [b'"figures":[%b]' % b",".join(charts)]
    plain: dict[str, Any] = {}
    for name, part in message.items():
        if name in ("graph", "code") and isinstance(part, Mapping):
            parts.append(b'"%b":%b' % (name.encode(), _once(name, part, have)))
        elif name != "figures":
            plain[name] = part
    if plain:
        parts.append(_dump(plain)[1:-1])
    content = b"{%b}" % b",".join(parts)
    content += b" " * (-len(content) % 4)
    return struct.pack("<I", len(content)) + content + b"".join(blocks)


def addressed(seq: int, encoded: bytes, what: int = FRAME) -> bytes:
    """The whole message."""
    return struct.pack("<II", seq, what) + encoded


def _once(name: str, part: Mapping[str, Any], have: Mapping[str, str]) -> bytes:
    """The part with its digest, as JSON; nothing but the digest where the browser has it."""
    digest = part.get("digest") or _digest(_dump(part))
    return _dump({"digest": digest} if have.get(name) == digest else {**part, "digest": digest})


def _chart(chart: Mapping[str, Any]) -> tuple[bytes, str, list[bytes], int]:
    """A chart as JSON, the digest of its style, its arrays, and how many numbers they have.

    The style is all but what moves: the same where only points, lines and ranges have moved.
    """
    arrays: list[bytes] = []
    known: dict[int, dict[str, list[int]]] = {}
    count = 0

    def packed(value: Any) -> Any:
        nonlocal count
        if not _is_flat(value):
            return _plain(value)
        if id(value) not in known:  # traces share their x
            width = value.shape[1] if value.ndim == 2 else 0
            known[id(value)] = {"$": [count, value.size, width]}
            arrays.append(_floats(value))
            count += value.size
        return known[id(value)]

    text = _dump(chart, packed)
    style = [
        [_without(_MOVES, trace) for trace in chart["data"]],
        {
            name: _without(("range",), part) if _AXIS.fullmatch(name) else part
            for name, part in chart["layout"].items()
        },
    ]
    looks = _dump(
        style, lambda value: _digest(_floats(value)) if _is_flat(value) else _plain(value)
    )
    return text, _digest(looks), arrays, count


def _is_flat(value: Any) -> bool:
    """Whether this is an array whose numbers travel as they lie in memory."""
    return isinstance(value, np.ndarray) and value.dtype.kind in "fiu" and value.ndim <= 2


def _floats(values: npt.NDArray[Any]) -> bytes:
    """Four bytes a number, NaN and infinities kept."""
    with np.errstate(over="ignore"):  # past float32's range a chart has no pixel to show
        return values.astype("<f4").tobytes()


def _without(names: Collection[str], part: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in part.items() if name not in names}


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=9).hexdigest()


def _plain(value: Any) -> Any:
    """What JSON does not know, replaced by something it does."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"A lab's frame cannot hold {type(value).__name__}")


def _dump(value: Any, default: Callable[[Any], Any] = _plain) -> bytes:
    """JSON; a number that is not finite becomes null."""
    try:
        return orjson.dumps(value, default)
    except orjson.JSONEncodeError:
        return orjson.dumps(_mended(value), default)


def _mended(value: Any) -> Any:
    """The same with whole characters alone, and with numbers and names that JSON has everywhere."""
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, int) and abs(value) >> 63:
        return float(value)
    if isinstance(value, Mapping):
        return {_mended(str(name)): _mended(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_mended(item) for item in value]
    return value
