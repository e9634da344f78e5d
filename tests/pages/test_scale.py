"""Sliders: keys, places on the track and the exact number; run by node."""

from tests.support.node import node

SCRIPT = """
import { equal } from "node:assert/strict";
const { fromPosition, keyed, nearest, slid, toPosition, withEntry } =
  await import(process.argv[1]);
const log = { min: 1, max: 1e6, step: 1, scale: "log" };
const linear = { min: 0, max: 3, step: 0.01, scale: "linear" };
let value = 1000;
for (const pair of ["ArrowRight 2000", "ArrowLeft 1000", "ArrowLeft 900", "ArrowUp 1000",
    "PageUp 10000", "PageDown 1000", "Home 1", "ArrowLeft 1", "ArrowRight 2", "End 1000000",
    "ArrowRight 1000000", "ArrowLeft 900000"]) {
  const [key, next] = pair.split(" ");
  equal(keyed(log, value, key), next, pair);
  value = Number(next);
}
equal(keyed(log, 12345, "ArrowRight"), "20000");
equal(keyed(log, 1000, "Tab"), null);
for (const [one, place] of [[1, 0], [1000, 500], [1e6, 1000]]) {
  equal(toPosition(log, one), place);
  equal(fromPosition(log, place), String(one));
}
equal(fromPosition(log, 501), "1000", "round numbers, where the track is finer than they are");
equal(nearest(linear, 1.2345), "1.23");
equal(nearest(log, 12345), "12000");
equal(slid(linear, 1, 0.5), 2.5);
equal(slid(log, 10, 0.5), 10000);
equal(withEntry("[-2, -1, 1]", 1, "4"), "-2, 4, 1");
"""


def test_a_slider_goes_by_round_numbers_and_stays_within_its_bounds():
    node(SCRIPT, "live/controls/scale.js")
