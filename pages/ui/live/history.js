// Undo and redo over what the controls of a lab said, step by step.

const MOST = 200; // steps
const LONGEST = 4_000_000; // characters of all of them

/** @typedef {Record<string, string>} Form */

export class History {
  constructor() {
    /** @type {?Form} */
    this.now = null;
    /** @type {Form[]} */
    this.past = [];
    /** @type {Form[]} */
    this.future = [];
  }

  /** Make a step of what is there, unless it is the one shown. @param {Form} form */
  remember(form) {
    if (this.now && size(this.now) === size(form) && same(this.now, form)) return;
    if (this.now) this.past.push(this.now);
    this.now = { ...form };
    this.future = [];
    let all = this.past.reduce((sum, one) => sum + size(one), 0);
    while (this.past.length > MOST || (all > LONGEST && this.past.length)) {
      all -= size(/** @type {Form} */ (this.past.shift()));
    }
  }

  /**
   * The step to show; null where there is none.
   * @param {"undo"|"redo"} word
   * @returns {?Form}
   */
  go(word) {
    const [from, to] = word === "undo" ? [this.past, this.future] : [this.future, this.past];
    const there = from.pop();
    if (!there || !this.now) return null;
    to.push(this.now);
    this.now = there;
    return { ...there };
  }
}

/** @param {Form} one  @param {Form} other */
function same(one, other) {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length && names.every((name) => one[name] === other[name])
  );
}

/** @param {Form} form */
function size(form) {
  return Object.values(form).reduce((sum, text) => sum + text.length, 0);
}
