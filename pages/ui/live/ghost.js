// The curves as they were before the last change, pale, until the next one: what a hand has done is
// then seen and not only remembered. They lie under the chart, in its own pixels, and move with its
// axes; nothing of Plotly's is touched.

import { pixels, shownRange, stretches } from "./quick.js";
import { letterOf, scale } from "./quick_axis.js";

/** @import { FigureSpec } from "./messages.d.ts" */
/** @import { Axis, Plot, Trace } from "./plotly.d.ts" */
/** @import { Palette } from "./palette.js" */

const SVG = "http://www.w3.org/2000/svg";
const SEEN = 3; // pixels between then and now, from which on it is worth drawing
const AWAY = 8; // pixels from the line to the word at it
const EDGE = 30; // pixels that the word needs to either side

export class Ghost {
  /** @param {HTMLElement} root  of the chart  @param {Plot} plot  @param {Palette} palette */
  constructor(root, plot, palette) {
    this.plot = plot;
    this.palette = palette;
    this.svg = layer();
    this.words = layer(); // over the chart, where an area would hide it
    root.insertBefore(this.svg, plot);
    plot.after(this.words);
    /** @type {?FigureSpec} */
    this.rested = null; // as it was when the hand last lay still
    /** @type {?FigureSpec} */
    this.before = null; // what is drawn pale
    this.moving = false;
    this.drawn = "";
  }

  /**
   * The chart shows this now.
   * @param {FigureSpec} spec
   * @param {boolean} rests  whether the hand lies still
   */
  follow(spec, rests) {
    const { rested } = this;
    const changed = rested !== null && rested.digest !== spec.digest;
    // Another step, another lab or other parts: nothing to compare with.
    if (rested && rested.style !== spec.style) this.before = null;
    else if (changed && !this.moving) this.before = rested;
    this.moving = changed && !rests;
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

  #clear() {
    this.svg.replaceChildren();
    this.words.replaceChildren();
  }

  /** @param {FigureSpec} spec */
  #draw(spec) {
    const axes = this.#axes();
    const now = spec.figure?.data ?? [];
    const lines = axes ? (this.before?.figure?.data ?? []).filter(isLine) : [];
    const key = lines.length ? JSON.stringify([this.before?.digest, axes?.key, this.palette.theme]) : "";
    // A hand that drags moves the line and not what it was.
    if (key && key === this.drawn && this.moving) return;
    this.drawn = key;
    this.#clear();
    if (!axes || !key) return;
    const { offsetLeft, offsetTop } = this.plot;
    this.svg.style.cssText = this.words.style.cssText = `left:${offsetLeft + axes.left}px;top:${offsetTop + axes.top}px;width:${axes.width}px;height:${axes.height}px`;
    /** @type {?{far: number, x: number, y: number, down: boolean}} */
    let word = null;
    for (const trace of lines) {
      const other = now.find(({ name, xaxis, yaxis }) => name === trace.name && xaxis === trace.xaxis && yaxis === trace.yaxis);
      const spots = pixels(trace, axes.across, axes.down);
      const others = other && isLine(other) ? pixels(other, axes.across, axes.down) : [];
      const gap = furthest(spots, others, axes.width);
      if (gap.far < SEEN) continue;
      const path = document.createElementNS(SVG, "path");
      path.setAttribute("d", stretches(spots).map((part) => `M${part.join("L")}`).join(""));
      const colour = trace.fill === "toself" ? trace.fillcolor : trace.line?.color;
      path.setAttribute("stroke", String(this.palette.paint(String(colour ?? "ink:text").replace(/\/.*/, ""))));
      if (trace.fill === "toself") path.setAttribute("class", "gl-area"); // its edges alone
      this.svg.append(path);
      if (!word || gap.far > word.far) word = gap;
    }
    if (word) this.#name(word, axes.height);
  }

  /** The word "before" where the lines are furthest from each other. */
  #name(/** @type {{x: number, y: number, down: boolean}} */ { x, y, down }, /** @type {number} */ height) {
    const text = document.createElementNS(SVG, "text");
    const at = y + (down ? AWAY + 8 : -AWAY);
    text.setAttribute("x", String(x));
    text.setAttribute("y", String(Math.min(height - 4, Math.max(12, at))));
    text.textContent = "before";
    this.words.append(text);
  }

  /** Where the first pair of axes places numbers now; null where it is none of lines. */
  #axes() {
    const { xaxis, yaxis } = this.plot._fullLayout ?? {};
    if (!xaxis || !yaxis || xaxis.type !== "linear" || yaxis.type !== "linear") return null;
    const range = (/** @type {string} */ id, /** @type {Axis} */ axis) => shownRange(this.plot, id, axis);
    const [x, y] = [range("x", xaxis), range("y", yaxis)];
    const place = { left: xaxis._offset, top: yaxis._offset, width: xaxis._length, height: yaxis._length };
    const { across, down } = { across: scale(letterOf("x"), xaxis, x), down: scale(letterOf("y"), yaxis, y) };
    return { ...place, across, down, key: [x, y, ...Object.values(place)] };
  }
}

function layer() {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "gl-ghost");
  svg.setAttribute("aria-hidden", "true");
  return svg;
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
 * How far a line is from what it was at most, and where; upwards or down.
 * @param {(string|null)[]} spots
 * @param {(string|null)[]} others
 * @param {number} width
 */
function furthest(spots, others, width) {
  const found = { far: 0, x: 0, y: 0, down: false };
  for (const [index, spot] of spots.entries()) {
    const other = others[index];
    if (!spot || !other) continue;
    const [x, y] = spot.split(",").map(Number);
    const [, toY] = other.split(",").map(Number);
    const far = Math.abs(toY - y);
    if (far <= found.far) continue;
    const beside = Math.min(Math.max(x, EDGE), width - EDGE);
    Object.assign(found, { far, x: beside, y, down: toY < y });
  }
  return found;
}
