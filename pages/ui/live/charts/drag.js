// Dragging in a chart: points, an arrow's tip, a line, or any place set the controls
// that the figure names (lessons/kit/chart_pieces.py, `dragged`), by the road that a slider takes. What is
// under the hand is found when it comes down, by mouse or finger alike; the controls are there for
// the keyboard.

import { axesOf, places } from "./chart_layout.js";

/** @import { Chart } from "./chart.js" */
/** @import { Controls } from "../controls/controls.js" */
/** @import { Axis, Handle, Plot, Trace } from "../plotly.d.ts" */

const REACH = { mouse: 12, touch: 22 }; // px around a point; 44 across for a finger
const LINE = { mouse: 7, touch: 16 }; // px beside a line
const SLOP = 8; // px that a finger moves before it is a drag and no tap

/**
 * @typedef {[number, number]} Pair  pixels in the plot, or values on its axes
 * @typedef {{trace: Trace, handle: Handle, index: number, spot: Pair}} Hit
 * @typedef {Object} Grip  a hand that is down
 * @property {Hit} hit
 * @property {PointerEvent} from
 * @property {DOMRect} box
 * @property {Axis[]} axes  which stand still meanwhile
 * @property {boolean} moving
 * @property {?PointerEvent} last
 */

/** @param {Chart} chart  that Plotly has drawn  @param {Controls} controls */
export function draggable(chart, controls) {
  const { plot } = chart;
  /** @type {?Grip} */
  let grip = null;

  const under = (/** @type {{clientX: number, clientY: number}} */ event, /** @type {"mouse"|"touch"} */ kind) => {
    const { left, top } = plot.getBoundingClientRect();
    return find(plot, chart.spec.figure.data, controls, [event.clientX - left, event.clientY - top], kind);
  };

  const report = (/** @type {PointerEvent} */ event, /** @type {boolean} */ moving) => {
    if (!grip) return;
    const { hit, from, box, axes } = grip;
    // A point stays as far from the hand as it was, so that nothing jumps.
    const start = hit.handle.part === "place" ? [from.clientX - box.left, from.clientY - box.top] : hit.spot;
    const spot = /** @type {Pair} */ ([start[0] + event.clientX - from.clientX, start[1] + event.clientY - from.clientY]);
    const at = /** @type {Pair} */ (axes.map(({ p2c, _offset }, way) => p2c(spot[way] - _offset)));
    const entry = hit.handle.part === "points" ? hit.index : undefined;
    const moves = Object.entries(hit.handle.sets).map(([name, measure]) => {
      const { value, along } = measured(measure, at);
      const { range, _length } = axes[along];
      const [low, high] = range;
      const inside = entry === undefined && hit.handle.part !== "place" ? value : Math.min(Math.max(value, low), high);
      return { name, value: inside, unit: Math.abs(high - low) / _length, entry };
    });
    const select = chart.spec.selects;
    const chosen = entry !== undefined && select ? { [select]: String(entry + 1) } : {};
    controls.drag(moves, moving, chosen);
  };

  const begin = (/** @type {PointerEvent} */ event) => {
    if (!grip) return;
    grip.moving = true;
    chart.hold(true);
    plot.setPointerCapture(event.pointerId);
    plot.dataset.dragging = "";
  };

  plot.addEventListener(
    "pointerdown",
    (event) => {
      if (event.button !== 0 || event.shiftKey || event.ctrlKey || grip) return;
      const kind = event.pointerType === "touch" ? "touch" : "mouse";
      const hit = under(event, kind);
      if (!hit) return;
      const axes = axesOf(plot, hit.trace);
      if (!axes) return;
      if (kind === "mouse") event.preventDefault(); // Plotly would take it for a click of its own
      grip = { hit, from: event, box: plot.getBoundingClientRect(), axes, moving: false, last: null };
      if (kind === "mouse" && hit.handle.part === "place") {
        begin(event);
        report(event, true);
      } else plot.setPointerCapture(event.pointerId);
    },
    { capture: true },
  );
  // A finger on a point drags it and does not scroll the page. Elsewhere the browser tells scrolling from
  // dragging by the way the finger sets out.
  plot.addEventListener(
    "touchstart",
    (event) => {
      if (event.touches.length !== 1) return;
      const hit = under(event.touches[0], "touch");
      if (hit && !scrolls(hit.handle)) event.preventDefault();
    },
    { passive: false },
  );
  plot.addEventListener("pointermove", (event) => {
    if (!grip) {
      if (event.pointerType === "mouse" && !event.buttons) show(plot, under(event, "mouse"));
      return;
    }
    if (event.pointerId !== grip.from.pointerId) return;
    if (!grip.moving) {
      const [x, y] = [event.clientX - grip.from.clientX, event.clientY - grip.from.clientY].map(Math.abs);
      const { handle } = grip.hit;
      const touch = event.pointerType === "touch";
      if (touch && scrolls(handle) ? x < SLOP || x < y : Math.max(x, y) < 2) return;
      begin(event);
    }
    grip.last = event;
    report(event, true);
  });
  const end = (/** @type {PointerEvent} */ event) => {
    if (!grip || event.pointerId !== grip.from.pointerId) return;
    const { moving, last, hit } = grip;
    // A cancelled pointer has no place: the last one that was seen counts.
    const there = event.type === "pointercancel" ? last : event;
    if (moving) {
      if (there) report(there, false);
      chart.hold(false);
    } else if (there && hit.handle.part === "place") report(there, false);
    else if (there && hit.handle.part === "points") {
      const select = chart.spec.selects;
      if (select) controls.choose({ [select]: String(hit.index + 1) }, false);
    }
    grip = null;
    delete plot.dataset.dragging;
  };
  plot.addEventListener("pointerup", end);
  plot.addEventListener("pointercancel", end);
  plot.addEventListener("pointerleave", () => !grip && show(plot, null));
}

/** The cursor says what can be dragged, and which way. @param {Plot} plot  @param {?Hit} hit */
function show(plot, hit) {
  const way = hit && wayOf(hit.handle);
  if (way === (plot.dataset.drag ?? null)) return;
  if (way) plot.dataset.drag = way;
  else delete plot.dataset.drag;
}

/** Whether a finger that goes up or down from here scrolls the page. @param {Handle} handle */
function scrolls(handle) {
  return ["line", "place"].includes(handle.part) || wayOf(handle) === "x";
}

/** @param {Handle} handle  @returns {"place"|"x"|"y"|"xy"} */
function wayOf({ part, sets }) {
  if (part === "place") return part;
  const measures = Object.values(sets);
  if (measures.every((measure) => measure === "x" || measure === "power_of_two")) return "x";
  return measures.every((measure) => measure === "y" || measure === "size") ? "y" : "xy";
}

/**
 * What can be dragged at a place: the nearest point, else the nearest line, else the place itself.
 * @param {Plot} plot
 * @param {Trace[]} traces
 * @param {Controls} controls
 * @param {Pair} spot
 * @param {"mouse"|"touch"} kind
 * @returns {?Hit}
 */
function find(plot, traces, controls, spot, kind) {
  /** @type {?Hit} */
  let found = null;
  let best = Infinity;
  for (const trace of traces) {
    const handle = trace.meta;
    if (!handle || trace.visible === false) continue;
    if (!Object.keys(handle.sets).some((name) => controls.isFree(name))) continue;
    const axes = axesOf(plot, trace);
    const inside = axes?.every(({ _offset, _length }, way) => spot[way] > _offset - 9 && spot[way] < _offset + _length + 9);
    if (!axes || !inside) continue;
    const { part } = handle;
    const isLine = part === "line";
    const spots = part === "place" ? [] : pixels(trace, axes);
    // A line is worth less than any point, a place less than any line.
    const far = isLine ? 100 : part === "place" ? 1000 : 0;
    if (part === "place" && best > far) [best, found] = [far, { trace, handle, index: -1, spot }];
    for (let index = part === "tip" ? spots.length - 1 : 0; index < spots.length; index++) {
      const one = spots[index];
      const away = isLine ? besides(spot, spots[index - 1], one) : Math.hypot(one[0] - spot[0], one[1] - spot[1]);
      if (away > (isLine ? LINE : REACH)[kind] || away + far >= best) continue;
      [best, found] = [away + far, { trace, handle, index, spot: isLine ? spot : one }];
    }
  }
  return found;
}

/** @param {Trace} trace  @param {Axis[]} axes  @returns {Pair[]} */
function pixels(trace, axes) {
  const [left, top] = axes.map(({ _offset }) => _offset);
  return places(trace, axes).map(([x, y]) => [left + x, top + y]);
}

/**
 * What a control is set to, and the axis that it is read from.
 * @param {Handle["sets"][string]} measure
 * @param {Pair} at
 */
function measured(measure, [x, y]) {
  if (measure === "x") return { value: x, along: 0 };
  if (measure === "power_of_two") return { value: 2 ** x, along: 0 };
  if (measure === "angle") return { value: (Math.atan2(y, x) * 180) / Math.PI, along: 1 };
  if (measure === "y") return { value: y, along: 1 };
  const sizes = [x, y].map(Math.abs);
  return { value: measure === "largest" ? Math.max(...sizes) : measure === "size" ? sizes[1] : Math.hypot(x, y), along: 1 };
}

/** How far a place is from the line between two others. @param {Pair} spot  @param {Pair} [from]  @param {Pair} [to] */
function besides([x, y], from, to) {
  if (!from || !to) return Infinity;
  const [alongX, alongY] = [to[0] - from[0], to[1] - from[1]];
  const share = ((x - from[0]) * alongX + (y - from[1]) * alongY) / (alongX ** 2 + alongY ** 2 || 1);
  const inside = Math.min(Math.max(share, 0), 1);
  const away = Math.hypot(x - from[0] - inside * alongX, y - from[1] - inside * alongY);
  return Number.isNaN(away) ? Infinity : away;
}
