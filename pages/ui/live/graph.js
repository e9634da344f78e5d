// The graph of one run: its drawing, the backward pass step by step beside it, and the scissors.
// What it shows comes from lessons/tracer/picture/drawing.py; stepping asks nothing of the server.

import { element, setChildren, setText } from "./dom.js";
import { Drawing, swatch } from "./graph_drawing.js";
import { reached } from "./graph_reached.js";
import { Stepper } from "./stepper.js";

/** @import { GraphSpec, LegendEntry } from "./messages.d.ts" */

// While a hand drags, the charts come first: the graph is drawn when the browser has nothing else to
// do, and at the latest so many milliseconds after its numbers came.
const LATEST = 100;
const atLeisure = "requestIdleCallback" in window
  ? (/** @type {() => void} */ work) => requestIdleCallback(work, { timeout: LATEST })
  : (/** @type {() => void} */ work) => setTimeout(work, LATEST / 2);

/** @type {Record<string, number | undefined>} */
const KEYS = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity };

export class Graph {
  /**
   * @param {HTMLElement} box
   * @param {{cut: () => void, moved: () => void}} told  of an edge cut or mended, of another step
   */
  constructor(box, told) {
    this.told = told;
    /** @type {GraphSpec | null} */
    this.spec = null;
    /** @type {number | null} */
    this.reset = null;
    this.step = 0;
    /** @type {Set<string>} */
    this.cuts = new Set();
    /** @type {string | null} */
    this.snip = null; // an edge clicked where each click is told once
    /** @type {string | null} */
    this.about = null; // the node or edge that is pointed at
    this.legendText = "";
    this.box = box;
    this.title = element("h3", "gl-title", { id: "gl-graph-title" });
    this.svg = element("div", "gl-drawing");
    this.detail = element("p", "gl-detail");
    this.covered = element("p", "gl-note");
    this.legend = element("ul", "gl-legend", { "aria-label": "What the lines mean" });
    this.words = element("p", "gl-words");
    const words = element("details", "gl-alternative", {}, element("summary", "gl-summary", {}, "The graph in words"), this.words);
    const stepper = element("div", "gl-stepper", { role: "group", "aria-label": "Backward pass, step by step" });
    const side = element("div", "gl-side", {}, this.covered, stepper, this.detail, this.legend, words);
    box.append(this.title, element("div", "gl-graph-body", {}, this.svg, side));
    this.drawing = new Drawing(this.svg, {
      look: (about) => this.#look(about),
      press: (id) => this.#press(id),
    });
    this.stepper = new Stepper(stepper, (to) => this.#go(to));
    box.addEventListener("keydown", (event) => this.#key(event));
  }

  /** The step as the address has it; null at the end, where it goes without saying. */
  get at() {
    return !this.spec?.steps.length || this.step === this.spec.steps.length ? null : this.step;
  }

  /**
   * @param {(GraphSpec & {at: number | null}) | null} spec  `at`: the step to show when `reset` is
   *   another one; null keeps the one there is
   * @param {number} reset
   * @param {boolean} newest  whether this answers the newest thing the learner did
   */
  show(spec, reset, newest) {
    this.box.hidden = !spec;
    if (!spec) {
      this.stepper.stop();
      this.spec = null;
      return;
    }
    const first = !this.spec;
    const last = spec.steps.length;
    const atEnd = !this.spec || this.step >= this.spec.steps.length;
    if (reset !== this.reset && spec.at !== null) this.step = spec.at;
    else if (atEnd) this.step = last;
    this.step = Math.max(0, Math.min(this.step, last));
    if (newest || reset !== this.reset) this.cuts = new Set(spec.cuts);
    this.reset = reset;
    this.spec = spec;
    setText(this.title, spec.title);
    setText(this.covered, spec.covered);
    this.covered.hidden = !spec.covered;
    this.detail.hidden = false;
    if (first) this.#draw();
    else this.#drawSoon();
  }

  stop() {
    this.stepper.stop();
  }

  /** Whatever has come by then is drawn, once. */
  #drawSoon() {
    if ("behind" in this.box.dataset) return;
    this.box.dataset.behind = "";
    atLeisure(() => {
      if ("behind" in this.box.dataset && this.spec) this.#draw();
    });
  }

  #draw() {
    const { spec, step } = this;
    if (!spec) return;
    delete this.box.dataset.behind;
    setText(this.words, spec.alternative);
    this.#showLegend(spec.legend);
    const here = reached(spec, step);
    this.drawing.show(spec, here, this.cuts);
    this.stepper.show(spec, step);
    this.#tell();
  }

  /** @param {number} to */
  #go(to) {
    if (!this.spec) return;
    const step = Math.max(0, Math.min(to, this.spec.steps.length));
    if (step === this.step) return;
    this.step = step;
    this.#draw();
    this.told.moved();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const by = KEYS[event.key];
    if (by === undefined || !this.spec || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.stepper.pause();
    this.#go(this.step + by);
  }

  /** @param {string} id */
  #press(id) {
    if (this.spec?.scissors === "cuts") {
      if (!this.cuts.delete(id)) this.cuts.add(id);
      this.drawing.markCuts(this.cuts); // at once; the numbers follow with the answer
    } else this.snip = id;
    this.told.cut();
  }

  /**
   * Show the whole tensors of a node or edge that is pointed at or focused.
   * @param {string | null} about
   */
  #look(about) {
    this.about = about;
    this.#tell();
  }

  #tell() {
    const { spec, about } = this;
    if (!spec) return;
    const node = about && spec.nodes.find(({ id }) => id === about);
    const edge = about && !node && spec.edges.find(({ id }) => id === about);
    const { shown } = reached(spec, this.step);
    let text = "Point at a node or an edge to see its whole tensor.";
    if (node) {
      text = `${node.label} = ${node.full}`;
      if (spec.steps.length) text += `\nupstream gradient: ${node.upstream_full}`;
    } else if (edge) {
      const between = `Edge from ${edge.from} to ${edge.to}`;
      if (!shown.has(edge.id)) text = `${between}: no gradient has come by here yet.`;
      else if (edge.alternative) text = `${edge.alternative}\nwhole: ${edge.full}`;
      else text = `${between}: its gradient is covered.`;
      if (edge.cuttable && spec.scissors) {
        text += this.cuts.has(edge.id) ? "\nClick or Enter mends it." : "\nClick or Enter cuts it.";
      }
    }
    setText(this.detail, text);
  }

  /** @param {LegendEntry[]} entries */
  #showLegend(entries) {
    const text = JSON.stringify(entries);
    if (text === this.legendText) return;
    this.legendText = text;
    setChildren(
      this.legend,
      entries.map(({ key, label }) => element("li", "", {}, swatch(key), label)),
    );
  }
}
