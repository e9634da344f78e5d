// The chart once it was graded: it stands still, the computed curve over the sketch.

import { setAll, svg } from "../live/dom.js";
import { phrase } from "../live/phrase.js";
import { colour, key, path } from "./axes.js";

/** @import { Places } from "./axes.js" */
/** @import { Graded, Sketch } from "./sketch.js" */

/**
 * The sketch and the computed curve, and which is which.
 * @param {SVGSVGElement} drawing
 * @param {Sketch} data
 * @param {Graded} graded
 * @param {Places} at
 */
export function still(drawing, data, graded, at) {
  const { sketch, computed, whole, widest, gap, role, label, alt } = graded;
  const points = (/** @type {number[]} */ xs, /** @type {number[]} */ ys) =>
    xs.map((x, index) => [at.across(x), at.up(ys[index])]);
  const style = colour(role);
  const [mine, theirs] = [points(data.x, sketch), points(whole.x, whole.y)];
  const x = at.across(data.x[widest]);
  const ends = { y1: at.up(sketch[widest]), y2: at.up(computed[widest]) };
  const spot = (/** @type {number[]} */ [left, top]) => ({ transform: `translate(${left} ${top})` });
  setAll(drawing, { role: "img", "aria-label": alt, class: "gt-sketch-chart gt-still" });
  drawing.append(
    svg("path", "gt-gap", { d: `${path([...mine, ...[...theirs].reverse()])}Z`, style }),
    svg("path", "gt-theirs gt-drawn", { d: path(theirs), style, pathLength: 1 }),
    ...points(data.x, computed).map((place) => svg("path", "gt-diamond", { d: "M0 -8L8 0L0 8L-8 0Z", ...spot(place), style })),
    svg("path", "", { d: path(mine) }),
    ...mine.map((place) => svg("circle", "gt-point", { r: 5, ...spot(place) })),
    svg("line", "gt-widest", { x1: x, x2: x, ...ends }),
  );
  /** @type {[string, string, string][]} */
  const marks = [["●", "", phrase("your_sketch")], ["◆", style, label]];
  if (gap) marks.push(["■", `${style}; opacity: 0.4`, gap]);
  return [key(data, marks)];
}
