// What all fields one types into share. Numbers too are typed into text inputs: a native number
// input hides what it cannot read, and then neither the learner nor the server could see what is
// wrong with it.

import { stepped } from "./scale.js";

/** @import { Range } from "./scale.js" */
/** @import { Notify } from "./fields.js" */

/** @type {Record<string, number>} */
const ARROWS = { ArrowUp: 1, ArrowDown: -1 };

/**
 * Notify of "typing" with every key, "left" on Enter and on leaving; arrow keys go to `step`.
 * @param {HTMLInputElement} input
 * @param {Notify} notify
 * @param {{changed?: () => void, step?: ((steps: number) => void) | null}} more
 */
export function typed(input, notify, { changed = () => {}, step: stepBy = null }) {
  input.addEventListener("input", () => {
    changed();
    notify("typing");
  });
  input.addEventListener("change", () => notify("left"));
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) notify("left");
    const steps = ARROWS[event.key];
    if (!stepBy || !steps || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    stepBy(steps);
  });
}

/**
 * Move a field's number by some steps; a text that is no number stays as it is.
 * @param {HTMLInputElement} input
 * @param {Partial<Range>} range
 * @param {number} steps
 * @param {(text: string, what: "moving") => void} take
 */
export function step(input, range, steps, take) {
  const value = Number(input.value);
  if (input.value.trim() !== "" && Number.isFinite(value)) {
    take(stepped(range, value, steps), "moving");
  }
}
