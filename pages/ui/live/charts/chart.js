// One chart on the page: a Plotly node, made once and from then on only changed, so that zoom is kept
// and no frame is ever empty.

import { fullLayout, rangesOf } from "./chart_layout.js";
import { element, setOrRemove, setText } from "../dom.js";
import { draggable } from "./drag.js";
import { moveTraces } from "./plotly_fast_path.js";
import { phrase } from "../phrase.js";
import { equal } from "../state/equal.js";

const CONFIG = {
  displaylogo: false,
  showTips: false,
  doubleClick: false,
  showAxisDragHandles: false, // a drag moves what is under it; a chart is zoomed by its toolbar
  scrollZoom: false, // the wheel scrolls the page
  locales: { "en-US": { dictionary: { Zoom: phrase("zoom") } } }, // Plotly's own default
};

const STAGE_HEIGHT = 340; // px, the height of a chart on the stage: in a lesson more in a high window (lab.css), in a drawer at most that
const REDRAW_AFTER = 150; // ms without a new picture before Plotly draws the last one itself
const FINGER = matchMedia("(hover: none)");
const TITLE_HEIGHT = 24; // pixels above a chart that is taken away as a picture
// What the fast path moves in a trace, and what it leaves for later: under a pointer nothing is said
// while a hand drags, and what can be dragged is not drawn.
const MOVES = ["x", "y", "text", "hovertemplate", "hovertext", "meta"];

/** @import { Charts } from "./charts.js" */
/** @import { FigureSpec } from "../messages.d.ts" */
/** @import { Chart as Figure, Layout, Plot, Point } from "../plotly.d.ts" */

export class Chart {
  /** @param {FigureSpec} spec  @param {Charts} charts  those of the lab, this one among them */
  constructor(spec, charts) {
    this.charts = charts;
    this.spec = spec;
    /** @type {Record<string, unknown>} */
    this.held = {}; // the ranges of axes that stand still while something in the chart is dragged
    /** @type {?Figure} */
    this.drawn = null;
    this.look = ""; // size, colours and ranges of the last drawing, as text
    this.later = 0;
    this.width = 0; // px of its room on the page; 0 where it is hidden
    this.height = 0;
    this.listening = false; // Plotly has drawn here before
    this.views = 0; // how often the whole was asked for
    this.title = element("div", "gl-title");
    /** @type {Plot} */
    this.plot = element("div", "gl-plot", { role: "img" }); // the node that Plotly draws into
    this.caption = element("figcaption", "gl-caption");
    this.root = element("figure", "gl-figure", { "data-figure": spec.id }, this.title, this.plot, this.caption);
  }

  /**
   * Title, caption and room: everything but the drawing.
   * @param {FigureSpec} spec
   * @param {boolean} staged  whether it stands on the stage
   */
  frame(spec, staged) {
    const { plot } = this;
    this.spec = spec;
    setText(this.title, spec.title);
    setText(this.caption, spec.caption);
    plot.style.height = staged ? `calc(${STAGE_HEIGHT}px + var(--gl-taller, 0px))` : `${Math.min(spec.height, STAGE_HEIGHT)}px`;
    setOrRemove(plot, "aria-label", spec.alt);
  }

  /** Look how much room there is. */
  measure() {
    this.width = this.plot.clientWidth;
    this.height = this.plot.clientHeight;
  }

  /** Draw what has changed. */
  update() {
    const { drawn, spec } = this;
    const { figure } = spec;
    const same = this.look === this.#look();
    if (same && equal(drawn, figure)) return;
    if (FINGER.matches) this.plot.querySelector(".hoverlayer")?.replaceChildren(); // a finger leaves a label, with the old numbers
    if (!same || !drawn || !onlyMoves(drawn, figure) || !moveTraces(this.plot, figure.data)) return this.draw();
    this.drawn = figure;
    this.root.dataset.behind = ""; // Plotly still holds older numbers
    clearTimeout(this.later);
    this.later = setTimeout(() => this.draw(), REDRAW_AFTER);
  }

  draw() {
    const { Plotly, palette, controls, hover } = this.charts;
    const { plot, spec } = this;
    if (!Plotly || !this.width) return; // hidden for now; drawn when it gets a width
    this.drawn = spec.figure;
    this.look = this.#look();
    delete this.root.dataset.behind;
    clearTimeout(this.later);
    try {
      // The settings go in once: given again, Plotly measures the page to compare them, and
      // makes a new chart where the address has changed.
      const whole = { name: "whole", title: phrase("whole_view"), icon: Plotly.Icons.home, click: () => this.#whole() };
      const config = this.listening ? undefined : { ...CONFIG, modeBarButtons: [["zoom2d", whole]] };
      Plotly.react(plot, palette.paint(spec.figure.data), this.#full(), config);
    } catch (error) {
      console.error(`The chart ${spec.id} could not be drawn.`, error);
      return;
    }
    if (!this.listening) {
      this.listening = true;
      plot.on?.("plotly_click", ({ points }) => this.#clicked(points));
      plot.on?.("plotly_hover", ({ points }) => hover(this.spec.figure.data[points[0]?.curveNumber ?? -1] ?? null));
      plot.on?.("plotly_unhover", () => hover(null));
      plot.addEventListener("dblclick", () => this.#whole());
      draggable(this, controls);
    }
  }

  /** With a title, as the address of an SVG. */
  async picture(title = this.spec.title) {
    const { Plotly, palette } = this.charts;
    const { figure, id } = this.spec;
    if (!Plotly || !this.width) throw new Error(`No chart ${id} is drawn.`);
    const layout = this.#full();
    const margin = { ...layout.margin, t: (layout.margin?.t ?? 0) + TITLE_HEIGHT };
    const heading = { text: title, x: 0.01, xanchor: "left", font: { size: 14 } };
    const whole = { ...layout, ...palette.paint({ paper_bgcolor: "ink:paper" }), margin, title: heading };
    const size = { width: this.width, height: this.height + TITLE_HEIGHT };
    return Plotly.toImage({ data: palette.paint(figure.data), layout: { ...whole, ...size } }, { format: "svg", ...size });
  }

  drop() {
    clearTimeout(this.later);
    this.charts.Plotly?.purge(this.plot);
    this.root.remove();
  }

  /** The figure's layout, with the axes that a hand holds. @returns {Layout} */
  #layout() {
    const { layout } = this.spec.figure;
    const held = Object.entries(this.held).map(([name, range]) => [name, { .../** @type {object} */ (layout[name]), range }]);
    return { ...layout, ...Object.fromEntries(held) };
  }

  /** With what all charts share. */
  #full() {
    const { width, height, views, charts } = this;
    return fullLayout(this.#layout(), { width, height, family: charts.family }, views, charts.palette);
  }

  /** End the learner's zoom. */
  #whole() {
    this.views += 1;
    this.draw();
  }

  /** @param {Point[]} points */
  #clicked(points) {
    const value = points[0]?.customdata;
    const { selects } = this.spec;
    if (selects && value !== undefined && value !== null) {
      this.charts.controls.choose({ [selects]: String(value) }, false);
    }
  }

  /** While a hand drags in a chart its axes stand still. @param {boolean} still */
  hold(still) {
    this.held = still ? rangesOf(this.#layout()) : {};
    if (!still) this.draw();
  }

  /** All that the drawing depends on besides the figure, as text. */
  #look() {
    const { width, height, charts } = this;
    return JSON.stringify([height, width, charts.palette.theme, rangesOf(this.#layout())]);
  }
}

/**
 * Whether two figures differ only in their points, lines, words and ranges.
 * @param {Figure} one
 * @param {Figure} other
 */
function onlyMoves({ data, layout }, other) {
  const names = Object.keys(layout);
  return (
    data.length === other.data.length &&
    data.every((trace, index) => equal(trace, other.data[index], MOVES)) &&
    equal(names, Object.keys(other.layout)) &&
    names.every((name) => equal(layout[name], other.layout[name], ["range"]))
  );
}
