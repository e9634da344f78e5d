// Where the backward pass is after a number of steps: which edges have sent their gradient, which
// nodes have been passed, which still wait. Reads the picture's steps and nothing else.

/** @import { GraphSpec } from "../messages.d.ts" */

/**
 * @typedef {Object} Reached
 * @property {Set<string>} shown  edges, by id
 * @property {Map<string, {state: "current"|"waiting"|"passed", mark: string}>} nodes  by id; those
 *   that are not in it have not been touched
 */

/**
 * @param {GraphSpec} spec
 * @param {number} step  how many steps have been taken
 * @param {boolean} [landed]  whether what the last one sent has arrived
 * @returns {Reached}
 */
export function reached(spec, step, landed = true) {
  /** @type {Reached["shown"]} */
  const shown = new Set();
  /** @type {Reached["nodes"]} */
  const nodes = new Map();
  spec.steps.slice(0, step).forEach((taken, place) => {
    for (const part of taken.parts) shown.add(part.edge);
    if (taken.kind === "stopped") {
      for (const edge of spec.edges) if (edge.to === taken.node) shown.add(edge.id);
    }
    const current = place === step - 1;
    // The output is met at the start and again as an op: it is passed only by the second.
    const state = current ? "current" : taken.kind === "start" ? "waiting" : "passed";
    nodes.set(taken.node, { state, mark: { current: "◆", waiting: "", passed: "✓" }[state] });
  });
  for (const sum of spec.steps[landed ? step - 1 : step - 2]?.waiting ?? []) {
    if (nodes.get(sum.node)?.state === "current") continue;
    nodes.set(sum.node, { state: "waiting", mark: `${sum.arrived}/${sum.total}` });
  }
  if (step === spec.steps.length) {
    for (const edge of spec.edges) shown.add(edge.id);
    for (const [id, { state }] of nodes) if (state === "current") nodes.set(id, { state: "passed", mark: "✓" });
  }
  return { shown, nodes };
}
