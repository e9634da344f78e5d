"""What crosses the wire between a lab and the browser, without a browser."""

from __future__ import annotations

import base64
import json
import threading
from pathlib import Path

import numpy as np
import pytest

from pages.ui.live import assets, wire


def test_a_change_comes_through_as_it_was_sent() -> None:
    raw = {"seq": 3, "live": True, "values": {"x": "-2, -1"}}
    assert wire.read_change(raw) == wire.Change(3, True, {"x": "-2, -1"})


@pytest.mark.parametrize(
    "raw",
    [
        None,
        [],
        "text",
        {},
        {"seq": 1, "live": True},
        {"seq": "1", "live": True, "values": {}},
        {"seq": True, "live": True, "values": {}},
        {"seq": 1.5, "live": True, "values": {}},
        {"seq": -1, "live": True, "values": {}},
        {"seq": 2**60, "live": True, "values": {}},
        {"seq": 1, "live": 1, "values": {}},
        {"seq": 1, "live": True, "values": []},
        {"seq": 1, "live": True, "values": {"x": 1}},
        {"seq": 1, "live": True, "values": {"x": "1" * (wire.MAX_TEXT + 1)}},
        {"seq": 1, "live": True, "values": {"x" * 101: "1"}},
        {"seq": 1, "live": True, "values": {f"x{n}": "" for n in range(wire.MAX_NAMES + 1)}},
    ],
)
def test_a_malformed_change_counts_as_nothing(raw: object) -> None:
    assert wire.read_change(raw) is None


def test_figures_travel_as_float32_with_nan_kept() -> None:
    values = np.array([1.5, np.nan, np.inf])
    figure = {"data": [{"x": values, "y": [float("nan"), np.float64(2)]}], "layout": {}}
    message = json.loads(wire.encode({"seq": 0, "figures": [{"id": "a", "figure": figure}]}))
    trace = message["figures"][0]["figure"]["data"][0]
    assert trace["x"]["dtype"] == "f4"
    sent = np.frombuffer(base64.b64decode(trace["x"]["bdata"]), "<f4")
    np.testing.assert_array_equal(sent, values.astype("f4"))
    assert trace["y"] == [None, 2.0]


def test_the_digest_tells_figures_apart() -> None:
    def digest(y: float) -> str:
        figure = {"data": [{"y": np.array([y])}], "layout": {}}
        return json.loads(wire.encode({"figures": [{"figure": figure}]}))["figures"][0]["digest"]

    assert digest(1.0) == digest(1.0)
    assert digest(1.0) != digest(2.0)


def test_a_lone_surrogate_or_nan_in_text_and_numbers_is_still_valid_json() -> None:
    sent = wire.encode({"seq": 1, "status": "\ud800", "groups": [{"min": float("-inf")}]})
    assert json.loads(sent.decode("utf-8"))["groups"] == [{"min": None}]


def test_preparing_twice_and_at_once_leaves_whole_files_only(tmp_path: Path) -> None:
    threads = [threading.Thread(target=assets.prepare, args=(tmp_path,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(tmp_path.rglob(".part-*")) == []
    script = next(tmp_path.glob("plotly-*/plotly.min.js"))
    assert not script.is_symlink()
    assert script.stat().st_size > 1_000_000
    entry = tmp_path / assets.LIVE_FOLDER / "lab.js"
    assert {file.stat().st_mtime for file in (script, entry)} == {assets.LONG_AGO}
    before = entry.stat().st_mtime_ns
    assets.prepare(tmp_path)
    assert entry.stat().st_mtime_ns == before
