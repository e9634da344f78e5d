"""What the playground's undo keeps is bounded; run by node."""

import json

from tests.support.node import node

SCRIPT = """
const { Undo } = await import(process.argv[1]);
const undo = new Undo();
for (let step = 0; step < 500; step++) undo.remember({ program: String(step) });
console.log(JSON.stringify([undo.past.length, undo.go("undo"), undo.go("undo"), undo.go("redo")]));
"""


def test_undo_keeps_so_many_steps_the_newest_ones():
    count, *steps = json.loads(node(SCRIPT, "live/state/undo.js"))
    assert count == 100
    assert steps == [{"program": "498"}, {"program": "497"}, {"program": "498"}]
