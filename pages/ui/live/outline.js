// Points at the part of the lab that the text speaks of: a frame round it. With a new step its text
// stands at the top of the window; where the lab is beside it, the part is brought into sight.

import { element } from "./dom.js";
import { HEADER, away, behavior, scroller, upper } from "./in_sight.js";

const FAR = 1e5; // pixels
const GAP = 12;

let lesson = ""; // the last one shown on this page: the next one begins at its title

export class Outline {
  /**
   * @param {HTMLElement} root
   * @param {Record<string, HTMLElement>} parts  those that are no figures, by name
   */
  constructor(root, parts) {
    this.root = root;
    this.parts = parts;
    /** @type {Element | null} */
    this.part = null;
    /** @type {string | null} */
    this.step = null;
    this.awaited = false; // the part is not there yet: a training's charts come with its picture
    // In one column the text is far above what it speaks of; shown while it is out of sight.
    this.back = element("button", "gt-up", { type: "button", "data-up": "", hidden: "" }, "↑ Back to the text");
    // Out of the window above, as it is with the lab in sight. Below counts as in sight: in a low
    // window one jump goes from below to above, and nothing else would tell of it.
    this.sighted = new IntersectionObserver((entries) => {
      const last = entries[entries.length - 1];
      this.back.hidden = last.isIntersecting;
    }, { root: root.closest(".stMain"), rootMargin: `-${HEADER}px 0px ${FAR}px` });
    /** @type {?Element} */
    this.words = null; // whose place is watched
  }

  stop() {
    this.sighted.disconnect();
    this.back.remove();
  }

  #watch() {
    const words = document.querySelector(".st-key-words");
    if (words === this.words) return;
    this.sighted.disconnect();
    this.words = words;
    if (words) this.sighted.observe(words);
  }

  /** @param {{name: string, step: string} | null} show */
  show(show) {
    this.#watch();
    if (show && !this.back.isConnected) this.root.before(this.back);
    const name = show?.name ?? "";
    const figure = name && this.root.querySelector(`[data-figure="${CSS.escape(name)}"]`);
    const part = (this.parts[name] ?? figure) || null;
    if (part !== this.part) {
      this.part?.classList.remove("gl-outlined");
      part?.classList.add("gl-outlined");
      this.part = part;
    }
    const step = show?.step ?? "";
    const [slug = ""] = step.split(" ");
    if (lesson && slug && slug !== lesson) this.#open();
    else if (this.step !== null && this.step !== step) this.#arrive(Boolean(name));
    lesson = slug || lesson;
    if (this.awaited && part) this.#bring(part);
    this.step = step; // a page that is just opened stays at its top
  }

  /** Bring what the text speaks of into sight. */
  see() {
    this.#scrollTo(this.part ?? this.root, true);
  }

  /** Back to the text, and the keyboard with it. */
  up() {
    this.#begin()?.scrollIntoView({ block: "start", behavior: behavior() });
  }

  /** Another lesson, where the one before may have been read to its end. */
  #open() {
    this.#begin();
    scroller(this.root).scrollTo({ top: 0, behavior: "instant" });
  }

  /** A new step. @param {boolean} pointing  its text speaks of a part of the lab */
  #arrive(pointing) {
    const words = this.#begin();
    if (!words) return;
    this.awaited = pointing && isBeside(words, this.root);
    if (!isBeside(words, this.root)) words.scrollIntoView({ block: "start" });
    else if (!pointing) scroller(words).scrollTo({ top: 0, behavior: behavior() });
  }

  /** The next Tab leads to what stands in the new text; a button that is gone would lose the place. */
  #begin() {
    const words = document.querySelector(".st-key-words");
    if (!(words instanceof HTMLElement)) return null;
    words.tabIndex = -1;
    words.focus({ preventScroll: true });
    words.scrollTop = 0;
    return words;
  }

  /** @param {Element} part */
  #bring(part) {
    this.awaited = false;
    this.#scrollTo(part, false);
  }

  /**
   * Below the header and the controls, where they stay; at the page's start, if it is seen there.
   * @param {Element} part
   * @param {boolean} always  even if most of it is in sight
   */
  #scrollTo(part, always) {
    const box = scroller(part);
    const from = upper(this.root);
    const { top, height } = part.getBoundingClientRect();
    const room = Math.max(innerHeight - from, 1);
    const seenAt = (/** @type {number} */ y) => Math.min(y + height, innerHeight) - Math.max(y, from);
    const enough = Math.min(height, room) * 0.6;
    if (!always && seenAt(top) >= enough) return;
    const first = top + box.scrollTop; // where it is with the page at its start
    const above = from + Math.max((room - height) / 2, GAP);
    const to = !always && seenAt(first) >= enough ? 0 : first - above;
    // Of a tall graph, from its start as far as the step of the backward pass that is spoken of.
    const node = part.querySelector('.gl-node[data-step="current"]');
    const on = always && node ? Math.max(away(this.root, node, to - box.scrollTop), 0) : 0;
    box.scrollTo({ top: to + on, behavior: behavior() });
  }
}

/** @param {Element} words  @param {Element} lab */
function isBeside(words, lab) {
  return words.getBoundingClientRect().right <= lab.getBoundingClientRect().left;
}
