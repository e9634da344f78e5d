// What all fields one types into share. Numbers too are typed into text inputs: a native number
// input hides what it cannot read, and then neither the learner nor the server could see what is
// wrong with it.

import { keyed, numberIn } from "./scale.js";

/** @import { Range } from "./scale.js" */
/** @import { Notify } from "./fields.js" */

/**
 * Notify of "typing" with every key, "left" on Enter and on leaving, "moving" where an arrow key steps.
 * @param {HTMLInputElement} input
 * @param {Notify} notify
 * @param {{changed?: () => void, range?: () => Partial<Range> | null}} more  `range` of a number
 */
export function typed(input, notify, { changed = () => {}, range = () => null }) {
  input.addEventListener("input", () => {
    changed();
    notify("typing");
  });
  input.addEventListener("change", () => notify("left"));
  input.addEventListener("keydown", (event) => {
    const { key, altKey, ctrlKey, metaKey } = event;
    if (key === "Enter" && !event.isComposing) notify("left");
    const bounds = range();
    if (!bounds || !["ArrowUp", "ArrowDown"].includes(key) || altKey || ctrlKey || metaKey) return;
    event.preventDefault();
    const next = keyed(bounds, numberIn(input.value), key);
    if (next === null) return;
    input.value = next;
    changed();
    notify("moving");
  });
}
