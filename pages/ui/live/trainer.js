// The bar above the charts of a lab that trains: start, pause, one step, stop, how far it is. It
// holds what the learner wants, and asks the server for the next slice of steps as soon as a slice
// has come: there is never more under way than the browser can take in, and none once it has left.

import { element, setText } from "./dom.js";

const QUEUE = 300; // ms between two looks at the queue

/**
 * @typedef {Object} TrainerSpec
 * @property {"ready"|"running"|"paused"|"done"|"stopped"|"queued"} state
 * @property {number} done   steps made
 * @property {number} total  steps there will be
 * @property {string} text   the same in words
 * @property {number} begun  counts the runs asked for, as the server has it
 * @property {boolean} [held]  a question waits that a run would answer: there is none before
 * @property {number} single counts the single steps asked for
 * @property {Record<string, string>} [numbers]  what the marked numbers of the text say now
 */

const LABELS = {
  ready: "Start",
  running: "Pause",
  queued: "Pause",
  paused: "Go on",
  done: "Train again",
  stopped: "Train again",
};

export class Trainer {
  /**
   * @param {HTMLElement} box
   * @param {(live: boolean) => void} ask  send what everything in the lab says
   */
  constructor(box, ask) {
    this.box = box;
    this.ask = ask;
    this.spec = null;
    this.phase = "pause";
    this.begun = 0;
    this.single = 0;
    this.timer = 0;
    const button = (name, press) => {
      const node = element("button", `gl-button gl-${name}`, { type: "button" });
      node.addEventListener("click", press);
      return node;
    };
    this.main = button("go", () => this.#toggle());
    this.one = button("one", () => this.#one());
    this.end = button("end", () => this.#want("stop"));
    setText(this.one, "One step");
    setText(this.end, "Stop");
    this.bar = element("progress", "gl-progress", { "aria-label": "Training" });
    this.text = element("span", "gl-trained");
    box.append(this.main, this.one, this.end, this.bar, this.text);
    box.hidden = true;
  }

  /** What the server is told along with the controls. */
  values() {
    if (!this.spec) return {};
    const { phase, begun, single } = this;
    return { train_phase: phase, train_begun: String(begun), train_single: String(single) };
  }

  /**
   * @param {?TrainerSpec} spec
   * @param {boolean} newest  whether this answers the newest thing that was asked
   */
  show(spec, newest) {
    clearTimeout(this.timer);
    this.box.hidden = !spec;
    const first = spec && !this.spec;
    this.spec = spec;
    if (!spec) return;
    const { state } = spec;
    this.begun = Math.max(this.begun, spec.begun);
    this.single = Math.max(this.single, spec.single);
    const goes = state === "running" || state === "queued";
    if (first) this.phase = state === "running" ? "run" : "pause";
    else if (newest && !goes) this.phase = "pause";
    this.box.dataset.state = state;
    setText(this.main, LABELS[this.phase === "run" ? "running" : goes ? "paused" : state]);
    this.main.disabled = Boolean(spec.held);
    this.one.disabled = this.main.disabled || state === "done" || state === "stopped";
    this.end.disabled = this.one.disabled || (state === "ready" && this.phase !== "run");
    this.bar.max = spec.total;
    this.bar.value = spec.done;
    setText(this.text, spec.text);
    tell(spec.numbers ?? {});
    if (!newest) return;
    if (state === "queued") this.timer = setTimeout(() => this.ask(true), QUEUE);
    else if (this.phase === "run") this.ask(true);
  }

  stop() {
    clearTimeout(this.timer);
  }

  #toggle() {
    if (this.phase === "run") this.#want("pause");
    else {
      if (this.one.disabled) this.begun += 1;
      this.#want("run");
    }
  }

  #one() {
    this.single += 1;
    this.#want("pause");
  }

  #want(phase) {
    this.phase = phase;
    setText(this.main, phase === "run" ? LABELS.running : this.main.textContent);
    this.ask(false);
  }
}

/** The numbers in the text beside the lab, which the page itself draws anew only at rest. */
function tell(numbers) {
  for (const node of document.querySelectorAll("[data-number]")) {
    const said = numbers[node.dataset.number];
    if (said !== undefined) setText(node, said);
  }
}
