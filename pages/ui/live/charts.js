// The charts of a lab, by figure: which there are, and which of them are drawn when. A chart whose
// digest did not change is not touched.

import { Chart } from "./chart.js";
/** @import { FigureSpec } from "./messages.d.ts" */
/** @import { Controls } from "./controls.js" */
/** @import { Plotly } from "./plotly.d.ts" */

const UNSEEN = 150; // ms after which a chart is drawn that has had no width before

export class Charts {
  /**
   * @param {HTMLElement} root  the lab's
   * @param {import("./views.js").Views} views  where they stand
   * @param {import("./palette.js").Palette} palette
   * @param {?Controls} controls  that a click or a drag in a chart sets
   */
  constructor(root, views, palette, controls) {
    this.root = root;
    this.views = views;
    this.palette = palette;
    this.controls = controls;
    /** @type {Map<string, Chart>} */
    this.all = new Map(); // by figure id
    /** @type {Map<string, FigureSpec>} */
    this.specs = new Map(); // the newest of each, whole
    this.framed = false;
    this.family = "";
    /** @type {?boolean} */
    this.rests = null;
    /** @type {?Plotly} */
    this.Plotly = null;
    this.resized = new ResizeObserver((entries) => this.#resize(entries));
    this.sighted = new IntersectionObserver((entries) => this.#sight(entries), {
      rootMargin: "200px", // drawn a little before it scrolls into view
    });
  }

  /**
   * The same charts, those that came without their numbers as they came last.
   * @param {FigureSpec[]} specs
   */
  kept(specs) {
    return specs.map((spec) => {
      const whole = spec.figure ? spec : { ...spec, figure: this.specs.get(spec.id)?.figure };
      this.specs.set(spec.id, whole);
      return whole;
    });
  }

  /** Frames, titles, captions: everything but the drawing, which needs Plotly's script.
   * @param {FigureSpec[]} specs
   */
  frame(specs) {
    this.framed = true;
    const before = this.all;
    this.all = new Map();
    for (const spec of specs) {
      const chart = before.get(spec.id) ?? this.#make(spec);
      before.delete(spec.id);
      this.all.set(spec.id, chart);
      const box = this.views.box(spec.id);
      if (chart.root.parentNode !== box) box.append(chart.root);
      chart.frame(spec, this.views.name === spec.id);
    }
    for (const chart of before.values()) this.#drop(chart);
  }

  /**
   * Draw what changed and is in sight.
   * @param {Plotly} Plotly
   * @param {boolean} recoloured  everything counts as changed
   * @param {?boolean} rests  whether the hand lies still; null while something trains
   * @returns {boolean} whether something is left for `drawRest`
   */
  draw(Plotly, recoloured, rests) {
    this.Plotly = Plotly;
    this.rests = rests;
    this.root.classList.toggle("gl-eases", rests === true); // a hand that drags is followed at once
    const charts = [...this.all.values()];
    if (recoloured) {
      this.family = getComputedStyle(this.palette.root).fontFamily; // its own root may be in no page yet
      for (const chart of charts) if (chart.theme !== this.palette.theme) chart.forget();
    }
    // Widths first, all of them: reading one after drawing another would lay the page out again.
    for (const chart of charts) chart.width ??= chart.plot.clientWidth;
    const near = charts.filter((chart) => chart.isStale && chart.inSight);
    for (const chart of near) {
      if (!chart.drawQuickly()) chart.draw();
    }
    return charts.some((chart) => chart.width && (chart.isStale || chart.quick)); // not in a sheet that this window has none of
  }

  /** The hand came to rest, perhaps on what is drawn already. */
  rest() {
    if (this.rests === null) return;
    this.rests = true;
    this.root.classList.add("gl-eases");
  }

  /** Draw what has no shape yet, while pictures of a training leave no quiet moment. */
  drawUnseen() {
    for (const chart of this.all.values()) if (chart.digest === null) chart.draw();
  }

  /** Draw what is out of sight, and hand Plotly what was drawn without it: when there is time. */
  drawRest() {
    for (const chart of this.all.values()) if (chart.isStale || chart.quick) chart.draw();
  }

  areAllShown() {
    return ![...this.all.values()].some((chart) => chart.isStale);
  }

  stop() {
    this.resized.disconnect();
    this.sighted.disconnect();
    for (const chart of this.all.values()) this.#drop(chart);
    this.all.clear();
  }

  /** @param {ResizeObserverEntry[]} entries */
  #resize(entries) {
    for (const { target, contentRect } of entries) {
      const chart = this.all.get(target.parentElement?.dataset.figure ?? "");
      const width = Math.round(contentRect.width);
      if (!chart || chart.width === width) continue;
      chart.width = width;
      // The first time it may be out of sight: then what is in sight is painted before.
      if (chart.digest === null) setTimeout(() => chart.isStale && chart.root.isConnected && chart.draw(), UNSEEN);
      else if (this.Plotly) chart.draw();
      else chart.forget(); // taken over, and nothing to draw with yet
    }
  }

  /** @param {IntersectionObserverEntry[]} entries */
  #sight(entries) {
    for (const { target, isIntersecting } of entries) {
      const chart = this.all.get(target.getAttribute("data-figure") ?? "");
      if (!chart) continue;
      chart.inSight = isIntersecting;
      if (isIntersecting && this.Plotly && chart.isStale) chart.draw();
    }
  }

  /** @param {FigureSpec} spec */
  #make(spec) {
    const chart = new Chart(spec, this);
    this.#watch(chart);
    return chart;
  }

  /** @param {Chart} chart */
  #watch(chart) {
    this.resized.observe(chart.plot);
    this.sighted.observe(chart.root);
  }

  /** @param {Chart} chart */
  #drop(chart) {
    this.resized.unobserve(chart.plot);
    this.sighted.unobserve(chart.root);
    chart.drop();
  }
}
