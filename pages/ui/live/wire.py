"""What crosses the wire between the live lab's two sides, and nothing else.

Out goes one JSON text: arrays as Plotly typed arrays, each figure with a digest so that the
browser redraws only what changed. In comes whatever a browser cares to send: it is checked for
shape, type and size here; whether a value makes sense is for the lesson to say.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

MAX_NAMES = 128
MAX_NAME = 100
MAX_TEXT = 200_000  # ten times what a lesson reads, so that it can say that it is too much
MAX_SEQ = 2**53  # the largest whole number JavaScript counts to without gaps


@dataclass(frozen=True)
class Change:
    """What a learner set: ``live`` while the hand still moves, not live once it rests."""

    seq: int
    live: bool
    values: dict[str, str]


def read_change(raw: object) -> Change | None:
    """The browser's state as a ``Change``; anything malformed or oversized counts as nothing."""
    if not isinstance(raw, Mapping):
        return None
    seq, live, values = raw.get("seq"), raw.get("live"), raw.get("values")
    if type(seq) is not int or not 0 <= seq <= MAX_SEQ or type(live) is not bool:
        return None
    if not isinstance(values, Mapping) or len(values) > MAX_NAMES:
        return None
    for name, text in values.items():
        if not isinstance(name, str) or not isinstance(text, str):
            return None
        if len(name) > MAX_NAME or len(text) > MAX_TEXT:
            return None
    return Change(seq, live, dict(values))


def encode(payload: Mapping[str, Any]) -> bytes:
    """The payload as UTF-8 JSON. NaN and infinities outside arrays become null."""
    message = dict(payload)
    message["figures"] = [_with_digest(figure) for figure in payload.get("figures", ())]
    return _dump(message).encode("utf-8", errors="replace")


def _with_digest(figure: Mapping[str, Any]) -> dict[str, Any]:
    plain = _plain(figure["figure"])
    digest = hashlib.blake2b(_dump(plain).encode("utf-8", errors="replace"), digest_size=12)
    return {**figure, "figure": plain, "digest": digest.hexdigest()}


def _dump(value: Any) -> str:
    return json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _plain(value: Any) -> Any:
    """``value`` with everything JSON does not know replaced by something it does."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    raise TypeError(f"A lab's payload cannot hold {type(value).__name__}")


def _array(values: np.ndarray) -> Any:
    """Numbers as a Plotly typed array: four bytes each, NaN and infinities kept."""
    if values.dtype.kind not in "fiu":
        return _plain(values.tolist())
    with np.errstate(over="ignore"):  # past float32's range a chart has no pixel to show
        data = np.ascontiguousarray(values, dtype="<f4")
    typed: dict[str, Any] = {"dtype": "f4", "bdata": base64.b64encode(data).decode("ascii")}
    if data.ndim > 1:
        typed["shape"] = ", ".join(map(str, data.shape))
    return typed
