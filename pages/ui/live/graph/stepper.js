// Goes through the backward pass, by steps or by itself. Between two steps the gradient is on its way;
// with reduced motion there are steps alone.

import { button, element, setOrRemove, setText } from "../dom.js";
import { advanced } from "./graph_pulse.js";
import { phrase } from "../phrase.js";

/** @import { GraphSpec } from "../messages.d.ts" */

const LONGEST_GAP = 100; // ms between two pictures: after a longer pause it goes on where it was

export class Stepper {
  /**
   * @param {HTMLElement} box
   * @param {(place: number) => void} go
   */
  constructor(box, go) {
    this.box = box;
    this.go = go;
    this.place = 0;
    /** @type {GraphSpec["steps"]} */
    this.steps = [];
    this.timer = 0;
    this.plays = false; // the learner has pressed Play
    this.replays = false; // all of it at once, which is no step that somebody took
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.back = button(phrase("back"), () => this.by(-1));
    this.next = button(phrase("next"), () => this.by(1));
    this.play = button(phrase("play"), () => this.#toggle());
    this.said = element("span", "gl-place");
    this.bar = element("input", "gl-range", { type: "range", min: "0", "aria-label": phrase("backward_pass") });
    this.bar.addEventListener("input", () => this.jump(this.bar.valueAsNumber));
    const buttons = element("div", "gl-buttons", {}, this.back, this.next, this.play, this.said);
    box.append(buttons, this.bar);
  }

  /**
   * @param {GraphSpec} spec
   * @param {number} place  how many steps are taken; between two whole ones, on the way
   */
  show({ nodes, steps }, place) {
    this.steps = steps;
    this.place = place;
    const step = Math.ceil(place);
    const all = steps.length;
    setText(this.said, phrase("step_of", { step, all }));
    // Not `disabled`: a button that goes grey under the finger would lose the keyboard's place.
    setOrRemove(this.back, "aria-disabled", String(place === 0));
    setOrRemove(this.next, "aria-disabled", String(place >= steps.length));
    setOrRemove(this.bar, "max", steps.length);
    const at = nodes.find(({ id }) => id === steps[step - 1]?.node);
    setOrRemove(this.bar, "aria-valuetext", at ? phrase("step_at", { step, all, node: at.label }) : this.said.textContent);
    if (this.bar.valueAsNumber !== place) this.bar.value = String(place);
    this.bar.style.setProperty("--gl-filled", (place / (steps.length || 1)).toFixed(4));
  }

  /** A step forth is on its way a while; one back, and several, are there at once. @param {number} by */
  by(by) {
    const from = this.replays ? this.steps.length : Math.ceil(this.place);
    this.pause();
    if (by === 1 && !this.still.matches) this.#run(from + 1);
    else this.jump(from + by);
  }

  /** @param {number} to */
  jump(to) {
    this.pause();
    this.go(Math.max(0, Math.min(to, this.steps.length)));
  }

  pause() {
    cancelAnimationFrame(this.timer);
    this.timer = 0;
    this.plays = this.replays = false;
    setText(this.play, phrase("play"));
  }

  /** Let the gradient run back once, from the output to the inputs. */
  replay() {
    this.pause();
    if (this.still.matches) return this.go(this.steps.length); // perhaps another replay was under way
    this.replays = true;
    this.place = 0;
    this.#run(Infinity, this.steps.length);
  }

  #toggle() {
    const { plays } = this;
    this.pause();
    if (plays) return;
    if (this.place >= this.steps.length) this.go(0);
    this.plays = true;
    setText(this.play, phrase("pause"));
    this.#run(Infinity);
  }

  /** @param {number} to  a whole place  @param {number} speed */
  #run(to, speed = 1) {
    let at = this.place;
    let before = performance.now();
    const tick = (/** @type {number} */ now) => {
      const until = Math.min(to, this.steps.length);
      at = advanced(this.steps, at, speed * Math.min(Math.max(now - before, 1), LONGEST_GAP), until);
      before = now;
      this.timer = requestAnimationFrame(tick);
      this.go(this.still.matches ? Math.ceil(at) : at);
      if (at >= until || !this.box.isConnected) this.pause();
    };
    tick(before);
  }
}
