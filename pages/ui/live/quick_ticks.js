// Words at an axis' ticks that change where the ticks stay, written without Plotly. What it wrote is
// put back before it draws again: it looks at its own data, and not at what stands on the page.

import { setText } from "./dom.js";
import { widths } from "./quick_axis.js";

/** @import { Axis } from "./plotly.d.ts" */

const GAP = 6; // pixels that Plotly at least leaves between two, else it turns them

export class QuickTicks {
  /** @param {HTMLElement} plot  @param {string} id  as Plotly calls the axis  @param {Axis} axis */
  constructor(plot, id, axis) {
    this.axis = axis;
    this.nodes = [...plot.querySelectorAll(`.${id[0]}axislayer-above > g.${id}tick > text`)];
    this.drawn = this.nodes.map((node) => node.textContent ?? "");
    // Otherwise some are outside, turned, or of several pieces.
    this.isPlain =
      String(this.drawn) === String(axis.ticktext) &&
      this.nodes.every((node) => !node.childElementCount && !/rotate\((?!0,)/.test(node.getAttribute("transform") ?? ""));
  }

  /**
   * Whether there is room for these words where the old ones stand.
   * @param {string[]} words
   */
  fit(words) {
    if (!this.isPlain || words.length !== this.nodes.length || words.some((word) => /[<&]/.test(word))) return false;
    const { axis } = this;
    const wide = widths(axis, words);
    const places = (axis.tickvals ?? []).map((value) => axis.c2p(value));
    return wide.every((width, index) => {
      if (!index) return true;
      return (width + wide[index - 1]) / 2 + GAP < Math.abs(places[index] - places[index - 1]);
    });
  }

  putBack() {
    this.nodes.forEach((node, index) => setText(node, this.drawn[index]));
  }
}
