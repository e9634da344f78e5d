// The charts on the stage and in the open drawers. A chart that has not changed is not drawn.

import { Chart } from "./chart.js";

/** @import { FigureSpec } from "../messages.d.ts" */
/** @import { Plotly } from "../plotly.d.ts" */

export class Charts {
  /**
   * @param {import("../views.js").Views} views  where they stand
   * @param {import("./palette.js").Palette} palette
   * @param {import("../controls/controls.js").Controls} controls  that a click or a drag in a chart sets
   * @param {(trace: ?import("../plotly.d.ts").Trace) => void} hover  a line is pointed at, or none
   */
  constructor(views, palette, controls, hover) {
    this.views = views;
    this.palette = palette;
    this.controls = controls;
    this.hover = hover;
    /** @type {Map<string, Chart>} */
    this.all = new Map(); // the charts by figure id
    this.family = "";
    /** @type {?Plotly} */
    this.Plotly = null;
    this.resized = new ResizeObserver(() => {
      for (const chart of this.all.values()) chart.measure();
      this.draw();
    });
  }

  /**
   * Frames, titles, captions: everything but the drawing, which needs Plotly's script.
   * @param {FigureSpec[]} specs
   */
  frame(specs) {
    const before = this.all;
    this.all = new Map();
    for (const spec of specs) {
      const known = before.get(spec.id);
      const chart = known ?? new Chart(spec, this);
      if (!known) this.resized.observe(chart.plot);
      before.delete(spec.id);
      this.all.set(spec.id, chart);
      const box = this.views.box(spec.id);
      if (chart.root.parentNode !== box) box.append(chart.root);
      chart.frame(spec, this.views.name === spec.id);
    }
    for (const chart of before.values()) this.#drop(chart);
  }

  /** Draw what changed. */
  draw() {
    this.family ||= getComputedStyle(this.palette.root).fontFamily;
    // Sizes first, all of them: reading one after drawing another would lay the page out again.
    for (const chart of this.all.values()) if (!chart.width) chart.measure();
    for (const chart of this.all.values()) chart.update();
  }

  stop() {
    this.resized.disconnect();
    for (const chart of this.all.values()) this.#drop(chart);
    this.all.clear();
  }

  /** @param {Chart} chart */
  #drop(chart) {
    this.resized.unobserve(chart.plot);
    chart.drop();
  }
}
