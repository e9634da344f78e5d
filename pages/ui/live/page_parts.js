// What stands on the page beside a lab and follows it: numbers in the text, the code that ran,
// files to take away. The page itself is drawn by Streamlit; here only marked places are filled.

import { element, save, setText } from "./dom.js";

const PLACES = [".st-key-words", ".st-key-code"];
const NOT_SETTINGS = ["lesson", "step", "hide", "fix", "at"];

/** @typedef {import("./messages").Pane} Pane */

// A lab that comes may meet the one that goes. The places are the newest one's: two that fill them
// in turn would never end.
/** @type {?PageParts} */
let newest = null;

export class PageParts {
  /**
   * @param {Object} handlers
   * @param {() => string} handlers.document  the playground's program as a document
   * @param {import("./number_handles.js").NumberHandles} handlers.numbers
   */
  constructor(handlers) {
    this.handlers = handlers;
    newest = this;
    /** @type {Record<string, string>} */
    this.numbers = {};
    this.query = "";
    this.done = false; // the task in the text
    this.task = "";
    /** @type {Record<string, Pane>} */
    this.panes = {};
    this.digest = "";
    this.observer = new MutationObserver(() => this.#fill());
    /** @type {Element[]} */
    this.watched = [];
    this.listeners = new AbortController();
    addEventListener("click", (event) => this.#click(event), { signal: this.listeners.signal });
  }

  /**
   * @param {Record<string, string>} numbers
   * @param {?import("./messages").Code} code
   * @param {string} query
   * @param {boolean} done  whether the task in the text is done now; its tick stays
   */
  show(numbers, code, query, done) {
    this.numbers = numbers;
    this.query = query;
    const task = new URLSearchParams(query).get("step") ?? "";
    this.done = done || (this.done && task === this.task);
    this.task = task;
    if (code) this.digest = code.digest;
    if (code?.panes) this.panes = code.panes;
    this.refresh();
  }

  /** The page was drawn anew, and the lab has nothing new to say. */
  refresh() {
    this.#watch();
    this.#fill();
  }

  stop() {
    this.observer.disconnect();
    this.listeners.abort();
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
        setText(node, this.done ? "✓ Done" : "○");
        node.classList.toggle("gt-done", this.done);
      }
      for (const node of place.querySelectorAll("[data-pane]")) this.#fillPane(node);
      for (const node of place.querySelectorAll("[data-file]")) this.#fillLink(node);
    }
  }

  /** @param {Element} node */
  #fillPane(node) {
    const name = node.getAttribute("data-pane") ?? "";
    const pane = this.panes[name];
    if (!pane || node.getAttribute("data-digest") === this.digest) return;
    node.setAttribute("data-digest", this.digest);
    const rows = pane.lines.map((pieces, line) => {
      const tag = /** @type {keyof HTMLElementTagNameMap} */ (pane.marks[line] ?? "span");
      const row = element(tag, "gt-row");
      for (const [kind, text] of pieces) row.append(kind ? element("span", kind, {}, text) : text);
      row.append(pieces.length ? "\n" : " \n");
      return row;
    });
    const code = element("code", "", {}, ...rows);
    const about = { tabindex: "0", role: "region", "aria-label": `The code, ${name}` };
    const remarks = pane.remarks.map((sentence) => element("p", "gt-remark", {}, sentence));
    node.replaceChildren(element("pre", "gt-code", about, code), ...remarks);
  }

  /** @param {Element} node */
  #fillLink(node) {
    const settings = new URLSearchParams(this.query);
    for (const name of NOT_SETTINGS) settings.delete(name);
    const link = `${node.getAttribute("data-file")}?${settings}`;
    if (node.getAttribute("href") !== link) node.setAttribute("href", link);
  }

  /** @param {MouseEvent} event */
  async #click(event) {
    if (newest !== this || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const clicked = event.target instanceof Element ? event.target : null;
    const target = clicked?.closest("[data-download]");
    if (!target) return;
    event.preventDefault();
    await this.#download(target);
  }

  /** @param {Element} target */
  async #download(target) {
    const what = target.getAttribute("data-download");
    const name = new URLSearchParams(this.query).get("preset") ?? "playground";
    const text = this.handlers.document();
    if (what === "document") {
      save(text, `${name}.txt`);
      return;
    }
    const address = new URL(`api/playground/${what}`, document.baseURI);
    const answer = await fetch(address, { method: "POST", body: text });
    if (answer.ok) save(await answer.text(), what === "torch" ? `${name}.py` : `${name}_in_${what}.py`);
    else target.after(element("span", "gt-remark", { role: "alert" }, (await answer.json()).error));
  }
}
