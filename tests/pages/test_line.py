"""The lab's line to the server: when it is tried again, and when it counts as dead; the browser's
own module, run by node with a clock of the test's.
"""

from tests.support.node import node

SCRIPT = """
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
const { Line } = await import(process.argv[1]);
const heard = { opened: 0, lost: 0, aside: 0 };
const count = (name) => () => (heard[name] += 1);
const handlers = { opened: count("opened"), lost: count("lost"), aside: count("aside") };
const line = new Line("labs", handlers);
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

line.expect();
newest().onmessage({ data: "{}" });
await pass(25_000);
equal(heard.aside, 1);
line.expect();
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

const full = newest();
full.onclose({ code: 1013 });
await pass(9900);
equal(newest(), full, "a full server is left alone for ten seconds");
await pass(200);
assert(newest() !== full);
line.stop();
const inAll = sockets.length;
newest().onclose({ code: 1006 });
await pass(20_000);
equal(sockets.length, inAll, "the lab has left");
"""


def test_a_line_is_tried_again_and_given_up_in_time():
    node(SCRIPT, "live/wire/socket.js")
