// The sketch's axes: where a value stands in the drawing, grid and numbers, the lab's own lines, and
// which line is which.

import { element, svg } from "../live/dom.js";

/** @import { Sketch } from "./sketch.js" */
/** @typedef {ReturnType<typeof places>} Places */

export const WIDTH = 460;
export const HEIGHT = 284;
const EDGE = { left: 52, right: 14, top: 14, bottom: 50 };

/**
 * Where things stand in the drawing, in its own units.
 * @param {Sketch} data
 */
export function places({ x, low, high }) {
  const least = Math.min(...x);
  const reach = Math.max(...x) - least || 1;
  const room = 0.06 * reach; // so that the outer handles stand clear of the frame
  const inner = { wide: WIDTH - EDGE.left - EDGE.right, high: HEIGHT - EDGE.top - EDGE.bottom };
  return {
    across: (/** @type {number} */ value) => EDGE.left + ((value - least + room) / (reach + 2 * room)) * inner.wide,
    up: (/** @type {number} */ value) => EDGE.top + ((high - value) / (high - low)) * inner.high,
    value: (/** @type {number} */ pixel) => high - ((pixel - EDGE.top) / inner.high) * (high - low),
  };
}

/**
 * Grid, numbers and names of the axes. A screen reader has the handles' labels instead.
 * @param {Sketch} data
 * @param {Places} at
 */
export function frame(data, at) {
  const right = WIDTH - EDGE.right;
  const bottom = HEIGHT - EDGE.bottom;
  const group = svg("g", "", { "aria-hidden": "true" });
  for (const { y, label } of data.ticks) {
    const place = at.up(y);
    const line = { x1: EDGE.left, x2: right, y1: place, y2: place };
    group.append(
      svg("line", y === 0 ? "gt-zero" : "gt-grid", line),
      svg("text", "", { x: EDGE.left - 8, y: place + 5, "text-anchor": "end" }, label),
    );
  }
  data.x.forEach((x, index) => {
    const place = at.across(x);
    group.append(
      svg("line", "gt-grid", { x1: place, x2: place, y1: EDGE.top, y2: bottom }),
      svg("text", "", { x: place, y: bottom + 24, "text-anchor": "middle" }, data.names[index]),
    );
  });
  const middle = (EDGE.top + bottom) / 2;
  const turned = { transform: `rotate(-90 13 ${middle})`, "text-anchor": "middle" };
  group.append(
    svg("text", "", { x: 13, y: middle + 4, ...turned }, data.label),
    svg("text", "", { x: (EDGE.left + right) / 2, y: HEIGHT - 6, "text-anchor": "middle" }, "x"),
  );
  for (const { stretches, role, dash } of data.lines) {
    const d = stretches.map(({ x, y }) => {
      const points = x.map((one, index) => [at.across(one), at.up(y[index])]);
      return dash === "ticks" ? ticks(points) : path(points);
    });
    group.append(svg("path", "", { d: d.join(""), "data-dash": dash, style: colour(role) }));
  }
  return group;
}

/** An SVG path through these points. @param {number[][]} points */
export function path(points) {
  return points.map(([x, y], at) => `${at ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}

/** Mark points with ticks, as the lab's charts mark a target. @param {number[][]} points */
function ticks(points) {
  return points.map(([x, y]) => `M${x.toFixed(1)} ${(y - 5).toFixed(1)}v10`).join("");
}

/** @param {string} role */
export function colour(role) {
  return `color: var(--role-${role}); --gl-role: var(--role-${role})`;
}

/**
 * Which line is which: the marks of this chart, then the lab's own lines.
 * @param {Sketch} data
 * @param {[string, string, string][]} marks  each with its style and its name
 */
export function key({ lines }, marks = []) {
  return element(
    "p", "gl-key", {},
    ...marks.map(([mark, style, name]) => element("span", "gl-entry", {}, element("b", "", { style, "aria-hidden": "true" }, mark), name)),
    ...lines.map(({ role, dash, label }) => element("span", "gl-entry", {}, element("i", "gl-line", { "data-dash": dash, style: colour(role) }), label)),
  ); // prettier-ignore
}
