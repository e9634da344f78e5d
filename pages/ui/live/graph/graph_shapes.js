// The pieces of the graph's drawing, as SVG, and where they go.

import { setAll, setText, svg } from "../dom.js";

/** @import { BoxPlace, EdgePlace, GraphEdge, GraphNode, GraphSpec } from "../messages.d.ts" */
/** @typedef {EdgePlace["route"]} Route */
/**
 * A graph with the place of each node and edge.
 * @typedef {Omit<GraphSpec, "nodes" | "edges"> & {right: boolean, width: number, height: number,
 *   nodes: (GraphNode & BoxPlace)[], edges: (GraphEdge & EdgePlace)[]}} Laid
 */

/** @type {Record<string, string | undefined>} */
export const MARKS = { overridden: "ƒ", reversed: "↺", scaled: "×", clipped: "⊓", surrogate: "≈", stopped: "■" };
export const NUMBER_WIDTH = 72; // px for a number, as lessons/gradient_tricks/recorder/picture/places.py counts them
const [MOST_WIDTH, MOST_HEIGHT] = [810, 480]; // px of a drawing from left to right, as counted there, too
const CORNER_RADIUS = 40; // px, the radius of a corner
const LINE_OFFSET = 5; // px from the middle of an edge to its forward line, and to its backward line
// Two handles and two blades, around (0, 0), open to the right.
const SCISSORS = "M-7-3.5a2.2 2.2 0 1 0 0.1 0M-7 4a2.2 2.2 0 1 0 0.1 0M-4.6-0.6L7 4.5M-4.6 1.4L7-4.5";
// An arrowhead whose tip is at (0, 0) and points to the right.
const HEAD = "M0 0L-10-6L-10 6Z";

/** Whether the drawing from left to right may be shown without scrolling; with brackets it is made smaller. @param {GraphSpec} spec */
export function fitsWide({ wide, brackets }) {
  return wide !== null && (brackets !== undefined || (wide.width <= MOST_WIDTH && wide.height <= MOST_HEIGHT));
}

/** @param {GraphSpec} spec  @param {boolean} isUpright  @returns {Laid} */
export function laid(spec, isUpright) {
  const { right, width, height, nodes, edges } = (!isUpright && spec.wide) || spec.narrow;
  return {
    ...spec, right, width, height,
    nodes: spec.nodes.map((node, place) => ({ ...node, ...nodes[place] })),
    edges: spec.edges.map((edge, place) => ({ ...edge, ...edges[place] })),
  }; // prettier-ignore
}

/** @param {string} id */
export function nodeGroup(id) {
  const parts = [svg("rect", "gl-box"), svg("text", "gl-lines"), pill("gl-value"), svg("text", "gl-mark")];
  return svg("g", "gl-node", { "data-id": id, role: "img", tabindex: "-1" }, ...parts);
}

/** @param {string} id */
export function edgeGroup(id) {
  return svg(
    "g", "gl-edge", { "data-id": id, tabindex: "-1" },
    svg("path", "gl-way"),
    svg("path", "gl-sent"),
    svg("path", "gl-forth", { d: HEAD }),
    svg("path", "gl-back", { d: HEAD }),
    pill("gl-gradient"),
    svg("g", "gl-how", {}, svg("circle", "", { r: 9 }), svg("text", "")),
    svg("g", "gl-scissors", {}, svg("circle", "", { r: 13 }), svg("path", "", { d: SCISSORS })),
  ); // prettier-ignore
}

/** The gradient that another variant sends along an edge. */
export function otherGroup() {
  return svg("g", "gl-edge gl-other", {}, svg("path", "gl-sent"), svg("path", "gl-back", { d: HEAD }), pill("gl-gradient"));
}

/** A number on paper, so that no line runs through it. @param {string} name  of its text */
export function pill(name) {
  return svg("g", "", {}, svg("rect", "gl-plate"), svg("text", name));
}

/**
 * @param {Element} group  a pill
 * @param {string} text
 * @param {number} x
 * @param {number} y
 * @returns px, its width
 */
export function write(group, text, x, y) {
  const size = Math.min(20, Math.max(15, 120 / text.length));
  const width = text ? Math.max(34, 12 + text.length * size * 0.5) : 0; // PILL of places.py at most
  setAll(group.children[0], { x: x - width / 2, y: y - 14, width, height: 28, rx: 14 });
  setAll(group.children[1], { x, y, "font-size": size });
  setText(group.children[1], text);
  return width;
}

/**
 * The offset of an edge's line back. The line forward has the opposite one; between the gradients of
 * two variants it has none.
 * @param {boolean} right
 * @param {number} [apart]
 */
export function aside(right, apart = LINE_OFFSET) {
  return right ? [0, apart] : [apart, 0];
}

/** Through all points of the route, its corners made round. @param {Route} route */
export function curve(route) {
  let path = `M${route[0]}`;
  for (let i = 1; i < route.length - 1; i++) {
    const [x, y] = route[i];
    const [before, after] = [route[i - 1], route[i + 1]].map(([toX, toY]) => {
      const far = Math.hypot(toX - x, toY - y) || 1;
      const by = Math.min(CORNER_RADIUS, far / 2) / far;
      return [x + (toX - x) * by, y + (toY - y) * by];
    });
    path += `L${before}Q${x},${y} ${after}`;
  }
  return `${path}L${route[route.length - 1]}`;
}
