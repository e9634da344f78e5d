// The bar above the charts of a lab that trains: start, pause, one step, stop, how far it is. It
// holds what the learner wants; pictures come by themselves for as long as that is to go on.

import { element, setText } from "./dom.js";

/** @import { TrainerSpec } from "./messages.d.ts" */

/** @type {Record<TrainerSpec["state"], string>} */
const LABELS = {
  ready: "Start",
  running: "Pause",
  paused: "Go on",
  done: "Train again",
  stopped: "Train again",
};

export class Trainer {
  /**
   * @param {HTMLElement} box
   * @param {() => void} ask  tell the server what is wanted now
   */
  constructor(box, ask) {
    this.box = box;
    this.ask = ask;
    this.shown = false;
    /** @type {"run"|"pause"|"stop"} */
    this.phase = "pause";
    this.begun = this.single = this.count = 0;
    this.lost = false; // a run went with its server, and is to be begun again
    this.run = ""; // the run whose pictures were seen
    // By this the run is found again after the line broke. Not randomUUID: it asks for https.
    this.token = [...crypto.getRandomValues(new Uint32Array(4))].map((n) => n.toString(36)).join("");
    const button = (/** @type {string} */ name, /** @type {() => void} */ press) => {
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
    // The same in the chart that the text speaks of, while it is empty.
    this.there = element("button", "gl-button gl-go gl-there", { type: "button" }, LABELS.ready);
    this.there.addEventListener("click", () => this.#toggle());
    box.append(this.main, this.one, this.end, this.bar, this.text);
    box.hidden = true;
  }

  /** This lab trains: from now on the server is told with every wish. */
  expect() {
    this.shown = true;
  }

  /** Have a Start in this chart too. @param {?Element} chart  null in none */
  offer(chart) {
    const begins = this.phase !== "run" && this.box.dataset.state === "ready" && !this.main.disabled;
    if (!chart || !begins) this.there.remove();
    else if (this.there.parentNode !== chart) chart.append(this.there);
  }

  /** The page set the lab anew, and its text asks to begin: no run begins by itself. */
  rest() {
    if (this.phase !== "run") return;
    this.phase = "pause";
    this.count += 1;
  }

  /** The run is lost, by a mistake of the server's or with it. @param {string} [text] */
  fail(text = "") {
    this.phase = "pause";
    this.count += 1;
    this.run = "";
    this.lost = true;
    this.box.dataset.state = "ready";
    setText(this.main, LABELS.ready);
    this.main.disabled = false;
    this.one.disabled = this.end.disabled = true;
    this.bar.value = 0;
    setText(this.text, text);
  }

  /** Whether steps are made now. */
  get runs() {
    return this.phase === "run";
  }

  /** Whether the last picture was one of many: the next is on its way. */
  get goesOn() {
    return this.runs && this.box.dataset.state === "running";
  }

  /** What the server is told. */
  wish() {
    const { phase, begun, single, token, run, count } = this;
    return JSON.stringify({ phase, begun, single, token, run, count });
  }

  /** @param {TrainerSpec} spec */
  show(spec) {
    const { state } = spec;
    this.box.hidden = false;
    this.run = spec.done ? spec.run : ""; // where no step was made, nothing can be lost
    this.lost = spec.lost;
    this.begun = Math.max(this.begun, spec.begun);
    this.single = Math.max(this.single, spec.single);
    const goes = state === "running";
    if (spec.lost || (spec.count >= this.count && !goes)) this.phase = "pause";
    this.box.dataset.state = state;
    setText(this.main, LABELS[this.phase === "run" ? "running" : goes ? "paused" : state]);
    this.main.disabled = Boolean(spec.held);
    this.one.disabled = this.main.disabled || state === "done" || state === "stopped";
    this.end.disabled = this.one.disabled || (state === "ready" && this.phase !== "run");
    this.bar.max = spec.total;
    this.bar.value = spec.done;
    setText(this.text, spec.text);
  }

  #toggle() {
    if (this.phase === "run") this.#want("pause");
    else {
      if (this.one.disabled || this.lost) this.begun += 1;
      this.#want("run");
    }
  }

  #one() {
    this.single += 1;
    this.#want("pause");
  }

  /** @param {"run"|"pause"|"stop"} phase */
  #want(phase) {
    this.phase = phase;
    this.count += 1;
    if (phase === "run") {
      setText(this.main, LABELS.running);
      this.there.remove();
    }
    this.ask();
  }
}
