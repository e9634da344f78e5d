// The graph of one run: its drawing with the scissors, the sum that an input's gradient is, and the
// backward pass step by step, folded away at first. What it shows comes from
// lessons/gradient_tricks/recorder/picture/graph_drawing.py; stepping asks nothing of the server.

import { ALONG, element, setText } from "../dom.js";
import { Drawing } from "./graph_drawing.js";
import { hasLanded, pulsesAt } from "./graph_pulse.js";
import { reached } from "./graph_reached.js";
import { fitsWide, laid } from "./graph_shapes.js";
import { phrase } from "../phrase.js";
import { equal } from "../state/equal.js";
import { StepWords } from "./step_words.js";
import { Stepper } from "./stepper.js";

/** @import { Laid } from "./graph_shapes.js" */
/** @import { GraphSpec } from "../messages.d.ts" */

const NO_MOUSE = matchMedia("(hover: none)"); // a finger taps, and points at nothing
const NARROW_WINDOW = matchMedia("(max-width: 640px)");
const MOST_UPRIGHT = 700; // px of a drawing's width that leave room for words at its side

export class Graph {
  /**
   * @param {HTMLElement} box
   * @param {Object} handlers
   * @param {() => void} handlers.cut    an edge was cut or mended
   * @param {() => void} handlers.moved  another step
   * @param {(control: string, value: string) => void} handlers.put  a bracket was dragged
   * @param {(id: string | null) => void} handlers.looked  a node or edge is pointed at, or none
   */
  constructor(box, handlers) {
    this.handlers = handlers;
    /** @type {Laid | null} */
    this.spec = null;
    /** @type {GraphSpec | null} */
    this.received = null; // the drawing as the server sent it
    /** @type {number | null} */
    this.reset = null;
    this.isUpright = false;
    this.place = 0; // steps of the backward pass; between two whole ones a gradient is on its way
    /** @type {Set<string>} */
    this.cuts = new Set();
    /** @type {string | null} */
    this.snip = null; // an edge clicked where each click counts once
    /** @type {string | null} */
    this.about = null; // the node or edge that is pointed at
    /** @type {(string | null)[]} */
    this.told = ["", null]; // which line of the program a cut has changed, and where the pointer was then
    this.box = box;
    this.entries = element("p", "gl-caption gl-entries");
    this.svg = element("div", "gl-drawing");
    this.equation = element("p", "gl-equation");
    const ways = element(
      "p", "gl-ways", {},
      element("span", "gl-forward", {}, phrase("values_forward")),
      element("span", "gl-backward", {}, phrase("gradients_back")),
    ); // prettier-ignore
    this.detail = element("span", "");
    this.rewritten = element("span", "gl-rewritten", { role: "status" });
    this.words = element("p", "gl-words");
    const stepper = element("div", "gl-stepper", { role: "group", "aria-label": phrase("backward_pass_by_steps") });
    const said = element("div", "gl-step");
    this.steps = folded("gl-steps", phrase("step_by_step"), stepper, said);
    const sum = element("div", "gl-sum-line", {}, this.equation, ways);
    const views = element("div", "gl-views", {}, this.steps, folded("", phrase("graph_in_words"), this.words));
    const picture = element("div", "gl-picture", {}, this.svg, sum, this.entries, element("p", "gl-detail", {}, this.rewritten, this.detail));
    box.append(picture, views);
    this.drawing = new Drawing(this.svg, {
      look: (about) => this.#look(about),
      press: (id) => this.#press(id),
      put: handlers.put,
    });
    this.stepper = new Stepper(stepper, (to) => this.#go(to));
    this.said = new StepWords(said);
    this.steps.addEventListener("toggle", () => {
      this.box.toggleAttribute("data-stepping", this.steps.open);
      if (!this.steps.open) this.stepper.by(Infinity);
      else if (this.place === this.spec?.steps.length || this.stepper.replays) this.stepper.jump(1);
      else this.#draw();
    });
    box.addEventListener("keydown", (event) => this.#key(event));
    this.listeners = new AbortController();
    let width = innerWidth;
    const resized = () => {
      if (width === innerWidth) return; // a phone's bar comes and goes, and changes the height alone
      width = innerWidth;
      this.isUpright = false;
      this.#turn(this.received);
    };
    window.addEventListener("resize", resized, { signal: this.listeners.signal });
  }

  /** The step that is shown, were it only on its way. */
  get step() {
    return Math.ceil(this.place);
  }

  /** The step as the address has it; null at the end, where it goes without saying. */
  get graphStep() {
    const isWhole = !this.spec || this.step === this.spec.steps.length || this.stepper.replays;
    return isWhole ? null : this.step;
  }

  /**
   * @param {GraphSpec | null} spec
   * @param {number | null} graphStep  the step to show when `reset` is another one; null keeps the one there is
   * @param {number} reset
   * @param {boolean} newest  whether this answers the newest thing the learner did
   * @param {boolean} moves  whether a hand drags: then nothing but numbers changes
   * @param {boolean} isPreset  whether it is of a program as it was opened
   */
  show(spec, graphStep, reset, newest, moves, isPreset) {
    this.box.hidden = !spec;
    const before = this.spec;
    if (!spec) {
      this.stepper.pause();
      this.spec = null;
      return;
    }
    if (before && (moves || (!newest && reset === this.reset)) && equal(spec, this.received)) return;
    this.received = spec;
    const last = spec.steps.length;
    const isSet = reset !== this.reset && graphStep !== null;
    if (isSet) this.stepper.pause();
    if (isSet) this.place = graphStep;
    else if (!before || (this.place >= before.steps.length && !this.stepper.replays)) this.place = last;
    this.place = Math.max(0, Math.min(this.place, last));
    if (isSet && this.place < last) this.steps.open = true;
    if (newest || reset !== this.reset) this.cuts = new Set(spec.cuts);
    if (reset !== this.reset) this.isUpright = false;
    this.reset = reset;
    setText(this.entries, spec.entries);
    setText(this.words, spec.alternative);
    this.steps.hidden = !last;
    const kept = spec.nodes.filter(({ id }) => before?.nodes.some((node) => node.id === id));
    const isEdited = spec.scissors === "snip" && !isPreset && 2 * kept.length >= spec.nodes.length;
    if (isEdited) this.#lay(spec);
    else this.#turn(spec);
    const isNews = before && (!before.steps.length || String(before.cuts) !== String(spec.cuts));
    if (isNews && !moves && last && (this.place === last || this.stepper.replays)) this.stepper.replay();
  }

  /**
   * Say which line of the program a cut has changed: it may stand out of sight.
   * @param {string} before  the program  @param {string} now
   */
  tell(before, now) {
    const [old, lines] = [before, now].map((program) => program.split("\n"));
    const row = lines.findIndex((line, index) => line !== old[index]);
    const text = row < 0 ? "" : phrase("line_is_now", { line: row + 1, code: lines[row].trim() });
    this.told = [text, this.about];
    this.#describe();
  }

  stop() {
    this.listeners.abort();
    this.stepper.pause();
  }

  /** Choose the direction and, of a program that is edited, the height. @param {GraphSpec | null} spec */
  #turn(spec) {
    if (!spec) return;
    // A lesson's graph that was upright stays so: each of a setting's choices may have another width.
    this.isUpright = NARROW_WINDOW.matches || !fitsWide(spec) || (this.isUpright && spec.scissors === "cuts");
    this.box.removeAttribute("data-held");
    this.#lay(spec);
    if (spec.scissors !== "snip") return; // to measure lays the page out once more
    this.box.style.setProperty("--gl-held", `${this.svg.offsetHeight}px`);
    this.box.toggleAttribute("data-held", true);
  }

  /** @param {GraphSpec} spec */
  #lay(spec) {
    this.spec = laid(spec, this.isUpright);
    this.box.toggleAttribute("data-upright", !this.spec.right && this.spec.width < MOST_UPRIGHT);
    this.#draw();
  }

  #draw() {
    const { spec, step, place } = this;
    if (!spec) return;
    this.drawing.show(spec, reached(spec, step, hasLanded(place)), this.cuts, !this.stepper.replays);
    if (this.steps.open && !this.stepper.replays) this.said.show(spec, step);
    this.#describe();
    this.#move();
    const isKnown = step === spec.steps.length || this.stepper.replays;
    const sum = isKnown ? spec.equation : spec.equation.slice(0, 1).map(([text]) => [`${text.split(" = ")[0]} = ?`, false]);
    this.equation.replaceChildren(...sum.map(([text, isCut]) => (isCut ? element("s", "", {}, String(text)) : String(text))));
  }

  /** Draw the pulses between two steps. */
  #move() {
    const { spec, place } = this;
    if (!spec) return;
    this.drawing.fly(pulsesAt(spec, place));
    this.stepper.show(spec, place);
  }

  /** @param {number} place */
  #go(place) {
    if (!this.spec || place === this.place) return;
    const { step, place: before } = this;
    this.place = place;
    if (this.step === step && hasLanded(place) === hasLanded(before)) this.#move();
    else this.#draw();
    if (this.step !== step && !this.stepper.replays) this.handlers.moved();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const by = ALONG[event.key];
    if (by === undefined || !this.steps.open || event.altKey || event.ctrlKey || event.metaKey) return;
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
    const hand = hints();
    let text = spec.covered || (spec.scissors ? hand.toCut : hand.toSee);
    if (node) {
      text = `${node.label} = ${node.full}`;
      if (spec.steps.length) text += `\n${phrase("upstream_gradient", { value: node.upstream_full })}`;
      for (const sentence of node.stale) text += `\n${sentence}`;
    } else if (edge) {
      const { from, to, alternative, full } = edge;
      const waits = this.step < spec.steps.length;
      if (!shown.has(edge.id)) text = waits ? phrase("edge_waits", { from, to }) : phrase("edge_without_gradient", { from, to });
      else if (!alternative) text = phrase("edge_covered", { from, to });
      else text = full.includes(",") ? phrase("edge_in_full", { edge: alternative, entries: full }) : alternative;
      if (edge.cuttable && spec.scissors) text += ` ${this.cuts.has(edge.id) ? hand.mends : hand.cuts}`;
      if (edge.cuttable && spec.scissors === "snip" && !this.cuts.has(edge.id)) text += ` ${phrase("writes_stop", { from })}`;
    }
    // Until another part is pointed at: that a cut has changed the program counts for more.
    const told = about === null || about === this.told[1] ? this.told[0] : "";
    setText(this.rewritten, told ?? "");
    setText(this.detail, told ? "" : text);
  }
}

/** What a finger or a mouse can do, in words. */
function hints() {
  return NO_MOUSE.matches
    ? { toCut: phrase("tap_to_cut"), toSee: phrase("tap_to_see"), cuts: phrase("tap_cuts"), mends: phrase("tap_mends") }
    : { toCut: phrase("click_to_cut"), toSee: phrase("point_to_see"), cuts: phrase("click_cuts"), mends: phrase("click_mends") };
}

/** @param {string} name  @param {string} label  @param {...Node} parts */
function folded(name, label, ...parts) {
  return element("details", name, {}, element("summary", "gl-summary", {}, label), ...parts);
}
