// The backward pass, one op at a time: where it is, upstream × local = outgoing with the numbers of
// the moment, the sums that wait for another path, and a sentence on what happened.

import { element, setChildren, setText } from "./dom.js";
import { showMath } from "./math.js";

/** @import { GraphNode, GraphPart, GraphSpec, GraphStep, GraphSum } from "./messages.d.ts" */

const PACE = 1000; // ms between the steps of Play

export class Stepper {
  /**
   * @param {HTMLElement} box
   * @param {(to: number) => void} go
   */
  constructor(box, go) {
    this.box = box;
    this.go = go;
    this.step = this.last = 0;
    this.timer = 0;
    /** @type {Map<string, GraphNode>} */
    this.labels = new Map(); // nodes by id
    const button = (/** @type {string} */ label, /** @type {() => void} */ press) => {
      const made = element("button", "gl-button", { type: "button" }, label);
      made.addEventListener("click", press);
      return made;
    };
    const by = (/** @type {() => number} */ to) => () => (this.pause(), go(to()));
    this.first = button("First", by(() => 0));
    this.back = button("Back", by(() => this.step - 1));
    this.next = button("Next", by(() => this.step + 1));
    this.play = button("Play", () => this.#toggle());
    this.place = element("span", "gl-place");
    const buttons = element("div", "gl-buttons", {}, this.first, this.back, this.next, this.play, this.place);
    this.head = element("p", "gl-step-head");
    this.parts = element("div", "gl-parts");
    this.sums = element("ul", "gl-sums", { "aria-label": "Sums of several paths" });
    this.sentence = element("p", "gl-sentence", { "aria-live": "polite" });
    box.append(buttons, this.head, this.sentence, this.parts, this.sums);
  }

  /**
   * @param {GraphSpec} spec
   * @param {number} step
   */
  show(spec, step) {
    this.box.hidden = !spec.steps.length;
    this.step = step;
    this.last = spec.steps.length;
    if (step >= this.last) this.pause();
    this.labels = new Map(spec.nodes.map((node) => [node.id, node]));
    const one = spec.steps[step - 1];
    setText(this.place, `step ${step} of ${this.last}`);
    // Not `disabled`: a button that goes grey under the finger would lose the keyboard's place.
    for (const button of [this.first, this.back]) button.setAttribute("aria-disabled", String(step === 0));
    this.next.setAttribute("aria-disabled", String(step >= this.last));
    setText(this.head, one ? this.#headline(one) : "Nothing has flowed back yet");
    setText(this.sentence, one ? one.sentence : "Next sends the upstream gradient into the output.");
    this.#showParts(one?.parts ?? []);
    this.#showSums([...(one?.arrived ?? []), ...(one?.waiting ?? [])]);
  }

  pause() {
    clearInterval(this.timer);
    this.timer = 0;
    setText(this.play, "Play");
  }

  stop() {
    this.pause();
  }

  #toggle() {
    if (this.timer) {
      this.pause();
      return;
    }
    this.go(this.step >= this.last ? 0 : this.step + 1);
    if (this.step >= this.last) return;
    setText(this.play, "Pause");
    this.timer = setInterval(() => {
      if (this.box.isConnected) this.go(this.step + 1);
      else this.pause();
    }, PACE);
  }

  /** @param {string} id */
  #name(id) {
    return this.labels.get(id)?.label ?? id;
  }

  /** @param {GraphStep} step */
  #headline({ kind, node, upstream }) {
    const label = this.#name(node);
    if (kind === "start") return `Start at ${label}: upstream ${upstream}`;
    if (kind === "leaf") return `${label} has its gradient: ${upstream}`;
    if (kind === "stopped") return `${label}: the gradient stops`;
    const { type } = this.labels.get(node) ?? {};
    return `${label}${type && type !== label ? ` (${type})` : ""}: upstream ${upstream}`;
  }

  /** @param {GraphPart[]} parts */
  #showParts(parts) {
    const known = divided(this.parts);
    const rows = parts.map((_, place) => known[place] ?? this.#row());
    setChildren(this.parts, rows);
    rows.forEach((row, place) => this.#fill(row, parts[place]));
  }

  #row() {
    const [to, rule, product] = ["gl-to", "gl-rule", "gl-product"].map((name) => element("div", name));
    return element("div", "gl-part", {}, to, rule, product);
  }

  /**
   * @param {HTMLElement} row
   * @param {GraphPart} part
   */
  #fill(row, part) {
    const [to, rule, product] = divided(row);
    row.dataset.state = part.state;
    setText(to, `to ${this.#name(part.to)}${part.state === "flowing" ? "" : ` · ${part.state}`}`);
    if (rule.dataset.latex !== part.latex) showMath(rule, part.latex);
    setText(product, written(part));
  }

  /** @param {GraphSum[]} sums */
  #showSums(sums) {
    const known = divided(this.sums);
    const rows = sums.map((_, place) => known[place] ?? element("li", ""));
    setChildren(this.sums, rows);
    this.sums.hidden = !sums.length;
    sums.forEach(({ node, parts, total }, place) => {
      const terms = parts.map(({ value }) => (value === null ? "?" : bracketed(value))).join(" + ");
      const end = total === null ? "waits for another path" : `= ${total}`;
      setText(rows[place], `${this.#name(node)}: ${terms} ${total === null ? `· ${end}` : end}`);
      rows[place].dataset.waiting = String(total === null);
    });
  }
}

/**
 * What was built into an element.
 * @param {HTMLElement} whole
 */
function divided(whole) {
  return /** @type {HTMLElement[]} */ ([...whole.children]);
}

/**
 * upstream × local = outgoing, as far as the op has a local derivative.
 * @param {GraphPart} part
 */
function written({ state, upstream, local, gradient, offered, terms, more }) {
  const sent = state === "cut" ? `${offered}, cut: nothing passes` : gradient;
  if (terms.length) {
    const products = terms.map(([came, factor]) => `${bracketed(came)} × ${bracketed(factor)}`);
    return `${products.join(" + ")}${more > 0 ? ` + ${more} more` : ""} = ${sent}`;
  }
  if (local === null) return `upstream ${upstream} → outgoing ${sent}`;
  return `${bracketed(upstream)} × ${bracketed(local)} = ${sent}`;
}

/** @param {string} text */
function bracketed(text) {
  return text.startsWith("−") ? `(${text})` : text;
}
