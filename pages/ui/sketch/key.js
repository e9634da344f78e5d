// Which line is which: a small drawing of each, and its name.

import { element, svg, ticks } from "./svg.js";

/** @import { Sketch } from "./sketch.js" */

/**
 * @param {[SVGElement[], string][]} entries
 */
export function key(entries) {
  const spans = entries.map(([marks, label]) => {
    const small = svg("svg", { viewBox: "0 0 26 18", width: 26, height: 18, "aria-hidden": "true" });
    small.append(...marks);
    return element("span", {}, small, label);
  });
  return element("p", { class: "gt-sketch-key" }, ...spans);
}

/**
 * @param {Sketch} data
 * @returns {[SVGElement[], string][]}
 */
export function ofTheLab({ lines }) {
  return lines.map(({ role, dash, label }) => [
    [svg("path", { d: dash === "ticks" ? ticks([3, 10, 17, 24].map((x) => [x, 9])) : "M0 9H26", class: "gt-lab-line", "data-dash": dash, style: `color: var(--role-${role})` })],
    label,
  ]);
}
