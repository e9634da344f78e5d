// Numbers in the text that are settings: dragged sideways, or typed over, they set the lab as its
// slider does. The lab's controls tell which numbers are handles; page_parts.js writes their text.

import { element, fit, setAll, setOrRemove, setText } from "../dom.js";
import { phrase } from "../phrase.js";
import { STEPS, keyed, numberIn, slid } from "./scale.js";

/** @import { Controls } from "./controls.js" */
/** @import { Group } from "../messages.d.ts" */

const DRAG_WIDTH = 300; // px of a drag through the whole range
const ENTRY_RANGE = { min: -3, max: 3, unit: 0.01 }; // for an entry of a list, which has no ends of its own
const SLOP = 3; // px before a press is a drag
const NUMBER_KEY = /^[\d.,eE+−-]$/;
const TYPING = "gt-typing";
const ARGUMENT = /_gradient\w*\([^()]*$/; // what is before an argument of a trick

/** The name of the fact that a mark in the text quotes. @param {Element} node */
const nameOf = (node) => (node.getAttribute("data-number") ?? "").split(":")[0];

export class NumberHandles {
  /** @param {Controls} controls */
  constructor(controls) {
    this.controls = controls;
    /** @type {?{node: HTMLElement, pointer: number, from: number, value: number, moving: boolean}} */
    this.grip = null;
    this.listeners = new AbortController();
    const { signal } = this.listeners;
    document.addEventListener("pointerdown", (event) => this.#down(event), { signal });
    document.addEventListener("pointermove", (event) => this.#move(event), { signal });
    for (const name of /** @type {const} */ (["pointerup", "pointercancel"])) {
      document.addEventListener(name, (event) => this.#up(event), { signal });
    }
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    document.addEventListener("focusout", ({ target }) => this.#enter(handleAt(target)), { signal });
  }

  /** Whether a mark's text is the learner's for now. @param {Element} node */
  isTyped(node) {
    return node.classList.contains(TYPING);
  }

  /** A mark in the text is a handle while its number can be set. @param {Element} node  @param {string} text */
  mark(node, text) {
    const spec = this.controls.number(nameOf(node));
    node.classList.toggle("gt-handle", spec !== null);
    setAll(node, {
      role: spec && "spinbutton",
      tabindex: spec && 0,
      "aria-label": spec?.label,
      "aria-valuenow": spec?.value,
      "aria-valuetext": spec && text,
      "aria-valuemin": spec?.min,
      "aria-valuemax": spec?.max,
      title: spec && phrase("number_help", { label: spec.label }),
    });
  }

  /**
   * Write a group's code. An argument of its trick that a slider of the group sets can be dragged; the keyboard
   * has the slider.
   * @param {Element} box
   * @param {Group} group
   */
  write(box, { code = "", controls }) {
    const sliders = controls.filter(({ kind }) => kind === "slider");
    const parts = code.split(/(\d+(?:\.\d+)?(?:e[+-]?\d+)?)/);
    for (const [place, node] of fit(box, parts.length, () => element("span", "")).entries()) {
      const isArgument = place % 2 === 1 && ARGUMENT.test(parts.slice(0, place).join(""));
      const number = isArgument ? numberIn(parts[place]) : NaN;
      const spec = sliders.find(({ name, value }) => numberIn(value) === number && this.controls.isFree(name));
      setText(node, parts[place]);
      setOrRemove(node, "data-number", spec?.name);
      setOrRemove(node, "title", spec?.label);
      node.classList.toggle("gt-handle", spec !== undefined);
    }
  }

  stop() {
    this.listeners.abort();
  }

  /** @param {PointerEvent} event */
  #down(event) {
    const node = handleAt(event.target);
    if (!node || event.button !== 0) return;
    const value = this.#value(node);
    if (!Number.isFinite(value)) return;
    this.grip = { node, pointer: event.pointerId, from: event.clientX, value, moving: false };
    node.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  #move({ clientX, pointerId }) {
    const { grip } = this;
    if (!grip || grip.pointer !== pointerId) return;
    grip.moving ||= Math.abs(clientX - grip.from) > SLOP;
    if (grip.moving) this.#slide(grip, (clientX - grip.from) / DRAG_WIDTH);
  }

  /** @param {PointerEvent} event */
  #up({ pointerId }) {
    const { grip } = this;
    if (!grip || grip.pointer !== pointerId) return;
    this.grip = null;
    if (grip.moving) this.controls.choose({}, false); // it rests where it is
  }

  /** @param {{node: Element, value: number}} grip  @param {number} share */
  #slide({ node, value }, share) {
    const name = nameOf(node);
    const spec = this.controls.number(name);
    if (!spec) return;
    const { entry } = spec;
    const range = entry === undefined ? { ...spec, unit: 1 } : { ...spec, ...ENTRY_RANGE };
    this.controls.drag([{ name, value: slid(range, value, share), unit: range.unit, entry }], true);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const node = handleAt(event.target);
    const name = node && nameOf(node);
    const spec = name && this.controls.number(name);
    if (!node || !spec || event.altKey || event.ctrlKey || event.metaKey) return;
    const { key } = event;
    if (key === "Enter") this.#enter(node);
    else if (key === "Escape") node.classList.remove(TYPING);
    else if (NUMBER_KEY.test(key) || (key === "Backspace" && this.isTyped(node))) {
      const before = this.isTyped(node) ? (node.textContent ?? "") : "";
      node.classList.add(TYPING);
      node.textContent = key === "Backspace" ? before.slice(0, -1) : before + key;
    } else {
      if (!(key in STEPS)) return;
      const next = keyed(spec, this.#value(node), key);
      if (next !== null) {
        node.classList.remove(TYPING);
        this.controls.enter(name, next);
      } // an entry of a list has no end, and the page does not scroll to its own
    }
    event.preventDefault();
  }

  /** What was typed goes to the control, which says what is wrong with it. @param {?HTMLElement} node */
  #enter(node) {
    if (!node || !this.isTyped(node)) return;
    node.classList.remove(TYPING);
    const text = (node.textContent ?? "").replaceAll(",", "");
    if (text) this.controls.enter(nameOf(node), text);
  }

  /** @param {Element} node */
  #value(node) {
    return Number(this.controls.number(nameOf(node))?.now);
  }
}

/** @param {?EventTarget} target */
function handleAt(target) {
  return target instanceof Element ? /** @type {?HTMLElement} */ (target.closest(".gt-handle")) : null;
}
