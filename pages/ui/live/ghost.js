// The curves as they were before the lab's last change, pale, until the next one: what a hand has done
// is then seen and not only remembered. A chart that the last change left alone shows none. They lie
// under the chart, in its own pixels, and move with its axes; nothing of Plotly's is touched.

import { svg } from "./dom.js";
import { pixels, shownRange, stretches } from "./quick.js";
import { letterOf, scale } from "./quick_axis.js";

/** @import { FigureSpec } from "./messages.d.ts" */
/** @import { Axis, Plot, Trace } from "./plotly.d.ts" */
/** @import { Palette } from "./palette.js" */

const SEEN = 3; // pixels between then and now, from which on it is worth drawing
const AWAY = 8; // pixels from the line to the word at it
const EDGE = 30; // pixels that the word needs to either side
const WORD = { left: 19, right: 19, up: 11, down: 3 }; // pixels that it takes around its foot
const PLACES = 40; // that are tried for it

/**
 * A place on a line that was, and how far it has moved from there, upwards or down.
 * @typedef {{far: number, x: number, y: number, down: boolean}} Gap
 */

export class Ghost {
  /** @param {Plot} plot  on the page  @param {Palette} palette */
  constructor(plot, palette) {
    this.plot = plot;
    this.palette = palette;
    this.svg = layer();
    this.words = layer(); // over the chart, where an area would hide it
    this.words.classList.add("gl-over");
    // Both stand where the chart begins, without being told: to ask where that is lays out the page.
    plot.before(this.svg, this.words);
    /** @type {?FigureSpec} */
    this.rested = null; // as it was when the hand last lay still
    /** @type {?FigureSpec} */
    this.before = null; // what is drawn pale
    this.moving = false;
    this.change = ""; // the last one that this chart has been told of
    this.drawn = "";
    this.beside = ""; // the digest of the chart that it was drawn under
    /** @type {?number} */
    this.step = null;
  }

  /**
   * The chart shows this now.
   * @param {FigureSpec} spec
   * @param {boolean} rests  whether the hand lies still
   * @param {Object} lab
   * @param {?number} lab.step  of the lesson that it belongs to
   * @param {string} lab.change  what is set in the lab
   */
  follow(spec, rests, { step, change }) {
    // What another step set is not what this one's reader has changed.
    if (step !== this.step) this.forget();
    this.step = step;
    const { rested } = this;
    const changed = rested !== null && rested.digest !== spec.digest;
    // Another lab or other parts: nothing to compare with.
    if (rested && rested.style !== spec.style) this.before = null;
    else if (changed && !this.moving) this.before = rested;
    else if (!changed && !this.moving && change !== this.change) this.before = null;
    this.moving = changed && !rests;
    this.change = change;
    if (rests) this.rested = spec;
    this.#draw(spec);
  }

  /** Nothing is to be compared: a training's pictures follow each other. */
  forget() {
    this.rested = this.before = null;
    this.moving = false;
    this.#clear();
    this.drawn = "";
  }

  /** Also its size: one that is empty would widen the page in a window that has become narrower. */
  #clear() {
    for (const layer of [this.svg, this.words]) {
      layer.replaceChildren();
      layer.style.cssText = "";
    }
  }

  /** @param {FigureSpec} spec */
  #draw(spec) {
    const axes = this.#axes();
    const now = spec.figure?.data ?? [];
    const lines = axes ? (this.before?.figure?.data ?? []).filter(isLine) : [];
    const key = lines.length ? JSON.stringify([this.before?.digest, axes?.key, this.palette.theme]) : "";
    // A hand that drags moves the line and not what it was; one that rests is told of twice.
    const digest = spec.digest ?? "";
    if (key && key === this.drawn && (this.moving || digest === this.beside)) return;
    this.drawn = key;
    this.beside = digest;
    this.#clear();
    if (!axes || !key) return;
    this.svg.style.cssText = this.words.style.cssText = `margin:${axes.top}px 0 0 ${axes.left}px;width:${axes.width}px;height:${axes.height}px`;
    /** @type {Gap[]} */
    const found = [];
    for (const trace of lines) {
      const other = now.find(({ name, xaxis, yaxis }) => name === trace.name && xaxis === trace.xaxis && yaxis === trace.yaxis);
      const spots = pixels(trace, axes.across, axes.down);
      const others = other && isLine(other) ? pixels(other, axes.across, axes.down) : [];
      const apart = gaps(spots, others, axes);
      if (!apart.length) continue;
      const d = stretches(spots).map((part) => `M${part.join("L")}`).join("");
      const colour = trace.fill === "toself" ? trace.fillcolor : trace.line?.color;
      const stroke = String(this.palette.paint(String(colour ?? "ink:text").replace(/\/.*/, "")));
      this.svg.append(svg("path", trace.fill === "toself" ? "gl-area" : "", { d, stroke })); // its edges alone
      found.push(...apart);
    }
    const drawn = now.filter(({ visible, type }) => visible !== false && type === "scatter");
    const parts = drawn.flatMap((trace) => stretches(pixels(trace, axes.across, axes.down)));
    if (found.length) this.#name(found, parts, axes.height);
  }

  /**
   * The word "before" where the lines are far from each other, and beside what is drawn now.
   * @param {Gap[]} found
   * @param {string[][]} parts  of the lines now
   * @param {number} height
   */
  #name(found, parts, height) {
    const foot = (/** @type {Gap} */ { y, down }) => Math.min(height - 4, Math.max(12, y + (down ? AWAY + 8 : -AWAY)));
    const far = found.sort((one, other) => other.far - one.far);
    const tried = far.filter((_, index) => index % Math.ceil(far.length / PLACES) === 0);
    const lines = parts.map((part) => part.map((spot) => spot.split(",").map(Number)));
    const place = tried.find((gap) => !lines.some((line) => touches(line, gap.x, foot(gap)))) ?? far[0];
    this.words.append(svg("text", "", { x: place.x, y: foot(place) }, "before"));
  }

  /** Where the first pair of axes places numbers now; null where it is none of lines. */
  #axes() {
    const { xaxis, yaxis } = this.plot._fullLayout ?? {};
    if (!xaxis || !yaxis || xaxis.type !== "linear" || yaxis.type !== "linear") return null;
    if (!xaxis.visible && !yaxis.visible) return null; // a drawing: no numbers to compare
    const range = (/** @type {string} */ id, /** @type {Axis} */ axis) => shownRange(this.plot, id, axis);
    const [x, y] = [range("x", xaxis), range("y", yaxis)];
    const place = { left: xaxis._offset, top: yaxis._offset, width: xaxis._length, height: yaxis._length };
    const { across, down } = { across: scale(letterOf("x"), xaxis, x), down: scale(letterOf("y"), yaxis, y) };
    return { ...place, across, down, key: [x, y, ...Object.values(place)] };
  }
}

function layer() {
  return svg("svg", "gl-ghost", { "aria-hidden": "true" });
}

/** Whether a trace is a solid line or an area over the first axes. @param {Trace} trace */
function isLine({ type, mode, fill, visible, line, x, xaxis, yaxis, marker }) {
  const area = fill === "toself";
  const solid = (!fill || fill === "none") && line?.width !== 0 && (line?.dash ?? "solid") === "solid";
  const first = (xaxis ?? "x") === "x" && (yaxis ?? "y") === "y";
  const drawn = mode?.includes("lines") && (solid || area);
  return type === "scatter" && drawn && first && !marker?.angleref && visible !== false && (x?.length ?? 0) > 2;
}

/**
 * Where a line is apart from what it was, inside the frame; not at sticks that had no length, which
 * nobody sees.
 * @param {(string|null)[]} spots
 * @param {(string|null)[]} others
 * @param {{width: number, height: number}} frame
 */
function gaps(spots, others, { width, height }) {
  /** @type {Gap[]} */
  const found = [];
  for (const part of runs(spots)) {
    const places = part.map((index) => String(spots[index]).split(",").map(Number));
    const long = [0, 1].some((side) => {
      const along = places.map((place) => place[side]);
      return Math.max(...along) - Math.min(...along) >= SEEN;
    });
    if (!long) continue;
    for (const [at, index] of part.entries()) {
      const other = others[index];
      const [x, y] = places[at];
      if (!other || x < 0 || x > width || y < 0 || y > height) continue;
      const toY = Number(other.split(",")[1]);
      const far = Math.abs(toY - y);
      const beside = Math.min(Math.max(x, EDGE), width - EDGE);
      if (far >= SEEN) found.push({ far, x: beside, y, down: toY < y });
    }
  }
  return found;
}

/** The indices of each unbroken part of a line. @param {(string|null)[]} spots */
function runs(spots) {
  /** @type {number[][]} */
  const found = [[]];
  for (const [index, spot] of spots.entries()) {
    if (spot === null) found.push([]);
    else found[found.length - 1].push(index);
  }
  return found.filter((part) => part.length > 1);
}

/**
 * Whether a line comes near a word with its foot there.
 * @param {number[][]} line
 * @param {number} x
 * @param {number} y
 */
function touches(line, x, y) {
  const [left, right, top, bottom] = [x - WORD.left, x + WORD.right, y - WORD.up, y + WORD.down];
  for (let index = 0; index < line.length; index++) {
    const from = line[Math.max(index - 1, 0)];
    const to = line[index];
    const beside = Math.max(from[0], to[0]) < left || Math.min(from[0], to[0]) > right;
    if (!beside && Math.max(from[1], to[1]) >= top && Math.min(from[1], to[1]) <= bottom) return true;
  }
  return false;
}
