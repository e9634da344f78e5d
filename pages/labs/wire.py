"""A frame as bytes: a head, one JSON text, then every array's numbers as they lie in memory.

The head is three little-endian uint32: the number of the message that is answered, what follows
(0 a frame, 1 a picture of a training), and the length of the JSON in bytes, a multiple of four. An
array stands in its chart as ``{"$": [place, count, width]}``: float32, counted in numbers, the
place from where the chart's begin (``start``); width is that of a row, 0 for a flat one. Where it
is not what places things on the chart, a digest stands beside it.
"""

import hashlib
import json
import math
import re
import struct
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

FRAME, PICTURE = 0, 1
_AXIS = re.compile(r"[xy]axis\d*")
_HEAD = struct.Struct("<III")
_PLACES = ("x", "y")
_PLAIN = frozenset({str, int, bool, type(None)})
"""What JSON writes as it is."""
_MOVES = (*_PLACES, "text", "hovertemplate", "meta")
"""What changes while one drags, the axes' ranges apart; all else in a chart is its style. What is
said under a pointer can wait until the hand rests; what can be dragged is not drawn."""


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
        packer = _Packer()
        plain = packer.plain(figure["figure"])
        chart = _dump(plain)
        digest = _digest(b"".join([chart.encode("utf-8", errors="replace"), *packer.arrays]))
        head = {name: value for name, value in figure.items() if name != "figure"}
        head |= {"digest": digest, "style": _style(plain), "start": count}
        drawn[figure["id"]] = digest
        text = _text(head)
        if have.get(figure["id"]) != digest:
            text = f'{text[:-1]},"figure":{chart}}}'
            blocks += packer.arrays
            count += packer.count
        charts.append(text)
    parts = [f'"figures":[{",".join(charts)}]']
    for name, part in message.items():
        if name in ("graph", "code") and isinstance(part, Mapping):
            parts.append(f'"{name}":{_once(name, part, have)}')
        elif name != "figures":
            parts.append(_text({name: part})[1:-1])
    content = f"{{{','.join(parts)}}}".encode(errors="replace")
    content += b" " * (-len(content) % 4)
    return struct.pack("<I", len(content)) + content + b"".join(blocks)


def addressed(seq: int, encoded: bytes, what: int = FRAME) -> bytes:
    """The whole message."""
    return struct.pack("<II", seq, what) + encoded


def decode(message: bytes) -> tuple[int, int, dict[str, Any]]:
    """Number, kind and content, arrays as float32; for tests and for clients in Python."""
    seq, what, length = _HEAD.unpack_from(message)
    start = _HEAD.size + length
    numbers = np.frombuffer(message, "<f4", offset=start)

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

    body = json.loads(message[_HEAD.size : start])
    for figure in body["figures"]:
        figure |= (
            {"figure": filled(figure["figure"], figure["start"])} if "figure" in figure else {}
        )
    return seq, what, body


def _once(name: str, part: Mapping[str, Any], have: Mapping[str, str]) -> str:
    """The part with its digest, as JSON; nothing but the digest where the browser has it."""
    digest = part.get("digest")
    if digest and have.get(name) == digest:
        return _dump({"digest": digest})
    text = _text(part)
    if digest:
        return text
    digest = _digest(text.encode("utf-8", errors="replace"))
    said = _dump({"digest": digest})
    return said if have.get(name) == digest else f"{text[:-1]}{',' if part else ''}{said[1:]}"


def _style(chart: Mapping[str, Any]) -> str:
    """A digest of all but what moves: the same where only points, lines and axes have moved."""
    traces = [_without(_MOVES, trace) for trace in chart["data"]]
    layout = {
        name: _without(("range",), part) if _AXIS.fullmatch(name) else part
        for name, part in chart["layout"].items()
    }
    return _digest(_dump([traces, layout]).encode("utf-8", errors="replace"))


def _without(names: Collection[str], part: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in part.items() if name not in names}


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=9).hexdigest()


def _text(part: Mapping[str, Any]) -> str:
    """What holds no arrays, as JSON. Nearly always it is plain already, and a graph is long."""
    try:
        return _dump(part)
    except (TypeError, ValueError):  # a number of numpy's, or one that is not finite
        return _dump(_Packer().plain(part))


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


class _Packer:
    """Collects arrays while a message is made plain."""

    def __init__(self) -> None:
        self.arrays: list[bytes] = []
        self.count = 0

    def plain(self, value: Any, place: bool = False) -> Any:
        """``value`` with everything JSON does not know replaced by something it does.

        ``place`` says that these are places on a chart, which no style depends on.
        """
        kind = type(value)
        if kind in _PLAIN:  # by far the most; what only derives from these is asked for below
            return value
        if kind is dict or isinstance(value, Mapping):
            return {
                str(name): item if type(item) in _PLAIN else self.plain(item, name in _PLACES)
                for name, item in value.items()
            }
        if kind is list or kind is tuple or isinstance(value, (list, tuple)):
            return [item if type(item) in _PLAIN else self.plain(item) for item in value]
        if isinstance(value, np.ndarray):
            return self._array(value, place)
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else None
        if isinstance(value, np.generic):
            return self.plain(value.item())
        if isinstance(value, (str, bool, int)):
            return value
        raise TypeError(f"A lab's frame cannot hold {type(value).__name__}")

    def _array(self, values: npt.NDArray[Any], place: bool) -> Any:
        """Four bytes a number, NaN and infinities kept."""
        if values.dtype.kind not in "fiu" or values.ndim > 2:
            return self.plain(values.tolist())
        with np.errstate(over="ignore"):  # past float32's range a chart has no pixel to show
            content = np.ascontiguousarray(values, dtype="<f4").tobytes()
        width = values.shape[1] if values.ndim == 2 else 0
        stands: dict[str, Any] = {"$": [self.count, values.size, width]}
        if not place:
            stands["digest"] = _digest(content)
        self.arrays.append(content)
        self.count += values.size
        return stands
