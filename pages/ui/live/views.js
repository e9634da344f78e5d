// The stage, and the drawers under it. Each view of a lab (the graph, the table, a chart) has one box for
// good, which stands on the stage, in an open drawer, or nowhere.

import { arrows, button, element, setChildren, setOrRemove, setText } from "./dom.js";
import { phrase } from "./phrase.js";

/** @import { View } from "./messages.d.ts" */

const MORE = "more"; // the drawer for everything that is not a view

export class Views {
  /**
   * @param {HTMLElement} more  what the last drawer holds
   * @param {() => void} changed  other drawers are open
   * @param {() => void} uncovered  what a question covers is to be seen
   */
  constructor(more, changed, uncovered) {
    this.changed = changed;
    this.uncover = button(phrase("uncover"), uncovered, { class: "gl-uncover", hidden: "" });
    this.narrow = matchMedia("(max-width: 640px)"); // then a low window's stage scrolls, and the keyboard has to reach it
    this.narrow.addEventListener("change", () => this.#place());
    this.stage = element("section", "gl-stage", { "aria-label": phrase("stage") });
    this.below = element("div", "gl-below");
    this.tabs = element("div", "gl-tabs", { role: "toolbar", "aria-label": phrase("more_of_lab") });
    arrows(this.tabs);
    this.tabs.addEventListener("focusin", ({ target }) => this.#stop(/** @type {Element} */ (target)));
    this.drawers = element("div", "gl-drawers");
    /** @type {Set<string>} */
    this.opened = new Set();
    /** @type {Map<string, HTMLElement>} */
    this.boxes = new Map([[MORE, more]]);
    /** @type {Map<string, HTMLElement>} */
    this.buttons = new Map();
    /** @type {View[]} */
    this.views = []; // all that the lab has, with More as the last one
    this.name = ""; // the view on the stage
    this.waits = ""; // the drawer that was just opened and has to scroll into view
    /** @type {string[]} */
    this.belowStage = [];
    /** @type {?number} */
    this.step = null;
  }

  /** The views whose drawers are open, for the server. */
  get open() {
    return [...this.opened].filter((name) => name !== MORE).sort();
  }

  /** Where a view draws itself. @param {string} name */
  box(name) {
    let box = this.boxes.get(name);
    if (!box) this.boxes.set(name, (box = element("div", "gl-view", { "data-view": name })));
    return box;
  }

  /**
   * @param {string} stage  the view on the stage
   * @param {string[]} belowStage  those that stand below it
   * @param {View[]} views
   * @param {number} step  another one begins with all drawers closed
   * @param {string} more  the label of the last drawer
   */
  show(stage, belowStage, views, step, more) {
    if (this.step !== null && this.step !== step) this.opened.clear();
    this.step = step;
    this.name = stage;
    this.belowStage = belowStage;
    this.views = [...views, { name: MORE, label: more }];
    this.#place();
  }

  /** Open the drawer that this stands in. @param {Element} part */
  reveal(part) {
    if (this.opened.has(MORE) || !this.boxes.get(MORE)?.contains(part)) return;
    this.#toggle(MORE);
  }

  /** Scroll the drawer that was just opened into view, once it is drawn. @param {string[]} drawn */
  bring(drawn) {
    if (!drawn.includes(this.waits)) return;
    this.boxes.get(this.waits)?.scrollIntoView({ block: "nearest" });
    this.waits = "";
  }

  /** Request the options of a closed control, as the content of a drawer, until they are there. @param {string} name  @param {boolean} wanted */
  ask(name, wanted) {
    if (!wanted) this.opened.delete(name);
    else if (this.opened.add(name)) this.changed();
  }

  /** @param {string} name */
  #toggle(name) {
    if (!this.opened.delete(name)) this.opened.add(name);
    this.waits = this.opened.has(name) ? name : "";
    this.#place();
    this.bring([MORE]);
    if (name !== MORE) this.changed();
  }

  #place() {
    const { name, opened } = this;
    setChildren(this.stage, name ? [this.box(name), this.uncover] : []);
    const scrolls = this.narrow.matches && !["graph", "table"].includes(name); // these two have a stop inside
    for (const [other, box] of this.boxes) setOrRemove(box, "tabindex", scrolls && other === name ? "0" : null);
    setChildren(this.below, this.belowStage.map((other) => this.box(other)));
    const others = this.views.filter((view) => view.name !== name && !this.belowStage.includes(view.name));
    setChildren(this.tabs, others.map((view) => this.#tab(view)));
    this.#stop(this.tabs.querySelector("[tabindex='0']") ?? this.tabs.firstElementChild);
    setChildren(this.drawers, others.filter((view) => opened.has(view.name)).map((view) => this.box(view.name)));
  }

  /** Tab stops at this button alone. @param {?Element} [button] */
  #stop(button) {
    for (const one of this.tabs.children) one.setAttribute("tabindex", one === button ? "0" : "-1");
  }

  /** @param {View} view */
  #tab({ name, label }) {
    let tab = this.buttons.get(name);
    if (!tab) {
      tab = button("", () => this.#toggle(name), { class: "gl-tab" });
      this.buttons.set(name, tab);
    }
    setText(tab, label);
    setOrRemove(tab, "aria-expanded", String(this.opened.has(name)));
    return tab;
  }
}
