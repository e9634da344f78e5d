// The chart that a cut changes, once more in small beside the graph, so that both are seen at once: in
// the graph's second column, on a phone a sheet at the window's edge while the graph is in sight. The
// styles hold it there; it takes its room whether it is seen or not, so nothing ever jumps.

import { Charts } from "./charts.js";
import { element, setText } from "./dom.js";

/** @import { FigureSpec } from "./messages.d.ts" */
/** @import { Trace } from "./plotly.d.ts" */

const HEIGHT = 140; // px; with what stands round it about a quarter of a phone
const MARGIN = { l: 48, r: 12, b: 38 }; // px
const NAME = 13; // px from a line's name to the next
const PLOT = HEIGHT - 46; // px between the upper margin and the lower
const WIDTH = 310; // px of the narrowest, beside a graph
const LETTER = 7; // px of one below its axis, with what parts two words
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
    if ([...this.charts.all.values()].every(({ inSight }) => inSight)) this.charts.drawRest();
  }

  #frame() {
    setText(this.fold, folded ? "Show chart" : "Hide chart");
    this.fold.setAttribute("aria-expanded", String(!folded));
    this.charts.frame(folded ? [] : this.shown);
  }
}

/**
 * The same traces, with the names at the ends of lines as far from each other as this height asks for.
 * @param {import("./plotly.d.ts").Chart} figure
 */
function apart({ data, layout: { xaxis, yaxis } }) {
  const [low, high] = yaxis?.range ?? [0, 1];
  const [bottom, top] = /** @type {[number, number]} */ (yaxis?.domain ?? [0, 1]);
  const step = (NAME / (PLOT * (top - bottom))) * (high - low);
  const log = yaxis?.type === "log"; // its range is one of exponents
  const height = (/** @type {Trace} */ { y }) => (log ? Math.log10(Number(y?.[0])) : Number(y?.[0]));
  const names = data
    .filter(({ mode, visible, x }) => mode === "text" && visible !== false && x?.length === 1 && x[0] === xaxis?.range?.[1])
    .sort((one, other) => height(one) - height(other));
  const places = names.map(height);
  for (let i = 1; i < places.length; i++) places[i] = Math.max(places[i], places[i - 1] + step);
  for (let i = places.length - 1, most = high - step / 2; i >= 0; i--, most -= step) {
    most = places[i] = Math.min(places[i], most);
  }
  const moved = new Map(names.map((trace, i) => [trace, { ...trace, y: [log ? 10 ** places[i] : places[i]] }]));
  return data.map((trace) => moved.get(trace) ?? trace);
}

/**
 * An axis with words below it, as many of them as have room: none runs into the next.
 * @template {{ticktext?: string[], tickvals?: (number | string)[]} | undefined} T
 * @param {T} axis  @param {number} width  @returns {T}
 */
function thinned(axis, width) {
  const { ticktext: words, tickvals: values } = axis ?? {};
  if (!words || !values) return axis;
  const longest = Math.max(...words.map((word) => word.replace(/<[^>]*>/g, "").length));
  const every = Math.ceil((LETTER * longest * words.length) / width);
  const kept = (/** @type {any} */ _, /** @type {number} */ place) => place % every === 0;
  return { ...axis, ticktext: words.filter(kept), tickvals: values.filter(kept) };
}

/**
 * Without the title of its upright axis, which is too long for it. Where both axes have one scale the
 * lines are too short for names beside them: their colours are named in the large chart.
 * @param {FigureSpec} spec  @returns {FigureSpec}
 */
function small({ figure, ...spec }) {
  const { margin, xaxis, yaxis } = figure?.layout ?? {};
  const room = { ...MARGIN, .../** @type {{l?: number, r?: number}} */ (margin), t: 8 };
  const layout = { ...figure?.layout, margin: room, xaxis: thinned(xaxis, WIDTH - room.l - room.r), yaxis: { ...yaxis, title: { text: "" } } };
  const data = figure && (yaxis?.scaleanchor ? figure.data.filter(({ mode }) => mode !== "text") : apart(figure));
  const shown = data && { data, layout };
  return { ...spec, figure: shown, id: "pinned", title: "", caption: "", wide: true, height: HEIGHT };
}
