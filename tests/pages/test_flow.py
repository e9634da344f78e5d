"""When the browser asks: two requests at most are under way, and the last value is never lost.

The browser's own module says it, run by node without a browser.
"""

from tests.support.node import node

SCRIPT = """
import { deepEqual, equal } from "node:assert/strict";
const { Flow } = await import(process.argv[1]);
const later = (ms) => new Promise((done) => setTimeout(done, ms));
const sent = [];
const busy = [];
const flow = new Flow((seq, live) => sent.push([seq, live]), (now) => busy.push(now));

flow.offer(true);
deepEqual(sent, [], "the line is not open yet");
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
deepEqual(sent.at(-1), [6, true], "what was lost with the line is asked again");
flow.answered(6);
equal(flow.isQuiet(), true);
equal(flow.isNewest(6), true);
"""


def test_two_requests_at_most_and_the_last_value_wins():
    node(SCRIPT, "live/state/flow.js")
