// The chart once it was graded: it stands still, the computed curve over the sketch.

import { key, ofTheLab } from "./key.js";
import { path, svg } from "./svg.js";

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
  const colour = `color: var(--role-${role})`;
  const [mine, theirs] = [points(data.x, sketch), points(whole.x, whole.y)];
  const x = at.across(data.x[widest]);
  const ends = { y1: at.up(sketch[widest]), y2: at.up(computed[widest]) };
  const spot = (/** @type {number[]} */ [left, top]) => ({ transform: `translate(${left} ${top})` });
  drawing.setAttribute("role", "img");
  drawing.setAttribute("aria-label", alt);
  drawing.classList.add("gt-still");
  drawing.append(
    svg("path", { d: `${path([...mine, ...[...theirs].reverse()])}Z`, class: "gt-gap", style: colour }),
    svg("path", { d: path(theirs), class: "gt-theirs gt-drawn", style: colour, pathLength: 1 }),
    ...points(data.x, computed).map((place) =>
      svg("path", { d: "M0 -8L8 0L0 8L-8 0Z", ...spot(place), class: "gt-diamond", style: colour }),
    ),
    svg("path", { d: path(mine), class: "gt-mine" }),
    ...mine.map((place) => svg("circle", { r: 5, ...spot(place), class: "gt-point" })),
    svg("line", { x1: x, x2: x, ...ends, class: "gt-widest" }),
  );
  /** @type {[SVGElement[], string][]} */
  const entries = [
    [[svg("path", { d: "M0 9H26", class: "gt-mine" }), svg("circle", { cx: 13, cy: 9, r: 5, class: "gt-point" })], "your sketch"],
    [
      [
        svg("path", { d: "M0 9H26", class: "gt-theirs", style: colour }),
        svg("path", { d: "M13 1L21 9L13 17L5 9Z", class: "gt-diamond", style: colour }),
      ],
      label,
    ],
  ];
  if (gap) entries.push([[svg("rect", { width: 26, height: 18, class: "gt-gap", style: colour })], gap]);
  return [key([...entries, ...ofTheLab(data)])];
}
