// Charts that stay in sight, once more in small: beside the graph the one that a cut changes, on a phone
// as a sheet at the window's lower edge while the graph is in sight; and at a phone's upper edge, while
// the controls are in sight, the two that a hand on them changes. The styles hold a sheet there; it
// takes its room whether it is seen or not, so nothing ever jumps.

import { Charts } from "./charts.js";
import { element, setText } from "./dom.js";
import { PACE } from "./pace.js";
import { small } from "./small.js";

/** @import { FigureSpec } from "./messages.d.ts" */

// What a cut changes has this name in every lab that draws it; elsewhere it is the first chart.
const GRADIENT = "gradient";
const TRAINING = "training"; // a short one, run anew at each move

/** @type {Set<string>} */
const folded = new Set(); // the sheets, in this tab, for the next lesson too

/** The chart that a cut changes. @param {FigureSpec[]} figures  @returns {FigureSpec | undefined} */
export function cutChanges(figures) {
  return ordered(figures, [GRADIENT])[0];
}

/** The two that a control changes, in small, what the text speaks of first. @param {FigureSpec[]} figures  @param {string} [part] */
export function handChanges(figures, part = "") {
  const two = ordered(figures, [part, GRADIENT, TRAINING]).slice(0, 2);
  return two.map((spec) => small(spec, `hand-${spec.id}`)); // another step's chart is another one
}

/** Those of these names come first. @param {FigureSpec[]} figures  @param {string[]} names */
function ordered(figures, names) {
  const first = names.flatMap((name) => figures.filter(({ id }) => id === name));
  return [...new Set([...first, ...figures])];
}

export class Pinned {
  /**
   * @param {HTMLElement} box
   * @param {string} name  of the sheet
   * @param {import("./palette.js").Palette} palette
   * @param {?import("./controls.js").Controls} controls
   * @param {() => void} redraw
   */
  constructor(box, name, palette, controls, redraw) {
    this.box = box;
    this.name = name;
    /** @type {FigureSpec[]} */
    this.shown = [];
    /** @type {?Element} */
    this.large = null; // the chart that the only one is a copy of …
    this.seen = false; // … and whether at least half of it is
    this.sighted = new IntersectionObserver((entries) => (this.seen = Boolean(entries.at(-1)?.isIntersecting)), {
      threshold: 0.5,
    });
    this.drawnAt = 0; // ms
    const figures = element("div", "gl-small", { id: `gl-small-${name}` });
    this.title = element("span", "gl-title");
    this.fold = element("button", "gl-button gl-fold", { type: "button", "aria-controls": figures.id });
    this.fold.addEventListener("click", () => {
      if (!folded.delete(name)) folded.add(name);
      this.#frame();
      redraw();
    });
    box.append(element("div", "gl-bar", {}, this.title, this.fold), figures);
    this.charts = new Charts(figures, palette, controls);
  }

  /**
   * @param {FigureSpec[]} figures  in small; the first one's title stands in the bar
   * @param {?Element} [large]  the chart that the only one is a copy of
   */
  frame(figures, large = null) {
    this.shown = figures;
    if (large !== this.large) this.#look(large);
    this.box.hidden = !this.shown.length;
    this.#frame();
  }

  /**
   * As all charts are drawn; but what is seen in large as well need not follow each movement.
   * @param {import("./plotly.d.ts").Plotly} Plotly
   * @param {boolean} recoloured
   * @param {?boolean} rests
   */
  draw(Plotly, recoloured, rests) {
    const now = performance.now();
    const changed = !this.charts.areAllShown(); // where it has not, nothing is drawn that delays the next
    if (changed && rests === false && !recoloured && this.seen && now - this.drawnAt < PACE) return true;
    if (changed) this.drawnAt = now;
    return this.charts.draw(Plotly, recoloured, rests);
  }

  stop() {
    this.sighted.disconnect();
    this.charts.stop();
  }

  /** Out of sight it costs nothing: it is drawn when it comes. */
  drawRest() {
    if ([...this.charts.all.values()].every(({ inSight }) => inSight)) this.charts.drawRest();
  }

  /** @param {?Element} large */
  #look(large) {
    this.large = large;
    this.seen = false;
    this.sighted.disconnect();
    if (large) this.sighted.observe(large);
  }

  #frame() {
    const [first, ...others] = this.shown;
    const isFolded = folded.has(this.name);
    setText(this.title, first?.title ?? "");
    setText(this.fold, `${isFolded ? "Show" : "Hide"} chart${others.length ? "s" : ""}`);
    this.fold.setAttribute("aria-expanded", String(!isFolded));
    this.charts.frame(isFolded || !first ? [] : [{ ...first, title: "" }, ...others]);
  }
}
