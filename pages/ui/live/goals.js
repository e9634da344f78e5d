// Goals: what a program should compute, and how far the one on the screen is. One goal is a line; of
// several, one is shown at a time. A tick stays.

import { button, element, setChildren, setText } from "./dom.js";
import { phrase } from "./phrase.js";

/** @import { GoalSpec } from "./messages.d.ts" */

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
    const back = button("‹", () => this.#turn(-1), { "aria-label": phrase("previous_goal") });
    const next = button("›", () => this.#turn(1), { "aria-label": phrase("next_goal") });
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
    const all = goals.length;
    const several = all > 1;
    const reached = goals.filter(({ name }) => done.has(name)).length;
    setText(this.title, several ? phrase("goals_reached", { reached, all }) : phrase("goal"));
    setText(this.which, phrase("goal_place", { number: goals.indexOf(current) + 1, all }));
    setText(this.text, current.text);
    const met = this.#isMet(current);
    const before = several && done.has(current.name);
    this.box.classList.toggle("gl-met", met || before);
    const now = this.#now(current);
    setText(this.state, before && !met ? phrase("goal_reached_before", { now }) : now);
  }

  /** @param {GoalSpec} goal */
  #now({ value, gradient }) {
    if (!this.checked) return phrase("goal_unchecked");
    if (value) return gradient ? phrase("goal_reached") : phrase("only_value_right");
    return gradient ? phrase("only_gradient_right") : phrase("neither_right");
  }

  /** @param {GoalSpec} goal */
  #isMet({ value, gradient }) {
    return this.checked && value && gradient;
  }
}
