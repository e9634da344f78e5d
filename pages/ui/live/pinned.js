// The chart that a cut changes, once more in small beside the graph, so that both are seen at once: in
// the graph's second column, on a phone a sheet at the window's edge while the graph is in sight. The
// styles hold it there; it takes its room whether it is seen or not, so nothing ever jumps.

import { Charts } from "./charts.js";
import { element, setText } from "./dom.js";

/** @import { FigureSpec } from "./messages.d.ts" */

const HEIGHT = 140; // px; with what stands round it about a quarter of a phone
const MARGIN = { l: 48, r: 12, b: 38 }; // px
// What a cut changes has this name in every lab that draws it; elsewhere it is the first chart.
const GRADIENT = "gradient";

let folded = false; // in this tab, for the next lesson too

export class Pinned {
  /**
   * @param {HTMLElement} box
   * @param {import("./palette.js").Palette} palette
   * @param {import("./controls.js").Controls} controls
   * @param {() => void} redraw
   */
  constructor(box, palette, controls, redraw) {
    this.box = box;
    /** @type {FigureSpec[]} */
    this.shown = [];
    const figures = element("div", "gl-small", { id: "gl-small" });
    this.title = element("span", "gl-title");
    this.fold = element("button", "gl-button gl-fold", { type: "button", "aria-controls": "gl-small" });
    this.fold.addEventListener("click", () => {
      folded = !folded;
      this.#frame();
      redraw();
    });
    box.append(element("div", "gl-bar", {}, this.title, this.fold), figures);
    this.charts = new Charts(figures, palette, controls);
  }

  /**
   * @param {FigureSpec[]} figures  those of the lab
   * @param {boolean} drawn  whether there is a graph to stand beside
   */
  frame(figures, drawn) {
    const main = figures.find(({ id }) => id === GRADIENT) ?? figures[0];
    this.shown = drawn && main ? [small(main)] : [];
    this.box.hidden = !this.shown.length;
    setText(this.title, main?.title ?? "");
    this.#frame();
  }

  /** Out of sight it costs nothing: it is drawn when it comes. */
  drawRest() {
    if ([...this.charts.slots.values()].every(({ inSight }) => inSight)) this.charts.drawRest();
  }

  #frame() {
    setText(this.fold, folded ? "Show chart" : "Hide chart");
    this.fold.setAttribute("aria-expanded", String(!folded));
    this.charts.frame(folded ? [] : this.shown);
  }
}

/** Without the title of its upright axis, which is too long for it. @param {FigureSpec} spec  @returns {FigureSpec} */
function small({ figure, ...spec }) {
  const { margin, yaxis } = figure?.layout ?? {};
  const layout = { ...figure?.layout, margin: { ...MARGIN, .../** @type {object} */ (margin), t: 8 }, yaxis: { ...yaxis, title: { text: "" } } };
  const shown = figure && { ...figure, layout };
  return { ...spec, figure: shown, id: "pinned", title: "", caption: "", wide: true, height: HEIGHT };
}
