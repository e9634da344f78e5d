// All controls of a lab together: builds them from the payload, keeps what the learner is doing
// safe from answers that come in meanwhile, and says what they hold as soon as it changes.

import { element, setChildren, setText } from "./dom.js";
import { makeField } from "./fields.js";

const REST = 250; // ms without a key before a value counts as resting

export class Controls {
  /**
   * @param {HTMLElement} box
   * @param {(values: Record<string, string>, live: boolean) => void} changed
   */
  constructor(box, changed) {
    this.box = box;
    this.changed = changed;
    /** @type {Map<string, {name: string, field: import("./fields.js").Field, fresh: boolean}>} */
    this.known = new Map(); // by name and kind
    this.groups = [];
    this.layout = "";
    this.reset = null;
    this.unsettled = false; // something was moved and not yet told as resting
    this.touched = ""; // the control that the hand was on last
    this.held = false; // a pointer is down on a slider or a chart
    this.restTimer = 0;
    this.listeners = new AbortController();
    this.#watchPointer();
  }

  /** What every control says, by name; and which was touched last: of two linked ones it counts. */
  values() {
    const said = [...this.known.values()].map(({ field, name }) => [name, field.get()]);
    return { ...Object.fromEntries(said), touched: this.touched };
  }

  /**
   * Set controls as if the learner had, as a click on a chart does.
   * @param {Record<string, string>} values
   * @param {boolean} moving  the hand is still on the chart
   */
  choose(values, moving) {
    this.held = moving; // it rests when it is let go, not when it is still for a while
    let last = "";
    for (const { name, field, held } of this.known.values()) {
      const value = values[name];
      if (value === undefined || held || field.get() === value) continue;
      field.set(value);
      last = name;
    }
    if (last) this.#tell(moving ? "moving" : "done", last);
    else if (!moving) this.#settle();
  }

  /**
   * @param {any[]} groups
   * @param {number} reset
   * @param {boolean} current  whether this answers the newest thing the learner did
   */
  show(groups, reset, current) {
    const forced = reset !== this.reset;
    this.reset = reset;
    if (forced) this.#forget();
    this.#build(groups);
    for (const spec of groups.flatMap((group) => group.controls)) {
      const entry = this.known.get(`${spec.name} ${spec.kind}`);
      entry.field.describe(spec);
      entry.held = Boolean(spec.disabled);
      if (forced || entry.fresh || (current && !this.#isBusy(entry) && !spec.error)) {
        if (entry.field.get() !== spec.value) entry.field.set(spec.value);
      }
      entry.fresh = false;
    }
  }

  stop() {
    clearTimeout(this.restTimer);
    this.listeners.abort();
  }

  /** Whether the learner is in the middle of something here. */
  #isBusy({ field, name }) {
    if (this.unsettled && name === this.touched) return true;
    const active = document.activeElement;
    return field.root.contains(active) && ["text", "textarea"].includes(active.type);
  }

  #forget() {
    this.unsettled = false;
    clearTimeout(this.restTimer);
  }

  #tell(what, name) {
    this.touched = name;
    if (what !== "left") this.unsettled = true;
    if (what === "editing") return; // sent once it is left
    if (what === "moving") this.changed(this.values(), true);
    if (what === "done" || what === "left") this.#settle();
    else this.#restLater();
  }

  #restLater() {
    clearTimeout(this.restTimer);
    if (!this.held) this.restTimer = setTimeout(() => this.#settle(), REST);
  }

  #settle() {
    clearTimeout(this.restTimer);
    if (!this.unsettled) return;
    this.unsettled = false;
    this.changed(this.values(), false);
  }

  #watchPointer() {
    const { signal } = this.listeners;
    this.box.addEventListener(
      "pointerdown",
      (event) => {
        this.held = event.target.type === "range";
      },
      { signal },
    );
    const released = () => {
      if (!this.held) return;
      this.held = false;
      this.#settle();
    };
    for (const name of ["pointerup", "pointercancel", "blur"]) {
      window.addEventListener(name, released, { signal });
    }
  }

  /** Bring the page's controls in line with the payload's, keeping every one that is known. */
  #build(groups) {
    const layout = JSON.stringify(
      groups.map(({ title, controls }) => [title, controls.map(({ name, kind }) => [name, kind])]),
    );
    if (layout === this.layout) return;
    this.layout = layout;
    const before = this.known;
    this.known = new Map();
    const focused = document.activeElement;
    const boxes = groups.map((group, index) => {
      const box = this.#groupBox(group, index);
      const fields = group.controls.map((spec) => {
        const key = `${spec.name} ${spec.kind}`;
        const entry = before.get(key) ?? {
          name: spec.name,
          field: makeField(spec, (what) => this.#tell(what, spec.name)),
          fresh: true,
        };
        this.known.set(key, entry);
        return entry.field.root;
      });
      setChildren(box.querySelector(".gl-fields"), fields);
      return box;
    });
    setChildren(this.box, boxes);
    if (focused !== document.activeElement && this.box.contains(focused)) focused.focus();
  }

  #groupBox({ title, open }, index) {
    const tag = title === null ? "DIV" : "DETAILS";
    let box = this.groups[index];
    if (box?.tagName !== tag) {
      box = element(tag, "gl-group", {}, element("div", "gl-fields"));
      if (title !== null) {
        box.prepend(element("summary", "gl-summary"));
        box.open = Boolean(open); // only at first: from then on the learner opens and closes it
      }
      this.groups[index] = box;
    }
    if (title !== null) setText(box.querySelector("summary"), title);
    return box;
  }
}
