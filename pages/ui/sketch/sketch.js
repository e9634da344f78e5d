// The lab's chart, to draw in by hand. Once graded, the same chart stands still, and the computed curve
// is drawn over the sketch.

import { HIGH, WIDE, frame, places } from "./axes.js";
import { still } from "./graded.js";
import { moving } from "./handles.js";
import { svg } from "./svg.js";

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
 * @typedef {{what: string, commit: (text: string) => void}} Box
 */

/** @type {WeakMap<Element, Box>} */
const boxes = new WeakMap();

/** @param {Component<Sketch>} component */
export default function (component) {
  const { parentElement, data, setTriggerValue } = component;
  const root = /** @type {Element} */ (parentElement.querySelector(".gt-sketch"));
  const what = JSON.stringify(data);
  let box = boxes.get(root);
  // A run of the page that changes nothing here must not take away what is half drawn.
  if (!box || box.what !== what) boxes.set(root, (box = build(root, data, what)));
  box.commit = (text) => setTriggerValue("commit", text);
}

/**
 * @param {Element} root
 * @param {Sketch} data
 * @param {string} what
 * @returns {Box}
 */
function build(root, data, what) {
  const box = { what, commit: () => {} };
  const at = places(data);
  const drawing = svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "gt-sketch-chart" });
  drawing.append(frame(data, at));
  if (data.graded) {
    root.replaceChildren(drawing, ...still(drawing, data, data.graded, at));
  } else {
    root.replaceChildren(drawing, ...moving(drawing, data, at, box));
  }
  return box;
}
