// The graph of one run: its drawing, the backward pass step by step beside it, and the scissors.
// What it shows comes from lessons/tracer/picture/graph_drawing.py; stepping asks nothing of the server.

import { element, setChildren, setText } from "./dom.js";
import { Drawing } from "./graph_drawing.js";
import { hasLanded, momentAt } from "./graph_pulse.js";
import { reached } from "./graph_reached.js";
import { swatch } from "./graph_shapes.js";
import { away, behavior, scroller } from "./in_sight.js";
import { StepWords } from "./step_words.js";
import { Stepper } from "./stepper.js";

/** @import { GraphSpec, LegendEntry } from "./messages.d.ts" */

// While a hand drags, the charts come first: the graph is drawn when the browser has nothing else to
// do, and at the latest so many milliseconds after its numbers came.
const LATEST = 100;
const atLeisure = "requestIdleCallback" in window
  ? (/** @type {() => void} */ work) => requestIdleCallback(work, { timeout: LATEST })
  : (/** @type {() => void} */ work) => setTimeout(work, LATEST / 2);

const NO_MOUSE = matchMedia("(hover: none)"); // a finger taps, and points at nothing
const ARROWS = "Grey arrows: values, forward. Coloured arrows: gradients, back; the thicker, the larger.";
/** @type {Record<string, number | undefined>} */
const KEYS = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity };

export class Graph {
  /**
   * @param {HTMLElement} box
   * @param {Object} handlers
   * @param {() => void} handlers.cut    an edge was cut or mended
   * @param {() => void} handlers.moved  another step
   * @param {() => void} handlers.seen   it has come into sight
   * @param {(id: string | null) => void} handlers.looked  a node or edge is pointed at, or none
   * @param {() => string[]} handlers.code  the lines of the program
   */
  constructor(box, handlers) {
    this.handlers = handlers;
    /** @type {GraphSpec | null} */
    this.spec = null;
    /** @type {number | null} */
    this.reset = null;
    this.inSight = true;
    this.drawn = ""; // the digest of what is drawn
    this.place = 0; // steps of the backward pass; between two whole ones a gradient is on its way
    /** @type {Set<string>} */
    this.cuts = new Set();
    /** @type {string | null} */
    this.snip = null; // an edge clicked where each click counts once
    /** @type {string | null} */
    this.about = null; // the node or edge that is pointed at
    this.legendText = "";
    this.box = box;
    this.title = element("h3", "gl-title", { id: "gl-graph-title" });
    this.entries = element("p", "gl-caption gl-entries");
    this.svg = element("div", "gl-drawing");
    this.rewritten = element("p", "gl-note gl-rewritten", { role: "status", hidden: "" });
    this.detail = element("p", "gl-detail");
    this.covered = element("p", "gl-note");
    this.legend = element("ul", "gl-legend", { "aria-label": "What the lines mean" });
    this.words = element("p", "gl-words");
    const words = element("details", "gl-alternative", {}, element("summary", "gl-summary", {}, "The graph in words"), this.words);
    this.pinned = element("div", "gl-pinned"); // for the main chart
    const stepper = element("div", "gl-stepper", { role: "group", "aria-label": "Backward pass, step by step" });
    const handy = element("div", "gl-handy", {}, this.pinned, stepper);
    const said = element("div", "gl-step");
    const side = element("div", "gl-side", {}, this.covered, this.rewritten, said, this.detail);
    const beside = element("div", "gl-beside", {}, handy, side);
    const below = element("div", "gl-below", {}, this.legend, words);
    box.append(this.title, this.entries, element("div", "gl-graph-body", {}, this.svg, beside, below));
    this.drawing = new Drawing(this.svg, {
      look: (about) => this.#look(about),
      press: (id) => this.#press(id),
    });
    this.stepper = new Stepper(stepper, (to, scrubs) => this.#go(to, scrubs));
    this.said = new StepWords(said);
    box.addEventListener("keydown", (event) => this.#key(event));
    this.sighted = new IntersectionObserver((entries) => this.#sight(entries), { rootMargin: "200px" }); // or nearly
    this.sighted.observe(box);
  }

  /** The step that is shown, were it only on its way. */
  get step() {
    return Math.ceil(this.place);
  }

  /** The step as the address has it; null at the end, where it goes without saying. */
  get graphStep() {
    return !this.spec?.steps.length || this.step === this.spec.steps.length ? null : this.step;
  }

  /**
   * @param {(GraphSpec & {graphStep: number | null}) | null} spec  `graphStep`: the step to show when `reset` is
   *   another one; null keeps the one there is
   * @param {number} reset
   * @param {boolean} newest  whether this answers the newest thing the learner did
   * @param {boolean} moves  whether a hand drags: then nothing but numbers changes
   */
  show(spec, reset, newest, moves) {
    this.box.hidden = !spec;
    if (!spec) {
      this.stepper.pause();
      this.spec = null;
      return;
    }
    const first = !this.spec;
    const last = spec.steps.length;
    const atEnd = !this.spec || this.place >= this.spec.steps.length;
    if (reset !== this.reset && spec.graphStep !== null) this.place = spec.graphStep;
    else if (atEnd) this.place = last;
    this.place = Math.max(0, Math.min(this.place, last));
    if (newest || reset !== this.reset) this.cuts = new Set(spec.cuts);
    this.reset = reset;
    this.spec = spec;
    setText(this.title, spec.title);
    setText(this.entries, `${spec.entries} ${spec.sums}`.trim());
    setText(this.covered, spec.covered);
    this.covered.hidden = !spec.covered;
    this.detail.hidden = false;
    if (first) this.#draw();
    else if (!moves || spec.digest !== this.drawn) this.#drawSoon();
  }

  /**
   * Say which line of the program a cut has changed: it may stand out of sight.
   * @param {string} before  the program  @param {string} now
   */
  tell(before, now) {
    const [old, lines] = [before, now].map((program) => program.split("\n"));
    const row = lines.findIndex((line, index) => line !== old[index]);
    const text = row < 0 ? "" : `Line ${row + 1} of the program now says: ${lines[row].trim()}`;
    setText(this.rewritten, text);
    this.rewritten.hidden = !text;
  }

  stop() {
    this.sighted.disconnect();
    this.stepper.pause();
  }

  /** @param {IntersectionObserverEntry[]} entries */
  #sight(entries) {
    this.inSight = Boolean(entries.at(-1)?.isIntersecting);
    if (this.inSight) this.handlers.seen();
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
    const { spec, step, place } = this;
    if (!spec) return;
    delete this.box.dataset.behind;
    this.drawn = spec.digest ?? "";
    setText(this.words, spec.alternative);
    this.#showLegend(spec.legend);
    this.drawing.show(spec, reached(spec, step, hasLanded(place)), this.cuts);
    this.said.show(spec, step);
    this.#describe();
    this.#move();
  }

  /** What moves between two steps. */
  #move() {
    const { spec, place } = this;
    if (!spec) return;
    this.drawing.fly(momentAt(spec, place));
    this.stepper.show(spec, place);
  }

  /** @param {number} place  @param {boolean} scrubs  whether a hand is on the bar: nothing moves below it */
  #go(place, scrubs = false) {
    if (!this.spec || place === this.place) return;
    const { step, place: before } = this;
    this.place = place;
    if (this.step === step && hasLanded(place) === hasLanded(before)) this.#move();
    else this.#draw();
    if (this.step === step) return;
    if (!scrubs) this.#follow();
    this.handlers.moved();
  }

  /** A press on Next seems to do nothing while the step's node is out of sight. */
  #follow() {
    const node = this.svg.querySelector('.gl-node[data-step="current"]');
    const root = this.box.closest(".gl-lab");
    const by = root && node ? away(root, node) : 0;
    if (by) scroller(this.box).scrollBy({ top: by, behavior: behavior() });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const by = KEYS[event.key];
    if (by === undefined || !this.spec || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.stepper.by(by);
  }

  /** @param {string} id */
  #press(id) {
    if (this.spec?.scissors === "cuts") {
      if (!this.cuts.delete(id)) this.cuts.add(id);
      this.drawing.markCuts(this.cuts); // at once; the numbers follow with the answer
    } else this.snip = id;
    this.handlers.cut();
  }

  /**
   * Show the whole tensors of a node or edge that is pointed at or focused.
   * @param {string | null} about
   */
  #look(about) {
    this.about = about;
    this.#describe();
    this.handlers.looked(about);
  }

  #describe() {
    const { spec, about } = this;
    if (!spec) return;
    const node = about && spec.nodes.find(({ id }) => id === about);
    const edge = about && !node && spec.edges.find(({ id }) => id === about);
    const { shown } = reached(spec, this.step);
    const [pointAt, click] = NO_MOUSE.matches ? ["Tap", "tap"] : ["Point at", "click"];
    let text = `${pointAt} a node or an edge to see its whole tensor${spec.scissors ? `; ${click} an edge to cut it` : ""}.`;
    if (node) {
      text = `${node.label} = ${node.full}`;
      if (spec.steps.length) text += `\nupstream gradient: ${node.upstream_full}`;
      for (const sentence of node.stale) text += `\n${sentence}`;
    } else if (edge) {
      const between = `Edge from ${edge.from} to ${edge.to}`;
      if (!shown.has(edge.id)) text = `${between}: no gradient has come by here yet.`;
      else if (edge.alternative) text = `${edge.alternative}\nwhole: ${edge.full}`;
      else text = `${between}: its gradient is covered.`;
      if (edge.cuttable && spec.scissors) {
        const hand = NO_MOUSE.matches ? "A tap" : "Click or Enter";
        text += `\n${hand} ${this.cuts.has(edge.id) ? "mends" : "cuts"} it.`;
      }
    }
    const said = spec.stretches.find((stretch) => stretch.node === (edge ? edge.to : about));
    if (said) text += `\nin the code: ${this.handlers.code()[said.line]?.trim() ?? ""}`;
    setText(this.detail, text);
  }

  /** @param {LegendEntry[]} entries */
  #showLegend(entries) {
    const text = JSON.stringify(entries);
    if (text === this.legendText) return;
    this.legendText = text;
    const rows = entries.map(({ key, label }) => element("li", "", {}, swatch(key), label));
    setChildren(this.legend, rows.length ? [element("li", "", {}, ARROWS), ...rows] : []);
  }
}
