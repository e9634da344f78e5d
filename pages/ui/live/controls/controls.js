// All controls of a lab together: builds them from the payload, keeps what the learner is doing
// safe from answers that come in meanwhile, and says what they hold as soon as it changes.

import { element, setChildren, setText } from "../dom.js";
import { makeField } from "./fields.js";
import { phrase } from "../phrase.js";
import { entries, withEntry } from "./scale.js";

const ENTRY_STEP = 0.1; // one arrow key on an entry of a list
const SLIDES = "input[type=range], .gl-ends";
const REST_TIME = 250; // ms without a key before a value counts as resting

/** @import { Control, Group } from "../messages.d.ts" */
/** @import { Field, What } from "./fields.js" */

/**
 * @typedef {{name: string, field: Field, fresh: boolean, disabled: boolean, spec: Control}} Entry
 * @typedef {Control & {now: string, entry?: number}} Settable  `now` is what it says at this moment,
 *   `entry` which number of a list it is
 * @typedef {Object} Handlers
 * @property {(moving: boolean) => void} changed  the learner set something
 * @property {(word: "undo"|"redo") => void} went
 * @property {(name: string, wanted: boolean) => void} asked  for what a control has folded away
 * @property {(field: HTMLElement) => void} wrong  the server refuses what this field says
 */

export class Controls {
  /**
   * @param {HTMLElement} box  for the controls in reach of the stage
   * @param {HTMLElement} folded  for the groups with a heading
   * @param {HTMLElement} more  for the others: all groups without a heading but the first
   * @param {Handlers} handlers
   */
  constructor(box, folded, more, handlers) {
    this.box = box;
    this.folded = folded;
    this.more = more;
    this.handlers = handlers;
    /** @type {Map<string, Entry>} */
    this.known = new Map(); // the controls by name
    /** @type {HTMLElement[]} */
    this.groups = [];
    this.layout = "";
    /** @type {boolean[]} */
    this.open = []; // what the last answer said of each group
    this.unsettled = false; // something was moved and has not rested yet
    this.touched = ""; // the control that the hand was on last
    /** @type {Set<string>} */
    this.since = new Set(); // those it was on since the last answer, the last one at the end
    this.pressed = false; // a pointer is down on a slider or a chart
    this.restTimer = 0;
    this.listeners = new AbortController();
    this.#watchPointer();
  }

  /** What every control says, by name. @returns {Record<string, string>} */
  values() {
    const texts = [...this.known.values()].map(({ field, name }) => [name, field.get()]);
    return Object.fromEntries(texts);
  }

  /**
   * Set controls as if the learner had, as a click on a chart does.
   * @param {Record<string, string>} values
   * @param {boolean} moving  the hand is still on the chart
   */
  choose(values, moving) {
    this.pressed = moving; // it rests when it is let go, not when it is still for a while
    let last = "";
    for (const { name, field, disabled } of this.known.values()) {
      const value = values[name];
      if (value === undefined || disabled || field.get() === value) continue;
      field.set(value);
      last = name;
    }
    if (last) this.#notify(moving ? "moving" : "done", last);
    else if (!moving) this.#settle();
  }

  /**
   * Set controls to numbers that a hand drags, each as its own field would have it.
   * @param {{name: string, value: number, unit: number, entry?: number}[]} moves  `unit` is what a
   *   pixel is worth, `entry` which number of a list it is
   * @param {boolean} moving
   * @param {Record<string, string>} [more]  values besides
   */
  drag(moves, moving, more = {}) {
    const near = moves.flatMap(({ name, value, unit, entry }) => {
      const text = this.known.get(name)?.field.near?.(value, unit, entry);
      return text === undefined ? [] : [[name, text]];
    });
    this.choose({ ...Object.fromEntries(near), ...more }, moving);
  }

  /** Whether there is such a control, in sight and not held. @param {string} name */
  isFree(name) {
    const { spec, disabled = true } = this.known.get(name) ?? {};
    return !disabled && !spec?.hidden;
  }

  /**
   * A number that may be set: a control's, or of a list's the chosen entry.
   * @param {string} name
   * @returns {?Settable}
   */
  number(name) {
    const { spec, field } = this.known.get(name) ?? {};
    if (!spec || !field || !this.isFree(name)) return null;
    if (spec.kind === "slider" || spec.kind === "integer") return { ...spec, now: field.get() };
    const chooser = [...this.known.values()].find((one) => one.spec.of === name);
    if (!chooser) return null;
    const entry = Number(chooser.field.get()) - 1;
    const now = entries(field.get())[entry] ?? "";
    const label = phrase("entry_of", { list: spec.label, number: entry + 1 });
    return { ...spec, label, value: now, now, step: ENTRY_STEP, entry };
  }

  /** Type a number: the whole control's, or the chosen entry's. @param {string} name  @param {string} text */
  enter(name, text) {
    const { entry, kind } = this.number(name) ?? {};
    const list = this.known.get(name)?.field.get() ?? "";
    this.choose({ [name]: kind === "text" ? withEntry(list, entry ?? 0, text) : text }, false);
  }

  /** Set controls from here, and notify nobody. @param {Record<string, string>} values */
  set(values) {
    this.#forget();
    this.touched = "";
    this.since.clear();
    for (const { name, field } of this.known.values()) {
      const value = values[name];
      if (value !== undefined && field.get() !== value) field.set(value);
    }
  }

  /** Say whether there is anything to undo and redo. @param {Record<string, boolean>} which */
  allow(which) {
    for (const { field } of this.known.values()) field.allow?.(which);
  }

  /**
   * @param {Group[]} groups
   * @param {boolean} ordered  this answers an order of the page's: the controls take over what stands here,
   *   unless the learner has set something since
   * @param {boolean} current  whether this answers the newest thing the learner did
   */
  show(groups, ordered, current) {
    const forced = ordered && !this.unsettled;
    this.#build(groups);
    for (const [index, { open }] of groups.entries()) {
      const box = this.groups[index];
      // Otherwise the learner opens and closes it.
      if (open && !this.open[index] && box instanceof HTMLDetailsElement) box.open = true;
    }
    this.open = groups.map(({ open }) => open);
    for (const spec of groups.flatMap((group) => group.controls)) {
      const entry = /** @type {Entry} */ (this.known.get(spec.name));
      entry.spec = spec;
      entry.field.describe(spec);
      entry.disabled = Boolean(spec.disabled);
      if (forced || entry.fresh || (current && !this.#isBusy(entry) && !spec.error)) {
        if (entry.field.get() !== spec.value) entry.field.set(spec.value);
      }
      entry.fresh = false;
      if (!spec.error) continue;
      const folded = entry.field.root.closest("details");
      if (folded) folded.open = true; // what is wrong is in sight
      this.handlers.wrong(entry.field.root);
    }
  }

  stop() {
    clearTimeout(this.restTimer);
    this.listeners.abort();
  }

  /** Whether the learner is in the middle of something here. @param {Entry} entry */
  #isBusy({ field, name }) {
    if (this.unsettled && name === this.touched) return true;
    const active = document.activeElement;
    const kind = active && "type" in active ? active.type : "";
    // A program that was sent and not edited since may come back rewritten: a pasted function's body.
    return field.root.contains(active) && (kind === "text" || (kind === "textarea" && this.unsettled));
  }

  #forget() {
    this.unsettled = false;
    clearTimeout(this.restTimer);
  }

  /** @param {What} what  @param {string} name */
  #notify(what, name) {
    if (what === "undo" || what === "redo") {
      this.handlers.went(what);
      return;
    }
    if (what === "opened" || what === "closed") {
      this.handlers.asked(name, what === "opened");
      return;
    }
    this.touched = name;
    this.since.delete(name);
    this.since.add(name);
    if (what !== "left") this.unsettled = true;
    if (what === "editing") return; // sent once it is left
    if (what === "moving") this.handlers.changed(true);
    if (what === "done" || what === "left") this.#settle();
    else this.#restLater();
  }

  #restLater() {
    clearTimeout(this.restTimer);
    if (!this.pressed) this.restTimer = setTimeout(() => this.#settle(), REST_TIME);
  }

  #settle() {
    clearTimeout(this.restTimer);
    if (!this.unsettled) return;
    this.unsettled = false;
    this.handlers.changed(false);
  }

  #watchPointer() {
    const { signal } = this.listeners;
    for (const box of [this.box, this.folded, this.more]) {
      const down = (/** @type {PointerEvent} */ { target }) => {
        this.pressed = target instanceof Element && target.matches(SLIDES);
      };
      // Before the control itself, whose first movement is no rest.
      box.addEventListener("pointerdown", down, { capture: true });
    }
    const released = () => {
      if (!this.pressed) return;
      this.pressed = false;
      this.#settle();
    };
    for (const name of ["pointerup", "pointercancel", "blur"]) {
      window.addEventListener(name, released, { signal });
    }
  }

  /** Bring the page's controls in line with these, keeping every one that is known. @param {Group[]} groups */
  #build(groups) {
    const layout = JSON.stringify(
      groups.map(({ title, controls }) => [title, controls.map(({ name, kind }) => [name, kind])]),
    );
    if (layout === this.layout) return;
    this.layout = layout;
    const before = this.known;
    this.known = new Map();
    const focused = /** @type {?HTMLElement} */ (document.activeElement);
    const boxes = groups.map((group, index) => {
      const box = this.#groupBox(group, index);
      const fields = group.controls.map((spec) => {
        const { name, kind } = spec;
        const known = before.get(name);
        const make = () => makeField(spec, (what) => this.#notify(what, name));
        const entry = known?.spec.kind === kind ? known : { name, field: make(), fresh: true, disabled: false, spec };
        this.known.set(name, entry);
        return entry.field.root;
      });
      setChildren(/** @type {Element} */ (box.querySelector(".gl-fields")), fields);
      return box;
    });
    const [first, ...others] = boxes;
    const isFolded = (/** @type {HTMLElement} */ one) => one.tagName === "DETAILS";
    const isPlaced = (/** @type {HTMLElement} */ one) => one.dataset.area !== undefined;
    setChildren(this.box, first ? [first, ...others.filter(isPlaced)] : []);
    setChildren(this.folded, others.filter(isFolded));
    setChildren(this.more, others.filter((one) => !isFolded(one) && !isPlaced(one)));
    if (focused !== document.activeElement) focused?.focus();
  }

  /** @param {Group} group  @param {number} index */
  #groupBox({ title, area }, index) {
    const known = this.groups[index];
    if (area) return known ?? (this.groups[index] = areaBox(area, title));
    if (known?.tagName === (title === null ? "DIV" : "DETAILS")) {
      if (title !== null) setText(/** @type {Element} */ (known.querySelector("summary")), title);
      return known;
    }
    const fields = element("div", "gl-fields");
    const heading = title === null ? [] : [element("summary", "gl-summary", {}, title)];
    return (this.groups[index] = element(title === null ? "div" : "details", "gl-group", {}, ...heading, fields));
  }
}

/** A group with a place of its own in the lab. @param {string} area  @param {?string} title */
function areaBox(area, title) {
  const heading = title === null ? [] : [element("p", "gl-side", {}, title)];
  return element("div", "gl-group", { "data-area": area }, ...heading, element("div", "gl-fields"), element("code", "gl-formula"));
}
