// Undo and redo over what the controls of a lab said, step by step.

const MOST_STEPS = 100; // the server refuses a form of more than 400 kB

/** @typedef {Record<string, string>} Form */

export class Undo {
  constructor() {
    /** @type {?Form} */
    this.shown = null;
    /** @type {Form[]} */
    this.past = [];
    /** @type {Form[]} */
    this.future = [];
  }

  /**
   * Make a step of what is there, unless it is the step shown, or only another op type's rule is.
   * @param {Form} form
   */
  remember(form) {
    if (JSON.stringify(this.shown) === JSON.stringify(form)) return;
    const { shown } = this;
    // In a playground, rule.op only chooses which rule is shown.
    const onlyLooked =
      shown && shown["rule.op"] !== form["rule.op"] && shown.program === form.program;
    this.shown = { ...form };
    if (onlyLooked) return;
    if (shown) this.past = [...this.past, shown].slice(-MOST_STEPS);
    this.future = [];
  }

  /**
   * The step to show; null where there is none.
   * @param {"undo"|"redo"} word
   * @returns {?Form}
   */
  go(word) {
    const [from, to] = word === "undo" ? [this.past, this.future] : [this.future, this.past];
    const there = from.pop();
    if (!there || !this.shown) return null;
    to.push(this.shown);
    this.shown = there;
    return { ...there };
  }
}
