// The gradient on its way, drawn over the graph: a line that grows from an op back to what it reads,
// its front a dot, and the sums where several paths have met.

import { setChildren, setOrRemove, svg } from "./dom.js";
import { bracketed } from "./graph_pulse.js";
import { aside, curve, pill, write } from "./graph_shapes.js";

/** @import { Moment, Pulse } from "./graph_pulse.js" */
/** @import { Laid } from "./graph_shapes.js" */

const FRONT = 2.5; // px by which the front is thicker than its line
const BELOW = 16; // px from a node to the middle of its sum

export class Flight {
  constructor() {
    this.layer = svg("g", "gl-flight", { "aria-hidden": "true" }); // the stepper says it in words
    this.pulses = svg("g", "");
    this.sums = svg("g", "");
    this.layer.append(this.pulses, this.sums);
  }

  /**
   * @param {Moment} moment
   * @param {Laid} spec
   */
  show({ pulses, sums }, { nodes, right }) {
    setOrRemove(this.pulses, "transform", `translate(${aside(right)})`);
    const drawn = pulses.map((_, place) => this.pulses.children[place] ?? pulseGroup());
    setChildren(this.pulses, drawn);
    drawn.forEach((group, place) => fill(group, pulses[place]));
    const written = sums.map((_, place) => this.sums.children[place] ?? pill("gl-sum"));
    setChildren(this.sums, written);
    sums.forEach(({ node: id, parts, total }, place) => {
      const node = nodes.find((one) => one.id === id);
      if (!node) return;
      const terms = parts.map(({ value }) => bracketed(value ?? "?")).join(" + ");
      write(written[place], `${terms} = ${total}`, node.x, node.y + node.height / 2 + (right ? 2 : 1) * BELOW);
    });
  }
}

function pulseGroup() {
  const parts = [svg("path", "", { pathLength: 1 }), svg("circle", "gl-front"), pill("gl-gradient")];
  return svg("g", "gl-pulse", {}, ...parts);
}

/**
 * @param {Element} group
 * @param {Pulse} pulse
 */
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
