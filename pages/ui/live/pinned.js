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
    /** @type {?import("./chart.js").Chart} */
    this.large = null;
    this.drawnAt = 0;
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
   * @param {?import("./chart.js").Chart} [large]  of which the only one is a copy
   */
  frame(figures, large = null) {
    this.shown = figures;
    this.large = large;
    this.box.hidden = !this.shown.length;
    this.#frame();
  }

  /** What is seen in large as well need not follow each movement. @param {?boolean} rests  whether the hand lies still */
  waits(rests) {
    const now = performance.now();
    if (rests === false && this.large?.seen && now - this.drawnAt < PACE) return true;
    this.drawnAt = now;
    return false;
  }

  /** Out of sight it costs nothing: it is drawn when it comes. */
  drawRest() {
    if ([...this.charts.all.values()].every(({ inSight }) => inSight)) this.charts.drawRest();
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
