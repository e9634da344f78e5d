// Goals: what a program should compute, and how far the one on the screen is. One goal is a line; of
// several, one is shown at a time. A tick stays.

import { button, element, setChildren, setText } from "./dom.js";

/** @import { GoalSpec } from "./messages.d.ts" */

const MARKS = { true: "✓", false: "not yet" };
const UNCHECKED = "not checked while there is an error";

export class Goals {
  /** @param {HTMLElement} box  @param {(names: string[]) => void} reached  says all that are */
  constructor(box, reached) {
    this.box = box;
    this.reached = reached;
    /** @type {Set<string>} */
    this.done = new Set();
    /** @type {GoalSpec[]} */
    this.goals = [];
    this.checked = true; // whether they speak of what is set, and not of what ran before an error
    this.chosen = ""; // by the learner; before that the first that is not done
    this.title = element("h2", "gl-goals-title");
    this.which = element("span", "");
    this.text = element("p", "gl-goal-text", { "aria-live": "polite" });
    this.state = element("p", "gl-goal-state", { role: "status" });
  }

  /** What is remembered. @param {string[]} names */
  remember(names) {
    this.done = new Set([...this.done, ...names]);
    this.#show();
  }

  /**
   * @param {GoalSpec[]} goals
   * @param {boolean} rests  a tick is for what a hand has left there
   * @param {boolean} accepted  whether what is set was read and ran
   */
  show(goals, rests, accepted) {
    this.checked = accepted;
    if (goals.length && !this.goals.length) this.#build(goals);
    this.goals = goals;
    const now = goals.filter((goal) => this.#isMet(goal)).map(({ name }) => name);
    const fresh = rests && goals.length > 1 ? now.filter((name) => !this.done.has(name)) : [];
    if (fresh.length) {
      this.chosen = fresh.includes(this.#current()?.name ?? "") ? (this.#current()?.name ?? "") : fresh[0];
      this.done = new Set([...this.done, ...fresh]);
      this.reached([...this.done]);
    }
    this.#show();
  }

  /** @param {GoalSpec[]} goals */
  #build(goals) {
    const back = button("‹", () => this.#turn(-1), { "aria-label": "Previous goal" });
    const next = button("›", () => this.#turn(1), { "aria-label": "Next goal" });
    const pager = element("div", "gl-buttons", {}, back, this.which, next);
    setChildren(this.box, [this.title, ...(goals.length > 1 ? [pager] : []), this.text, this.state]);
  }

  /** Show another goal; after the last comes the first. @param {number} by */
  #turn(by) {
    const { goals } = this;
    const at = goals.findIndex((goal) => goal === this.#current()) + by;
    this.chosen = goals.at(at % goals.length)?.name ?? "";
    this.#show();
  }

  #current() {
    const { goals, chosen, done } = this;
    return goals.find(({ name }) => name === chosen) ?? goals.find(({ name }) => !done.has(name)) ?? goals[0];
  }

  #show() {
    const { goals, done } = this;
    const current = this.#current();
    this.box.hidden = !current;
    if (!current) return;
    const several = goals.length > 1;
    const reached = goals.filter(({ name }) => done.has(name)).length;
    setText(this.title, several ? `Goals: ${reached} of ${goals.length} reached` : "Goal");
    setText(this.which, `${goals.indexOf(current) + 1} of ${goals.length}`);
    setText(this.text, current.text);
    const met = this.#isMet(current);
    this.box.classList.toggle("gl-met", met || (several && done.has(current.name)));
    const { value, gradient } = current;
    const parts = `value ${MARKS[`${value}`]}, gradient ${MARKS[`${gradient}`]}`;
    const now = this.checked ? `now: ${parts}` : UNCHECKED;
    const ticked = several && done.has(current.name) ? "✓ reached before; " : "";
    setText(this.state, met ? "✓ reached: the value and the gradient are right" : `${ticked}${now}`);
  }

  /** @param {GoalSpec} goal */
  #isMet({ value, gradient }) {
    return this.checked && value && gradient;
  }
}
