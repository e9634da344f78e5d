// What the lab asks the server for: what every control says, what is cut, and what the page adds to
// that. The same wish has the same answer.

import { numberIn } from "../controls/scale.js";

/** @import { Frame } from "../messages.d.ts" */
/** @import { Place } from "../place.d.ts" */

export class Wish {
  /** @param {import("../lab.js").Left | undefined} before */
  constructor(before) {
    this.form = before?.form ?? {}; // what every control says, those out of sight too
    this.cuts = before?.cuts ?? "";
    this.uncovered = false; // the learner wants to see what this step's question covers
    /** @type {?Record<string, string>} */
    this.good = null; // the controls' texts that gave the last picture, while one is refused
    this.snip = ""; // an edge to cut or mend; sent until it is answered
    this.snipSeq = 0;
    this.asked = ""; // the last wish, as text
    this.refused = false; // whether the answer to the last wish had no frame
    /** @type {?number} */
    this.askedStep = null; // the lesson's step at the last wish
    /** @type {?number} */
    this.cutStep = null; // the lesson's step when the cuts were last drawn
  }

  /** Whether there is nothing to ask that was not asked last. @param {Place} place */
  isAsked(place) {
    return !this.snip && !this.refused && this.#seen(place) === this.asked;
  }

  /**
   * @param {Place} place
   * @param {boolean} moving  while the hand still moves
   * @param {string[]} touched  what was set since the last answer
   * @param {string[]} open  the drawers that are open
   */
  text(place, moving, touched, open) {
    const snip = this.snip && `snip ${this.snip}`;
    const carried = this.cutStep !== null && this.cutStep !== place.step;
    const text = JSON.stringify({ ...this.#parts(place), carried, moving, touched, do: snip, open });
    // Half a character, as a slip of the keyboard leaves one, is no text: it stands as an escape.
    return text.replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, "$1\ufffd");
  }

  /** @param {number} seq  @param {Place} place */
  sent(seq, place) {
    this.asked = this.#seen(place);
    this.refused = false;
    this.askedStep = place.step;
    this.snipSeq = seq;
  }

  /**
   * The newest answer: what it says was set is set.
   * @param {number} seq
   * @param {Frame} frame
   * @param {?Frame} before
   */
  answered(seq, frame, before) {
    if (seq >= this.snipSeq) this.snip = "";
    this.form = frame.form;
    this.good = frame.accepted ? null : (this.good ?? before?.form ?? {});
    if (frame.graph?.scissors === "cuts") this.cuts = frame.graph.cuts.join(",");
    this.cutStep = this.askedStep;
  }

  /** The parts of a wish that decide what the lab shows. @param {Place} place */
  #parts({ lab, step, answers, hide, fix, goal }) {
    const { form, good, cuts, uncovered } = this;
    return { lab, values: form, good, cuts, step, answers, uncovered, hide, fix, goal };
  }

  /** Write these parts as text, to compare two wishes. @param {Place} place */
  #seen(place) {
    return JSON.stringify(this.#parts(place));
  }
}

/**
 * Whether two texts of a control say the same: a number may be written in more than one way.
 * @param {string} one
 * @param {string} other
 */
export function sameSetting(one, other) {
  return one === other || numberIn(one) === numberIn(other);
}
