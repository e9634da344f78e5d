// The bar of a lab that trains: a button that starts, pauses and goes on, and how far it is. It holds
// what the learner wants; pictures come by themselves for as long as that is to go on.

import { button, element, setText } from "./dom.js";
import { phrase } from "./phrase.js";

/** @import { TrainerSpec } from "./messages.d.ts" */

/** @type {Record<TrainerSpec["state"], string>} */
const LABELS = {
  ready: phrase("start"),
  running: phrase("pause"),
  paused: phrase("go_on"),
  done: phrase("train_again"),
};

export class Trainer {
  /**
   * @param {HTMLElement} box
   * @param {() => void} ask  tell the server what is wanted now
   */
  constructor(box, ask) {
    this.box = box;
    this.ask = ask;
    this.shown = false; // this lab trains: the server is told with every wish
    /** @type {"run"|"pause"} */
    this.phase = "pause";
    this.begun = this.count = 0;
    this.lost = false; // a run went with its server, and is to be begun again
    this.run = ""; // the run whose pictures were seen
    // The server finds the run by this token after the socket broke. Not randomUUID: it needs https.
    this.token = [...crypto.getRandomValues(new Uint32Array(4))].map((n) => n.toString(36)).join("");
    this.main = button("", () => this.#toggle(), { class: "gl-button gl-go" });
    this.bar = element("progress", "gl-progress", { "aria-label": phrase("training") });
    this.text = element("span", "gl-trained");
    box.append(this.main, this.bar, this.text);
    box.hidden = true;
  }

  /** The page set the lab anew, and its text asks to begin: no run begins by itself. */
  rest() {
    if (this.phase !== "run") return;
    this.phase = "pause";
    this.count += 1;
  }

  /** The run is lost, by a mistake of the server's or with its worker. */
  fail() {
    this.phase = "pause";
    this.count += 1;
    this.run = "";
    this.lost = true;
    this.box.dataset.state = "ready";
    setText(this.main, LABELS.ready);
    this.main.disabled = false;
    this.bar.value = 0;
    setText(this.text, "");
  }

  /** Whether the last picture was one of many: the next is on its way. */
  get goesOn() {
    return this.phase === "run" && this.box.dataset.state === "running";
  }

  /** Write the training's part of a message to the server. */
  wish() {
    const { phase, begun, token, run, count } = this;
    return JSON.stringify({ phase, begun, token, run, count });
  }

  /** @param {TrainerSpec} spec */
  show(spec) {
    const { state } = spec;
    this.box.hidden = !spec.offered;
    this.run = spec.done ? spec.run : ""; // where no step was made, nothing can be lost
    this.lost = spec.lost;
    this.begun = Math.max(this.begun, spec.begun);
    const goes = state === "running";
    if (spec.lost || (spec.count >= this.count && !goes)) this.phase = "pause";
    this.box.dataset.state = state;
    setText(this.main, LABELS[this.phase === "run" ? "running" : goes ? "paused" : state]);
    this.main.disabled = Boolean(spec.held);
    this.bar.max = spec.total;
    this.bar.value = spec.done;
    setText(this.text, spec.text);
  }

  #toggle() {
    if (this.phase === "run") this.#want("pause");
    else {
      if (this.box.dataset.state === "done" || this.lost) this.begun += 1;
      this.#want("run");
    }
  }

  /** @param {"run"|"pause"} phase */
  #want(phase) {
    this.phase = phase;
    this.count += 1;
    if (phase === "run") setText(this.main, LABELS.running);
    this.ask();
  }
}
