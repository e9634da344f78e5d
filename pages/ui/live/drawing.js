// When the lab's charts are drawn: what is in sight now, the rest once the hand and the server give
// it time. Fetches Plotly's script.

import { loadPlotly } from "./chart_script.js";

/** @import { Charts } from "./charts.js" */
/** @import { Palette } from "./palette.js" */

const QUIET = 150; // ms without a new picture before the slower half of drawing is caught up on

/**
 * What decides when something is drawn.
 * @typedef {Object} Pace
 * @property {() => boolean} isQuiet  whether nothing is awaited from the server
 * @property {() => boolean} trains   whether pictures of a training come
 * @property {() => boolean} rests    whether the hand lies still, and what is shown is final
 * @property {() => void} drawn
 * @property {() => void} failed      there is no script to draw with
 */

export class Drawing {
  /**
   * @param {HTMLElement} root  the lab's, which says of which answer the charts are
   * @param {Charts} charts
   * @param {Palette} palette
   * @param {Pace} pace
   */
  constructor(root, charts, palette, pace) {
    this.root = root;
    this.charts = charts;
    this.palette = palette;
    this.pace = pace;
    this.seq = 0; // of the answer that is shown
    /** @type {?import("./plotly.d.ts").Plotly} */
    this.Plotly = null;
    this.recoloured = true; // until the charts have been drawn in the theme's colours
    this.later = 0;
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.repaint = () => {
      if (!palette.refresh()) return;
      this.recoloured = true;
      this.draw();
    };
    this.scheme.addEventListener("change", this.repaint);
  }

  /** What is in sight. */
  draw() {
    const { charts, recoloured } = this;
    if (!charts.framed) return;
    if (charts.all.size && !this.Plotly) return this.#load();
    const { dataset } = this.root;
    const seq = String(this.seq);
    const rests = this.pace.trains() ? null : this.pace.rests();
    const rest = this.Plotly ? charts.draw(this.Plotly, recoloured, rests) : false;
    this.recoloured = false;
    this.pace.drawn();
    dataset.seq = seq;
    dataset.ready = "true";
    clearTimeout(this.later);
    if (rest) this.later = setTimeout(() => this.#drawRest(), dataset.whole ? QUIET : 0);
    else dataset.caughtUp = seq;
    if (charts.areAllShown()) dataset.whole = seq;
  }

  stop() {
    clearTimeout(this.later);
    this.scheme.removeEventListener("change", this.repaint);
    this.charts.stop();
  }

  #load() {
    loadPlotly().then(
      (Plotly) => {
        this.Plotly = Plotly;
        this.draw();
      },
      (error) => {
        console.error(error);
        this.pace.failed();
      },
    );
  }

  #drawRest() {
    const trains = this.pace.trains();
    if (!this.pace.isQuiet() || trains) {
      // The next answer comes by here again; a training's pictures leave no quiet moment.
      if (trains) this.charts.drawUnseen();
      return;
    }
    this.charts.drawRest();
    this.root.dataset.whole = this.root.dataset.caughtUp = String(this.seq);
  }
}
