// The gradient on its way, drawn over the graph: a line that grows from an op back to what it reads,
// its front a dot.

import { setChildren, setOrRemove, svg } from "./dom.js";
import { aside, curve, pill, write } from "./graph_shapes.js";

/** @import { Pulse } from "./graph_pulse.js" */

const FRONT = 2.5; // px by which the front is thicker than its line

export class Flight {
  constructor() {
    this.layer = svg("g", "gl-flight", { "aria-hidden": "true" }); // the stepper says it in words
  }

  /** @param {Pulse[]} pulses  @param {boolean} right */
  show(pulses, right) {
    setOrRemove(this.layer, "transform", `translate(${aside(right)})`);
    const drawn = pulses.map((_, place) => this.layer.children[place] ?? pulseGroup());
    setChildren(this.layer, drawn);
    drawn.forEach((group, place) => fill(group, pulses[place]));
  }
}

function pulseGroup() {
  const parts = [svg("path", "", { pathLength: 1 }), svg("circle", "gl-front"), pill("gl-gradient")];
  return svg("g", "gl-pulse", {}, ...parts);
}

/** @param {Element} group  @param {Pulse} pulse */
function fill(group, { edge, route, share, width, sign, text }) {
  const path = /** @type {SVGPathElement} */ (group.children[0]);
  const front = group.children[1];
  setOrRemove(group, "data-sign", sign);
  setOrRemove(group, "data-cut", edge.state === "cut" ? "true" : null);
  setOrRemove(path, "d", curve(route));
  setOrRemove(path, "stroke-dasharray", `${share} 2`);
  setOrRemove(path, "stroke-width", width);
  const seen = width > 0 && share > 0;
  setOrRemove(path, "visibility", seen ? null : "hidden");
  setOrRemove(front, "visibility", seen ? null : "hidden");
  if (seen) {
    const { x, y } = path.getPointAtLength(share * path.getTotalLength());
    for (const [name, value] of Object.entries({ cx: x, cy: y, r: width / 2 + FRONT })) setOrRemove(front, name, value);
  }
  write(group.children[2], text, edge.x, edge.y);
}
