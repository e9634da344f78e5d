// A chart's zoom: off until its button asks for a box to draw, and while it is on the same button
// shows the whole again. What Plotly does with it chart_layout.js says.

import { rangesOf } from "./chart_layout.js";
import { button, element, setOrRemove, setText } from "./dom.js";

/** @import { Layout } from "./plotly.d.ts" */

const HINT = "Drag over the chart; Escape ends it.";

export class Zoom {
  /**
   * @param {() => Layout} layout  the figure's own, now
   * @param {() => void} redraw
   */
  constructor(layout, redraw) {
    this.layout = layout;
    this.redraw = redraw;
    this.drawing = false; // the next drag draws a box to zoom into
    this.views = 0; // how often the whole was asked for
    /** @type {Record<string, string>} */
    this.zoomed = {}; // axes, each with the range it would have
    const press = () => {
      this.button.focus(); // which a click does not give everywhere
      if (Object.keys(this.zoomed).length) this.whole();
      else this.#draws(!this.drawing);
    };
    this.button = button("", press, { class: "gl-button gl-zoom" });
    this.hint = element("p", "gl-zoom-hint", { role: "status" });
    this.button.addEventListener("keydown", ({ key }) => {
      if (key === "Escape" && this.drawing) this.#draws(false);
    });
    this.drawn();
  }

  whole() {
    this.views += 1;
    this.zoomed = {};
    this.redraw();
  }

  /** The learner has zoomed or moved the chart. @param {string[]} changes */
  changed(changes) {
    const names = changes.map((name) => name.split(".")[0]).filter((name) => name.includes("axis"));
    if (!names.length) return;
    const ranges = rangesOf(this.layout());
    for (const name of names) this.zoomed[name] = String(ranges[name]);
    if (this.drawing) this.#draws(false);
    else this.drawn();
  }

  /** Plotly has drawn: it forgets the zoom of an axis that has another range by itself. */
  drawn() {
    const ranges = rangesOf(this.layout());
    const kept = Object.entries(this.zoomed).filter(([name, whole]) => whole === String(ranges[name]));
    this.zoomed = Object.fromEntries(kept);
    const isWhole = !kept.length;
    setText(this.button, isWhole ? "Zoom" : "Whole view");
    // Without a mouse there is nothing to draw a box with.
    this.button.tabIndex = isWhole ? -1 : 0;
    this.button.toggleAttribute("data-zoomed", !isWhole);
    setOrRemove(this.button, "aria-pressed", this.drawing ? "true" : null);
    setText(this.hint, this.drawing ? HINT : "");
  }

  /** @param {boolean} drawing */
  #draws(drawing) {
    this.drawing = drawing;
    this.redraw();
  }
}
