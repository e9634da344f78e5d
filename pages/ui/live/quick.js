// Moves a chart's curves, areas, points and axes without Plotly's whole pipeline, by writing numbers
// into the SVG that Plotly made. The chart is then the same picture, but Plotly itself holds the old
// numbers until `chart.js` calls react in a quiet moment. Whatever is not a plain scatter trace is
// left to Plotly.
//
// It reads Plotly's private fields, and is kept for this: one update of a whole lab costs the main
// thread, in ms of its CPU on a slow machine (the lab noise_leaks, two_players, flip):
//
//   written here                                   9   15   12
//   Plotly.react                                  39   49   25
//   Plotly.update                                 33   44   25
//   Plotly.animate, without redraw, a frame late  27   31   19
//
// 60 updates a second leave 17 ms. Nothing else knows that this is done: chart.js asks whether it
// was. tests/browser/test_quick_drawing.py compares each chart with Plotly's own and fails where a
// new Plotly has other fields or another SVG.

import { axes } from "./chart_layout.js";
import { setText } from "./dom.js";
import { QuickAxis, canMove, letterOf, scale } from "./quick_axis.js";
import { QuickCrowd, isCrowd } from "./quick_crowd.js";
import { QuickTicks } from "./quick_ticks.js";

/** @import { Axis, Chart, Layout, Plot, Trace } from "./plotly.d.ts" */

/**
 * @typedef {[Element, string, string]} Change  an attribute's new value
 * @typedef {(value: number) => number} Place  from a number to a pixel
 * @typedef {[number, number]} Range
 * @typedef {{place: Place, moved: boolean, axis?: QuickAxis, range?: Range}} Look  an axis, now
 * @typedef {(spot: string) => boolean} Inside  whether a place is on the axes
 *
 * What Plotly drew last, and the axes, words at ticks and crowds that were moved since.
 * @typedef {Object} Drawn
 * @property {Record<string, Range | undefined>} ranges
 * @property {Map<string, QuickAxis>} axes
 * @property {Map<string, QuickTicks>} ticks
 * @property {Map<Element, QuickCrowd>} crowds
 */

// Of Plotly's arrow, as shares of its size: its two corners, and where the shaft ends.
const BACK = Math.sin(0.4 * Math.PI);
const ASIDE = Math.cos(0.4 * Math.PI);
const SHAFT = 0.9;

const TEXT = "#text"; // what a node says, among its attributes

/** @type {WeakMap<HTMLElement, Drawn>} */
const known = new WeakMap();

/**
 * Plotly is about to draw: what was drawn without it makes way.
 * @param {Plot} plot
 * @param {Layout} layout
 */
export function handBack(plot, layout) {
  const before = known.get(plot);
  for (const moved of [before?.axes, before?.ticks, before?.crowds]) {
    for (const one of moved?.values() ?? []) one.putBack();
  }
  const ranges = Object.fromEntries(axesOf(layout).map((id) => [id, rangeOf(layout, id)]));
  known.set(plot, { ranges, axes: new Map(), ticks: new Map(), crowds: new Map() });
}

/**
 * Write new numbers into a drawn chart.
 * @param {Plot} plot  the node Plotly drew into, with the same style
 * @param {Chart} chart
 * @returns {boolean} false: nothing was changed, Plotly has to draw
 */
export function quickDraw(plot, { data, layout }) {
  /** @type {Record<string, Look>} */
  const looks = {};
  /** @type {Change[]} */
  const changes = [];
  for (const id of axesOf(layout)) {
    const found = look(plot, layout, id);
    const said = found && ticksSaid(plot, layout, id);
    if (!found || !said) return false;
    looks[id] = found;
    changes.push(...said);
  }
  const moved = Object.values(looks).some((axis) => axis.moved);
  if (moved && (layout.shapes || layout.annotations)) return false;
  const crowds = known.get(plot)?.crowds ?? new Map();
  for (const [index, trace] of data.entries()) {
    if (trace.visible === false) continue;
    // A map that says where it lies by a corner and steps is all style, which is the same.
    if (trace.type === "heatmap" && trace.x === undefined && trace.y === undefined && !moved) continue;
    if (trace.type !== "scatter" || (trace.line?.shape ?? "linear") !== "linear") return false;
    const node = plot.querySelector(`.scatterlayer .trace${plot._fullData?.[index].uid}`);
    const [x, y] = [looks[trace.xaxis ?? "x"], looks[trace.yaxis ?? "y"]];
    if (!x || !y) return false;
    const spots = pixels(trace, x.place, y.place);
    if (!node && !spots.length) continue; // Plotly makes nothing for a trace without points
    const found = node && scatter(node, spots, trace, crowds, insideOf(plot, trace));
    if (!found) return false;
    changes.push(...found);
  }
  for (const { axis, range } of Object.values(looks)) if (range) axis?.show(range);
  for (const crowd of crowds.values()) crowd.show();
  for (const [node, name, value] of changes) {
    // What stands still costs the browser as much as what moves, unless it is left alone.
    if (name === TEXT) setText(node, value);
    else if (node.getAttribute(name) !== value) node.setAttribute(name, value);
  }
  return true;
}

/** The axes that a chart has, as Plotly calls them: x, y, y2. @param {Layout} layout */
function axesOf(layout) {
  return axes(layout).map((name) => name.replace("axis", ""));
}

/** @param {Layout} layout  @param {string} id  @returns {Range | undefined} */
function rangeOf(layout, id) {
  return /** @type {Layout["xaxis"]} */ (layout[nameOf(id)])?.range;
}

/**
 * What an axis shows now, moved without Plotly or not.
 * @param {HTMLElement} plot
 * @param {string} id
 * @param {Axis} own  Plotly's
 */
export function shownRange(plot, id, own) {
  const moved = known.get(plot)?.axes.get(id);
  return /** @type {Range} */ (moved ? moved.range.split(",").map(Number) : own.range);
}

/** The name that a layout has for an axis. @param {string} id */
function nameOf(id) {
  return /** @type {"xaxis"} */ (`${id[0]}axis${id.slice(1)}`);
}

/**
 * How an axis places numbers now; null where only Plotly can move it.
 * @param {Plot} plot
 * @param {Layout} layout
 * @param {string} id
 * @returns {?Look}
 */
function look(plot, layout, id) {
  const own = plot._fullLayout?.[nameOf(id)];
  const drawn = known.get(plot);
  if (!own || !drawn) return null;
  const range = rangeOf(layout, id);
  const before = drawn.ranges[id];
  let axis = drawn.axes.get(id);
  const moved = String(range) !== String(before);
  if (!moved) {
    // Not c2p where it can be helped: it rounds, and so does the slope between two of its places.
    const place = own.type === "linear" ? scale(letterOf(id), own, own.range) : own.c2p;
    return { place, moved, axis, range };
  }
  if (!range || !before || !canMove(own, before, range)) return null;
  axis ??= new QuickAxis(plot, id, own);
  if (!axis.canShow(range)) return null;
  drawn.axes.set(id, axis);
  return { place: scale(letterOf(id), own, range), moved, axis, range };
}

/**
 * What the words at an axis' ticks change to, where they are given; null where Plotly has to draw.
 * @param {Plot} plot
 * @param {Layout} layout
 * @param {string} id
 * @returns {?Change[]}
 */
function ticksSaid(plot, layout, id) {
  const words = /** @type {Layout["xaxis"]} */ (layout[nameOf(id)])?.ticktext;
  const own = plot._fullLayout?.[nameOf(id)];
  const drawn = known.get(plot);
  if (!words || !own || !drawn || (!drawn.ticks.has(id) && String(words) === String(own.ticktext))) return [];
  const ticks = drawn.ticks.get(id) ?? new QuickTicks(plot, id, own);
  if (!ticks.fit(words)) return null;
  drawn.ticks.set(id, ticks);
  return words.map((word, index) => [ticks.nodes[index], TEXT, word]);
}

/**
 * @param {Plot} plot
 * @param {Trace} trace
 * @returns {Inside}
 */
function insideOf(plot, { xaxis = "x", yaxis = "y" }) {
  const [wide, high] = [xaxis, yaxis].map((id) => plot._fullLayout?.[nameOf(id)]?._length ?? 0);
  return (spot) => {
    const [x, y] = spot.split(",").map(Number);
    return x >= 0 && x <= wide && y >= 0 && y <= high;
  };
}

/**
 * Places in the plot's own pixels; null where a number is not finite.
 * @param {Trace} trace
 * @param {Place} across
 * @param {Place} down
 * @returns {(string|null)[]}
 */
export function pixels({ x: xs = [], y: ys = [] }, across, down) {
  /** @type {(string|null)[]} */
  const found = new Array(xs.length);
  for (let index = 0; index < xs.length; index++) {
    const [x, y] = [xs[index], ys[index]];
    const isPlace = x !== null && y !== null && Number.isFinite(x) && Number.isFinite(y);
    found[index] = isPlace ? `${round(across(x))},${round(down(y))}` : null;
  }
  return found;
}

/**
 * @param {Element} node
 * @param {(string|null)[]} spots
 * @param {Trace} trace
 * @param {Map<Element, QuickCrowd>} crowds
 * @param {Inside} inside
 * @returns {?Change[]}
 */
function scatter(node, spots, trace, crowds, inside) {
  if (isCrowd(trace)) return crowd(node, spots, trace, crowds, inside);
  if (trace.marker?.angleref === "previous") return arrows(node, spots, trace, inside);
  /** @type {Change[]} */
  const changes = [];
  for (const mode of trace.mode?.split("+") ?? []) {
    const draw = { lines, markers: points, text: words }[mode];
    const found = draw?.(node, spots, trace, inside);
    if (!found) return null;
    changes.push(...found);
  }
  return changes;
}

/**
 * @param {Element} node
 * @param {(string|null)[]} spots
 * @param {Trace} trace
 * @param {Inside} inside
 * @returns {?Change[]}
 */
function points(node, spots, { cliponaxis }, inside) {
  const marks = node.querySelectorAll(".points > .point");
  const places = spots.filter((spot) => spot !== null);
  if (marks.length !== places.length) return null;
  return places.flatMap((spot, index) => {
    /** @type {Change[]} */
    const changes = [[marks[index], "transform", `translate(${spot})`]];
    // What no frame cuts off Plotly hides where it lies outside.
    if (cliponaxis === false) changes.push([marks[index], "display", inside(spot) ? "inline" : "none"]);
    return changes;
  });
}

/**
 * @param {Element} node
 * @param {(string|null)[]} spots
 * @param {Trace} trace
 * @param {Map<Element, QuickCrowd>} crowds
 * @param {Inside} inside
 * @returns {?Change[]}
 */
function crowd(node, spots, trace, crowds, inside) {
  const dots = crowds.get(node) ?? new QuickCrowd([...node.querySelectorAll(".points > .point")]);
  const path = dots.drawn(spots.filter((spot) => spot !== null));
  if (path === null) return crowds.has(node) ? null : points(node, spots, trace, inside);
  crowds.set(node, dots);
  return [[dots.path, "d", path]];
}

/**
 * Arrows, each of a tail and a head with a gap behind: the head turns, the shaft ends before its tip.
 * @param {Element} node
 * @param {(string|null)[]} spots
 * @param {Trace} trace
 * @param {Inside} inside
 * @returns {?Change[]}
 */
function arrows(node, spots, trace, inside) {
  const { symbol, size } = trace.marker ?? {};
  const changes = points(node, spots, trace, inside);
  const heads = [...node.querySelectorAll(".points > .point")].filter((_, index) => index % 2);
  const shafts = node.querySelectorAll(".lines > .js-line");
  const pairs = stretches(spots);
  const alike = heads.length === pairs.length && shafts.length === pairs.length;
  if (!changes || symbol !== "arrow" || !alike || pairs.some(({ length }) => length !== 2)) return null;
  for (const [index, pair] of pairs.entries()) {
    const [[fromX, fromY], [x, y]] = pair.map((spot) => spot.split(",").map(Number));
    const long = Math.hypot(x - fromX, y - fromY);
    const big = typeof size === "object" ? size[3 * index + 1] : 0;
    if (!long || !big) return null;
    const [alongX, alongY] = [(big * (x - fromX)) / long, (big * (y - fromY)) / long];
    const corner = (/** @type {number} */ side) =>
      `${round(-BACK * alongX - side * alongY)},${round(-BACK * alongY + side * alongX)}`;
    changes.push([heads[index], "d", `M0,0L${corner(-ASIDE)}L${corner(ASIDE)}Z`]);
    const end = SHAFT * big < long ? `${round(x - SHAFT * alongX)},${round(y - SHAFT * alongY)}` : pair[1];
    changes.push([shafts[index], "d", `M${pair[0]}L${end}`]);
  }
  return changes;
}

/**
 * Words at places: where they stand beside those is Plotly's, and the same as before.
 * @param {Element} node
 * @param {(string|null)[]} spots
 * @param {Trace} trace
 * @returns {?Change[]}
 */
function words(node, spots, { text = [] }) {
  const all = spots.flatMap((spot, index) => (spot === null ? [] : [{ spot, says: String(text[index]) }]));
  const said = all.filter(({ says }) => says); // Plotly makes nothing for an empty word
  const drawn = [...node.querySelectorAll(".textpoint > text")];
  const plain = drawn.every((one) => !one.childElementCount) && !said.some(({ says }) => /[<&]/.test(says));
  if (drawn.length !== said.length || !plain) return null;
  return said.flatMap(({ spot, says }, index) => {
    const [x, y] = spot.split(",");
    /** @type {Change[]} */
    const changes = [[drawn[index], "x", x], [drawn[index], "y", y], [drawn[index], TEXT, says]];
    return changes;
  });
}

/**
 * A line or an area, with a line around it perhaps: one path a stretch for lines as long as there
 * are enough, one for an area.
 * @param {Element} node
 * @param {(string|null)[]} spots
 * @param {Trace} trace
 * @returns {?Change[]}
 */
function lines(node, spots, trace) {
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

/**
 * Unbroken runs of two places or more: Plotly draws no line through a single one.
 * @param {(string|null)[]} spots
 */
export function stretches(spots) {
  /** @type {string[][]} */
  const found = [[]];
  for (const spot of spots) {
    if (spot === null) found.push([]);
    else found[found.length - 1].push(spot);
  }
  return found.filter((part) => part.length > 1);
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 100) / 100;
}
