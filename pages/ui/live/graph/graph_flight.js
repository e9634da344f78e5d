// The gradient on its way, drawn over the graph: a line that grows from an op back to what it reads,
// its front a dot.

import { fit, setAll, setOrRemove, svg } from "../dom.js";
import { aside, curve, pill, write } from "./graph_shapes.js";

/** @import { Pulse } from "./graph_pulse.js" */

const FRONT_WIDTH = 2.5; // px by which the front is thicker than its line

/** @param {Element} layer  @param {Pulse[]} pulses  @param {boolean} right */
export function showFlight(layer, pulses, right) {
  setOrRemove(layer, "transform", `translate(${aside(right)})`);
  fit(layer, pulses.length, pulseGroup).forEach((group, place) => fill(group, pulses[place]));
}

function pulseGroup() {
  const parts = [svg("path", "", { pathLength: 1 }), svg("circle", "gl-front"), pill("gl-gradient")];
  return svg("g", "gl-pulse", {}, ...parts);
}

/** @param {Element} group  @param {Pulse} pulse */
function fill(group, { edge, route, share, width, sign, text }) {
  const path = /** @type {SVGPathElement} */ (group.children[0]);
  const front = group.children[1];
  const seen = width > 0 && share > 0;
  const visibility = seen ? null : "hidden";
  setAll(group, { "data-sign": sign, "data-cut": edge.state === "cut" ? "true" : null });
  setAll(path, { d: curve(route), "stroke-dasharray": `${share} 2`, "stroke-width": width, visibility });
  const spot = seen ? path.getPointAtLength(share * path.getTotalLength()) : null;
  setAll(front, { cx: spot?.x, cy: spot?.y, r: width / 2 + FRONT_WIDTH, visibility });
  write(group.children[2], text, edge.x, edge.y);
}
