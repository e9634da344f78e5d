// The notes above the charts: that something failed, what the page has to say, and what was computed.

import { element, setChildren } from "./dom.js";

/** @import { NoteSpec } from "./messages.d.ts" */

export class Notes {
  /** @param {HTMLElement} box */
  constructor(box) {
    this.box = box;
    /** @type {NoteSpec[]} */
    this.chartless = []; // where the charts cannot be drawn
    /** @type {NoteSpec[]} */
    this.asides = []; // until the next answer
    this.page = ""; // what the page has to say, until the learner changes something
    this.shown = "";
  }

  /** @param {NoteSpec[]} computed */
  show(computed) {
    /** @type {NoteSpec[]} */
    const noted = this.page ? [{ level: "warning", text: this.page }] : [];
    const notes = [...this.chartless, ...this.asides, ...noted, ...computed];
    const text = JSON.stringify(notes);
    if (text === this.shown) return;
    this.shown = text;
    setChildren(
      this.box,
      notes.map(({ level, text }) => element("p", "gl-note", { "data-level": level }, text)),
    );
  }
}
