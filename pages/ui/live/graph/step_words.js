// One step of the backward pass in words: what happened, and the rule along each edge.

import { element, fit, setText } from "../dom.js";
import { phrase } from "../phrase.js";
import { showMath } from "./math.js";

/** @import { GraphSpec } from "../messages.d.ts" */

export class StepWords {
  /** @param {HTMLElement} box */
  constructor(box) {
    this.sentence = element("p", "gl-sentence", { "aria-live": "polite" });
    this.rules = element("div", "");
    box.append(this.sentence, this.rules);
  }

  /**
   * @param {Pick<GraphSpec, "steps">} spec
   * @param {number} step  how many are taken
   */
  show({ steps }, step) {
    const { sentence = phrase("before_first_step"), parts = [] } = steps[step - 1] ?? {};
    setText(this.sentence, sentence);
    fit(this.rules, parts.length, () => element("div", "gl-rule")).forEach((row, place) => {
      row.dataset.about = parts[place].edge;
      if (row.dataset.latex !== parts[place].latex) showMath(row, parts[place].latex);
    });
  }
}
