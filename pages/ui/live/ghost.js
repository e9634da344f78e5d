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
 * @typedef {{far: number, index: number, x: number, y: number, down: boolean}} Gap
 *
 * @typedef {{left: number, top: number, width: number, height: number}} Frame
 * @typedef {(value: number) => number} Place  from a number to a pixel
 * @typedef {{frame: Frame, across: Place, down: Place, ranges: string}} Axes
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
    /** @type {[Trace, SVGElement][]} */
    this.lines = []; // that are drawn
    /** @type {?{text: SVGElement, trace: Trace, gap: Gap}} */
    this.word = null;
    this.drawn = ""; // where it lies, and in which colours
    this.ranges = ""; // of the axes that it was drawn in
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
    this.lines = [];
    this.word = null;
    for (const layer of [this.svg, this.words]) {
      if (layer.firstChild) layer.replaceChildren();
      if (layer.style.cssText) layer.style.cssText = "";
    }
  }

  /** @param {FigureSpec} spec */
  #draw(spec) {
    const axes = this.#axes();
    const before = axes ? (this.before?.figure?.data ?? []).filter(isLine) : [];
    const key = axes && before.length ? JSON.stringify([this.before?.digest, axes.frame, this.palette.theme]) : "";
    const digest = spec.digest ?? "";
    const now = spec.figure?.data ?? [];
    if (axes && key && key === this.drawn) {
      const stands = this.ranges === axes.ranges;
      if (stands && digest === this.beside) return; // one that rests is told of twice
      const others = before.filter((trace) => !this.lines.some(([drawn]) => drawn === trace));
      // A hand that drags moves the line and not what it was.
      if (this.moving && !others.some((trace) => apart(trace, now, axes).length)) {
        if (!stands) this.#follow(axes);
        return;
      }
    }
    this.drawn = key;
    this.beside = digest;
    this.#clear();
    if (axes && key) this.#drawAnew(axes, before, now);
  }

  /**
   * @param {Axes} axes
   * @param {Trace[]} before  the lines that were
   * @param {Trace[]} now
   */
  #drawAnew(axes, before, now) {
    const { left, top, width, height } = axes.frame;
    this.ranges = axes.ranges;
    this.svg.style.cssText = this.words.style.cssText = `margin:${top}px 0 0 ${left}px;width:${width}px;height:${height}px`;
    /** @type {[Trace, Gap][]} */
    const found = [];
    for (const trace of before) {
      const away = apart(trace, now, axes);
      if (!away.length) continue;
      const colour = trace.fill === "toself" ? trace.fillcolor : trace.line?.color;
      const stroke = String(this.palette.paint(String(colour ?? "ink:text").replace(/\/.*/, "")));
      const line = svg("path", trace.fill === "toself" ? "gl-area" : "", { d: drawn(trace, axes), stroke }); // its edges alone
      this.svg.append(line);
      this.lines.push([trace, line]);
      for (const gap of away) found.push([trace, gap]);
    }
    const shown = now.filter(({ visible, type }) => visible !== false && type === "scatter");
    const parts = shown.flatMap((trace) => stretches(pixels(trace, axes.across, axes.down)));
    if (found.length) this.#name(found, parts, height);
  }

  /** The axes move below the hand: the same lines, and the same place of the word. @param {Axes} axes */
  #follow(axes) {
    const { across, down, frame } = axes;
    this.ranges = axes.ranges;
    for (const [trace, line] of this.lines) line.setAttribute("d", drawn(trace, axes));
    if (!this.word) return;
    const { text, trace, gap } = this.word;
    const [x, y] = [across(Number(trace.x?.[gap.index])), down(Number(trace.y?.[gap.index]))];
    text.setAttribute("x", String(beside(x, frame.width)));
    text.setAttribute("y", String(foot({ ...gap, y }, frame.height)));
  }

  /**
   * The word "before" where the lines are far from each other, and beside what is drawn now.
   * @param {[Trace, Gap][]} found
   * @param {string[][]} parts  of the lines now
   * @param {number} height
   */
  #name(found, parts, height) {
    const far = found.sort(([, one], [, other]) => other.far - one.far);
    const tried = far.filter((_, index) => index % Math.ceil(far.length / PLACES) === 0);
    const lines = parts.map((part) => part.map((spot) => spot.split(",").map(Number)));
    const isFree = (/** @type {Gap} */ gap) => !lines.some((line) => touches(line, gap.x, foot(gap, height)));
    const [trace, gap] = tried.find(([, one]) => isFree(one)) ?? far[0];
    const text = svg("text", "", { x: gap.x, y: foot(gap, height) }, "before");
    this.words.append(text);
    this.word = { text, trace, gap };
  }

  /** Where the first pair of axes places numbers now; null where it is none of lines. @returns {?Axes} */
  #axes() {
    const { xaxis, yaxis } = this.plot._fullLayout ?? {};
    if (!xaxis || !yaxis || xaxis.type !== "linear" || yaxis.type !== "linear") return null;
    if (!xaxis.visible && !yaxis.visible) return null; // a drawing: no numbers to compare
    const range = (/** @type {string} */ id, /** @type {Axis} */ axis) => shownRange(this.plot, id, axis);
    const [x, y] = [range("x", xaxis), range("y", yaxis)];
    const frame = { left: xaxis._offset, top: yaxis._offset, width: xaxis._length, height: yaxis._length };
    const { across, down } = { across: scale(letterOf("x"), xaxis, x), down: scale(letterOf("y"), yaxis, y) };
    return { frame, across, down, ranges: String([x, y]) };
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
 * @param {Frame} frame
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
      if (far >= SEEN) found.push({ far, index, x: beside(x, width), y, down: toY < y });
    }
  }
  return found;
}

/** A line as SVG has it. @param {Trace} trace  @param {Axes} axes */
function drawn(trace, { across, down }) {
  return stretches(pixels(trace, across, down)).map((part) => `M${part.join("L")}`).join("");
}

/** Where a line that was is apart from what it is. @param {Trace} trace  @param {Trace[]} now  @param {Axes} axes */
function apart(trace, now, { across, down, frame }) {
  const other = now.find(({ name, xaxis, yaxis }) => name === trace.name && xaxis === trace.xaxis && yaxis === trace.yaxis);
  return gaps(pixels(trace, across, down), other && isLine(other) ? pixels(other, across, down) : [], frame);
}

/** Where a word at a line begins to be whole. @param {number} x  @param {number} width  of the frame */
function beside(x, width) {
  return Math.min(Math.max(x, EDGE), width - EDGE);
}

/** Where a word stands beside the line that was, away from the one that is. @param {Gap} gap  @param {number} height  of the frame */
function foot({ y, down }, height) {
  return Math.min(height - 4, Math.max(12, y + (down ? AWAY + 8 : -AWAY)));
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
