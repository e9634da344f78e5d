// Parts of the page that follow a lab: numbers in the text, and the tick of its task.
// The page itself is drawn by Streamlit; here only marked numbers and ticks are filled in.

import { setText } from "../dom.js";
import { phrase } from "../phrase.js";

const PLACE = ".st-key-words";

// A lab that comes may meet the one that goes. The text is the newest one's: two that fill it
// in turn would never end.
/** @type {?PageParts} */
let newest = null;
/** @type {Set<string>} */
const done = new Set(); // the tasks that were done in this tab

export class PageParts {
  /** @param {import("../controls/number_handles.js").NumberHandles} handles */
  constructor(handles) {
    this.handles = handles;
    newest = this;
    /** @type {Record<string, string>} */
    this.numbers = {};
    this.task = ""; // the one in the text
    this.observer = new MutationObserver(() => this.#fill());
    /** @type {?Element} */
    this.watched = null;
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

  /** The page draws this place anew now and then, and then without what was filled in. */
  #watch() {
    const there = document.querySelector(PLACE);
    if (there === this.watched) return;
    this.observer.disconnect();
    if (there) this.observer.observe(there, { childList: true, subtree: true });
    this.watched = there;
  }

  #fill() {
    if (newest !== this || !this.watched) return;
    for (const node of this.watched.querySelectorAll("[data-number]")) {
      const text = this.numbers[node.getAttribute("data-number") ?? ""];
      if (text === undefined || this.handles.isTyped(node)) continue;
      setText(node, text);
      this.handles.mark(node, text);
    }
    for (const node of this.watched.querySelectorAll("[data-turn]")) {
      setText(node, done.has(this.task) ? phrase("task_done") : phrase("task_open"));
      node.classList.toggle("gt-done", done.has(this.task));
    }
  }
}
