// The lab's chart, to draw in by hand. Once graded, the same chart stands still, and the computed curve
// is drawn over the sketch.

import { svg } from "../live/dom.js";
import { HEIGHT, WIDTH, frame, places } from "./axes.js";
import { still } from "./graded.js";
import { moving } from "./handles.js";

/** @import { Component } from "../component.d.ts" */

/**
 * What the page sends.
 * @typedef {Object} Sketch
 * @property {number[]} x        where the handles stand
 * @property {string[]} names    the same as text
 * @property {number} low        the least value that can be drawn
 * @property {number} high       the greatest
 * @property {number} levels     steps from the one to the other
 * @property {string} label
 * @property {{y: number, label: string}[]} ticks
 * @property {{stretches: Curve[], role: string, dash: string, label: string}[]} lines  the lab's, uncovered
 * @property {Graded | null} graded
 *
 * @typedef {Object} Graded
 * @property {number[]} sketch
 * @property {number[]} computed
 * @property {Curve} whole  the computed curve, between the handles too
 * @property {number} widest  the handle that is furthest from it
 * @property {string} gap  how far off that one is
 * @property {string} role
 * @property {string} label
 * @property {string} alt
 *
 * @typedef {{x: number[], y: number[]}} Curve
 */

/** @type {WeakMap<Element, string>} */
const drawn = new WeakMap();
/** @type {(text: string) => void} */
let commit;

/** For pages/ui/sketch/__init__.py. @param {Component<Sketch>} component */
export function render({ parentElement, data, setTriggerValue }) {
  const root = /** @type {Element} */ (parentElement.querySelector(".gt-sketch"));
  commit = (text) => setTriggerValue("commit", text);
  // A run of the page that changes nothing here must not take away what is half drawn.
  const what = JSON.stringify(data);
  if (drawn.get(root) === what) return;
  drawn.set(root, what);
  const at = places(data);
  const drawing = svg("svg", "gt-sketch-chart", { viewBox: `0 0 ${WIDTH} ${HEIGHT}` }, frame(data, at));
  const below = data.graded ? still(drawing, data, data.graded, at) : moving(drawing, data, at, (text) => commit(text));
  root.replaceChildren(drawing, ...below);
}
