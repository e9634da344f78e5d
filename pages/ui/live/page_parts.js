// What stands on the page beside a lab and follows it: numbers in the text, and the tick of its task.
// The page itself is drawn by Streamlit; here only marked places are filled.

import { setText } from "./dom.js";

const PLACES = [".st-key-words"];

// A lab that comes may meet the one that goes. The places are the newest one's: two that fill them
// in turn would never end.
/** @type {?PageParts} */
let newest = null;
/** @type {Set<string>} */
const done = new Set(); // the tasks that were done in this tab

export class PageParts {
  /**
   * @param {Object} handlers
   * @param {import("./number_handles.js").NumberHandles} handlers.numbers
   */
  constructor(handlers) {
    this.handlers = handlers;
    newest = this;
    /** @type {Record<string, string>} */
    this.numbers = {};
    this.task = ""; // the one in the text
    this.observer = new MutationObserver(() => this.#fill());
    /** @type {Element[]} */
    this.watched = [];
  }

  /**
   * @param {Record<string, string>} numbers
   * @param {string} task  names the task in the text
   * @param {boolean} isDone  whether it is done now; its tick stays
   */
  show(numbers, task, isDone) {
    this.numbers = numbers;
    this.task = task;
    if (isDone) done.add(task);
    this.refresh();
  }

  /** The page was drawn anew, and the lab has nothing new to say. */
  refresh() {
    this.#watch();
    this.#fill();
  }

  stop() {
    this.observer.disconnect();
  }

  /** The page draws these places anew now and then, and then without what was filled in. */
  #watch() {
    const there = PLACES.flatMap((place) => document.querySelector(place) ?? []);
    if (there.every((part, index) => part === this.watched[index])) return;
    this.observer.disconnect();
    for (const part of there) this.observer.observe(part, { childList: true, subtree: true });
    this.watched = there;
  }

  #fill() {
    if (newest !== this) return;
    for (const place of this.watched) {
      for (const node of place.querySelectorAll("[data-number]")) {
        const text = this.numbers[node.getAttribute("data-number") ?? ""];
        if (text === undefined || this.handlers.numbers.isTyped(node)) continue;
        setText(node, text);
        this.handlers.numbers.mark(node, text);
      }
      for (const node of place.querySelectorAll("[data-turn]")) {
        setText(node, done.has(this.task) ? "✓ Done" : "○ not yet");
        node.classList.toggle("gt-done", done.has(this.task));
      }
    }
  }
}
