"""What the playground's undo keeps is bounded, whatever a form's size; run by node."""

import json

from tests.support.node import node

SCRIPT = """
const { Undo } = await import(process.argv[1]);
const kept = (steps, size) => {
  const undo = new Undo();
  const form = (step) => ({ program: String(step).padEnd(size, ".") });
  for (let step = 0; step < steps; step++) undo.remember(form(step));
  const characters = undo.past.reduce((sum, form) => sum + form.program.length, 0);
  return [undo.past.length, characters, undo.go("undo")?.program.slice(0, 3)];
};
console.log(JSON.stringify([kept(500, 10), kept(200, 100_000), kept(3, 5_000_000)]));
"""


def test_undo_keeps_so_many_steps_and_so_many_characters():
    small, large, one_too_large = json.loads(node(SCRIPT, "undo.js"))
    assert small == [200, 2_000, "498"]
    assert large == [40, 4_000_000, "198"], "the newest are kept"
    assert one_too_large == [0, 0, None]
