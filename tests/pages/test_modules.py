"""What the lab's modules decide without a page: run by node, with a clock of the test's."""

import pytest

from tests.support.node import node

# Two requests at most are under way, and the last value is never lost.
FLOW = """
import { deepEqual, equal } from "node:assert/strict";
const { Flow } = await import(process.argv[1]);
const later = (ms) => new Promise((done) => setTimeout(done, ms));
const sent = [];
const busy = [];
const flow = new Flow((seq, moving) => sent.push([seq, moving]), (now) => busy.push(now));

flow.offer(true);
deepEqual(sent, [], "the socket is not open yet");
flow.begin();
flow.offer(true);
flow.offer(true);
deepEqual(sent, [[1, true]], "one is under way until an answer has come quickly");
flow.answered(1);
flow.offer(true);
deepEqual(sent.slice(1), [[2, true], [3, true]], "then there may be two");
flow.offer(true);
flow.offer(false);
equal(sent.length, 3);
equal(flow.isNewest(3), false);
flow.answered(3);
deepEqual(sent[3], [4, false], "of those that waited the last one goes");
flow.answered(2);
equal(flow.answeredSeq, 3, "an old answer counts for nothing");

deepEqual(busy.includes(true), false);
await later(400);
equal(busy.at(-1), true);
flow.answered(4);
equal(busy.at(-1), false);
flow.offer(true);
flow.offer(true);
equal(sent.length, 5, "after a slow answer one at a time");
equal(flow.isQuiet(), false);

flow.lose();
flow.begin();
deepEqual(sent.at(-1), [6, true], "what was lost with the socket is asked again");
flow.answered(6);
equal(flow.isQuiet(), true);
equal(flow.isNewest(6), true);
"""
# A socket that broke is tried again, and one that says nothing is given up in time.
SOCKET = """
import assert, { deepEqual, equal } from "node:assert/strict";
import { mock } from "node:test";
mock.timers.enable({ apis: ["setTimeout"] });
Math.random = () => 1; // the longest waits
let now = 0;
let isThere = true;
let tried = []; // when nobody was there
const sockets = [];
const page = new EventTarget();
globalThis.addEventListener = page.addEventListener.bind(page);
globalThis.document = { baseURI: "http://lab.example/" };
globalThis.fetch = async () => {
  if (isThere) return { status: 404 };
  tried.push(now);
  throw new Error("away");
};
globalThis.WebSocket = class {
  static OPEN = 1;
  readyState = 0;
  constructor() {
    sockets.push(this);
    if (isThere) return;
    tried.push(now);
    queueMicrotask(() => this.onclose({ code: 1006 }));
  }
  open() {
    this.readyState = 1;
    this.onopen();
  }
  close() {
    this.readyState = 2; // nobody answers a farewell
  }
};
const pass = async (ms) => {
  for (const end = now + ms; now < end; ) {
    now += 50;
    mock.timers.tick(50);
    await new Promise(setImmediate);
  }
};
const { LabSocket } = await import(process.argv[1]);
const heard = { opened: 0, lost: 0, aside: 0 };
const count = (name) => () => (heard[name] += 1);
const handlers = { opened: count("opened"), lost: count("lost"), aside: count("aside") };
const socket = new LabSocket("labs", handlers);
const newest = () => sockets.at(-1);
newest().open();

isThere = false;
newest().onclose({ code: 1006 });
await pass(3000);
deepEqual(tried, [200, 600, 1400, 2900]);
isThere = true;
await pass(3000);
newest().open();
equal(heard.opened, 2);
const before = heard.lost;

socket.expect();
newest().onmessage({ data: "{}" });
await pass(25_000);
equal(heard.aside, 1);
socket.expect();
await pass(19_000);
equal(heard.lost, before, "an answer showed that somebody was there");
const silent = newest();
await pass(2000);
equal(heard.lost, before + 1, "for twenty seconds nothing came");
silent.onclose({ code: 1006 });
equal(heard.lost, before + 1, "it was given up before");
newest().open();
equal(heard.opened, 3);

page.dispatchEvent(new Event("offline"));
equal(heard.lost, before + 2);
const gone = newest();
page.dispatchEvent(new Event("online"));
assert(newest() !== gone, "at once");
newest().open();

socket.stop();
const inAll = sockets.length;
newest().onclose({ code: 1006 });
await pass(20_000);
equal(sockets.length, inAll, "the lab has left");
"""
# A slider goes by round numbers and stays within its bounds.
SCALE = """
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
# Undo keeps so many steps, the newest ones.
UNDO = """
import { deepEqual, equal } from "node:assert/strict";
const { Undo } = await import(process.argv[1]);
const undo = new Undo();
for (let step = 0; step < 500; step++) undo.remember({ program: String(step) });
equal(undo.past.length, 100);
const steps = ["undo", "undo", "redo"].map((word) => undo.go(word).program);
deepEqual(steps, ["498", "497", "498"]);
"""
SCRIPTS = {
    "state/flow": FLOW,
    "wire/socket": SOCKET,
    "controls/scale": SCALE,
    "state/undo": UNDO,
}


@pytest.mark.parametrize("module", SCRIPTS)
def test_a_module_alone(module: str) -> None:
    node(SCRIPTS[module], f"live/{module}.js")
