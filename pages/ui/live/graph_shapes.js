// The pieces that the graph's drawing is put together from, as SVG.

import { svg } from "./dom.js";

/** @type {Record<string, string | undefined>} */
export const MARKS = { overridden: "ƒ", reversed: "↺", scaled: "×", clipped: "⊓", surrogate: "≈", stopped: "■" };
// Two handles and two blades, around (0, 0), open to the right.
const SCISSORS = "M-7-3.5a2.2 2.2 0 1 0 0.1 0M-7 4a2.2 2.2 0 1 0 0.1 0M-4.6-0.6L7 4.5M-4.6 1.4L7-4.5";
// An arrowhead whose tip is at (0, 0) and points down, as a value goes; a gradient's points up.
const HEAD = "M0 0L-4-8L4-8Z";

/** @typedef {import("./messages.d.ts").GraphEdge["route"]} Route */

/** @param {string} id */
export function nodeGroup(id) {
  const parts = [svg("rect", ""), svg("text", "gl-lines"), svg("text", "gl-mark")];
  return svg("g", "gl-node", { "data-id": id, role: "img", tabindex: "-1" }, ...parts);
}

/** @param {string} id */
export function edgeGroup(id) {
  return svg(
    "g", "gl-edge", { "data-id": id, tabindex: "-1" },
    svg("path", "gl-hit"),
    svg("path", "gl-way"),
    svg("path", "gl-sent"),
    svg("path", "gl-forth", { d: HEAD }),
    svg("path", "gl-back", { d: HEAD }),
    svg("rect", "gl-plate", { rx: 3 }),
    svg("text", "gl-gradient"),
    svg("g", "gl-how", {}, svg("circle", "", { r: 7.5 }), svg("text", "")),
    svg("g", "gl-scissors", {}, svg("circle", "", { r: 11 }), svg("path", "", { d: SCISSORS })),
  ); // prettier-ignore
}

/**
 * Through all points of the route, upright at each.
 * @param {Route} route
 */
export function curve(route) {
  let path = `M${route[0]}`;
  for (let i = 1; i < route.length; i++) {
    const [[x, y], [toX, toY]] = [route[i - 1], route[i]];
    const middle = (y + toY) / 2;
    path += x === toX ? `L${toX},${toY}` : `C${x},${middle} ${toX},${middle} ${toX},${toY}`;
  }
  return path;
}

/**
 * The paper behind a number, so that no line runs through it.
 * @param {string} text
 * @param {number} x
 * @param {number} y
 */
export function plate(text, x, y) {
  const width = text ? text.length * 6.7 + 6 : 0;
  return { x: x - width / 2, y: y - 8, width, height: 16 };
}

/**
 * An edge or a box in small, for the legend.
 * @param {string} key
 */
export function swatch(key) {
  if (key === "stale") {
    const box = svg("g", "gl-node", { "data-stale": "true" }, svg("rect", "", { x: 7, y: 2, width: 34, height: 14, rx: 4 }));
    return svg("svg", "gl-swatch", { viewBox: "0 0 48 18", "aria-hidden": "true" }, box);
  }
  const signs = ["positive", "negative", "zero", "nan"];
  const named = signs.includes(key) ? { "data-state": "flowing", "data-sign": key } : { "data-state": key, "data-sign": "positive" };
  const group = svg("g", "gl-edge", { ...named, "data-shown": "true", ...(key === "cut" && { "data-cut": "true" }) });
  group.append(svg("path", "gl-way", { d: "M2,9H46" }), svg("path", "gl-sent", { d: "M2,9H46", "stroke-width": 2.6 }));
  if (MARKS[key]) group.append(svg("g", "gl-how", { transform: "translate(24 9)" }, svg("circle", "", { r: 7.5 }), svg("text", "", {}, MARKS[key])));
  if (key === "cut") group.append(svg("g", "gl-scissors", { transform: "translate(24 9) scale(0.8)" }, svg("circle", "", { r: 11 }), svg("path", "", { d: SCISSORS })));
  return svg("svg", "gl-swatch", { viewBox: "0 0 48 18", "aria-hidden": "true" }, group);
}
