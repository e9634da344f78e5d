// Moves a chart's lines, areas, points and words without Plotly's whole pipeline, by writing numbers into
// the SVG that Plotly made. Plotly itself holds the old numbers until `chart.js` calls react in a quiet
// moment. Whatever is not a plain scatter trace is left to Plotly, and so is an axis that moves.
//
// It reads Plotly's private fields, and is kept for this: with a hand that drags on the stage of
// noise_leaks, on two busy cores, Plotly.react alone takes 21 ms and draws 23 times a second; this
// draws 50 times.

import { axesOf, places } from "./chart_layout.js";
import { setText } from "../dom.js";

/** @import { Axis, Plot, Trace } from "../plotly.d.ts" */
/** @typedef {[Element, string, string]} Change  an attribute's new value */
/** @typedef {{at: string, inside: boolean, index: number}} Spot  in pixels; whether it is on the axes; which point */

const TEXT = "#text"; // what a node says, among its attributes

/**
 * Write new numbers into a drawn chart.
 * @param {Plot} plot  the node Plotly drew into, with the same style and axes
 * @param {Trace[]} data
 * @returns {boolean} false: nothing was changed, Plotly has to draw
 */
export function moveTraces(plot, data) {
  /** @type {Change[]} */
  const changes = [];
  for (const [index, trace] of data.entries()) {
    // A map that says where it lies by a corner and steps is all style, which is the same.
    const stays = trace.type === "heatmap" && trace.x === undefined && trace.y === undefined;
    if (stays || trace.visible === false) continue;
    const axes = axesOf(plot, trace);
    if (trace.type !== "scatter" || (trace.line?.shape ?? "linear") !== "linear" || !axes) return false;
    const spots = spotsOf(trace, axes);
    const node = plot.querySelector(`.scatterlayer .trace${plot._fullData?.[index].uid}`);
    if (!node && spots.every((spot) => !spot)) continue; // Plotly makes nothing for a trace without points
    for (const mode of trace.mode?.split("+") ?? []) {
      const move = { lines: moveLines, markers: movePoints, text: moveWords }[mode];
      const found = node && move?.(node, spots, trace);
      if (!found) return false;
      changes.push(...found);
    }
  }
  for (const [node, name, value] of changes) {
    // Writing an unchanged attribute costs as much as a changed one, so skip it.
    if (name === TEXT) setText(node, value);
    else if (node.getAttribute(name) !== value) node.setAttribute(name, value);
  }
  return true;
}

/** @param {Trace} trace  @param {Axis[]} axes  @returns {(Spot|null)[]} null where a number is not finite */
function spotsOf(trace, axes) {
  const [wide, high] = axes.map(({ _length }) => _length);
  return places(trace, axes).map(([x, y], index) => {
    if (!Number.isFinite(x) || !Number.isFinite(y)) return null;
    return { at: `${x},${y}`, inside: x >= 0 && x <= wide && y >= 0 && y <= high, index };
  });
}

/** @param {Element} node  @param {(Spot|null)[]} spots  @param {Trace} trace  @returns {?Change[]} */
function movePoints(node, spots, { cliponaxis, marker }) {
  const marks = node.querySelectorAll(".points > .point");
  const there = spots.filter((spot) => spot !== null);
  if (marks.length !== there.length || marker?.angleref === "previous") return null; // an arrow turns
  return there.flatMap(({ at, inside }, index) => {
    /** @type {Change[]} */
    const changes = [[marks[index], "transform", `translate(${at})`]];
    // Plotly hides unclipped marks that lie outside the axes, so we do, too.
    if (cliponaxis === false) changes.push([marks[index], "display", inside ? "inline" : "none"]);
    return changes;
  });
}

/**
 * Words at places: where they stand next to those is Plotly's, and the same as before.
 * @param {Element} node
 * @param {(Spot|null)[]} spots
 * @param {Trace} trace
 * @returns {?Change[]}
 */
function moveWords(node, spots, { text = [] }) {
  // Plotly makes nothing for an empty word.
  const said = spots.filter((spot) => spot !== null).filter(({ index }) => text[index]);
  const drawn = [...node.querySelectorAll(".textpoint > text")];
  const plain = drawn.every((one) => !one.childElementCount) && !said.some(({ index }) => /[<&]/.test(text[index]));
  if (drawn.length !== said.length || !plain) return null;
  return said.flatMap(({ at, index }, place) => {
    const [x, y] = at.split(",");
    /** @type {Change[]} */
    const changes = [[drawn[place], "x", x], [drawn[place], "y", y], [drawn[place], TEXT, text[index]]];
    return changes;
  });
}

/**
 * A line or an area, with a line around it perhaps: one path a stretch for lines as long as there
 * are enough, one for an area.
 * @param {Element} node
 * @param {(Spot|null)[]} spots
 * @param {Trace} trace
 * @returns {?Change[]}
 */
function moveLines(node, spots, trace) {
  const parts = stretches(spots).map((part) => part.join("L"));
  /** @type {Change[]} */
  const changes = [];
  if (trace.fill === "toself") {
    const area = node.querySelector(".js-fill");
    if (!area) return null;
    changes.push([area, "d", parts.map((part) => `M${part}Z`).join("")]);
    if (trace.line?.width === 0) return changes;
  } else if (trace.fill && trace.fill !== "none") return null;
  const paths = [...node.querySelectorAll(".lines > .js-line")];
  if (!paths.length) return parts.length ? null : changes; // of what is nowhere finite there is no line
  // A boundary that falls apart or closes has other stretches at every step: the last path takes
  // all that are left, and where there are fewer the others are empty.
  const last = paths.length - 1;
  paths.forEach((path, index) => {
    const drawn = index < last ? parts.slice(index, index + 1) : parts.slice(last);
    changes.push([path, "d", drawn.map((part) => `M${part}`).join("")]);
  });
  return changes;
}

/** Unbroken runs of two places or more: Plotly draws no line through a single one. @param {(Spot|null)[]} spots */
function stretches(spots) {
  /** @type {string[][]} */
  const found = [[]];
  for (const spot of spots) {
    if (spot === null) found.push([]);
    else found[found.length - 1].push(spot.at);
  }
  return found.filter((part) => part.length > 1);
}
