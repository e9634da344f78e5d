// One step of the backward pass in words: upstream × local = outgoing with the numbers of the moment,
// the sums that wait for another path, and a sentence on what happened.

import { element, setChildren, setText } from "./dom.js";
import { bracketed } from "./graph_pulse.js";
import { showMath } from "./math.js";

/** @import { GraphNode, GraphPart, GraphSpec, GraphStep, GraphSum } from "./messages.d.ts" */

export class StepWords {
  /** @param {HTMLElement} box */
  constructor(box) {
    this.box = box;
    /** @type {Map<string, GraphNode>} */
    this.labels = new Map(); // nodes by id
    this.head = element("p", "gl-step-head");
    this.parts = element("div", "gl-parts");
    this.sums = element("ul", "gl-sums", { "aria-label": "Sums of several paths" });
    this.sentence = element("p", "gl-sentence", { "aria-live": "polite" });
    box.append(this.head, this.sentence, this.parts, this.sums);
  }

  /**
   * @param {GraphSpec} spec
   * @param {number} step
   */
  show(spec, step) {
    this.box.hidden = !spec.steps.length;
    this.labels = new Map(spec.nodes.map((node) => [node.id, node]));
    const shown = spec.steps[step - 1];
    setText(this.head, shown ? this.#headline(shown) : "Nothing has flowed back yet");
    setText(this.sentence, shown ? shown.sentence : "Next sends the upstream gradient into the output.");
    this.#showParts(shown?.parts ?? []);
    this.#showSums([...(shown?.arrived ?? []), ...(shown?.waiting ?? [])]);
  }

  /** @param {string} id */
  #name(id) {
    return this.labels.get(id)?.label ?? id;
  }

  /** @param {GraphStep} step */
  #headline({ kind, node, upstream }) {
    const label = this.#name(node);
    const { type, entry } = this.labels.get(node) ?? {};
    const of = entry ? `, ${entry}` : "";
    if (kind === "start") return `Start at ${label}${of}: upstream ${upstream}`;
    if (kind === "leaf") return `${label}${of && `${of},`} has its gradient: ${upstream}`;
    if (kind === "stopped") return `${label}: the gradient stops`;
    return `${label}${type && type !== label ? ` (${type})` : ""}${of}: upstream ${upstream}`;
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
    row.dataset.about = part.edge;
    setText(to, `to ${this.#name(part.to)}${part.state === "flowing" ? "" : ` · ${part.state}`}`);
    if (rule.dataset.latex !== part.latex) showMath(rule, part.latex);
    say(product, written(part));
  }

  /** @param {GraphSum[]} sums */
  #showSums(sums) {
    const known = divided(this.sums);
    const rows = sums.map((_, place) => known[place] ?? element("li", ""));
    setChildren(this.sums, rows);
    this.sums.hidden = !sums.length;
    sums.forEach(({ node, parts, total }, place) => {
      const terms = parts.map(({ edge, value }) => term(value === null ? "?" : bracketed(value), edge));
      const end = total === null ? " · waits for another path" : ` = ${total}`;
      say(rows[place], [`${this.#name(node)}: `, ...joined(terms, " + "), end]);
      rows[place].dataset.waiting = String(total === null);
      rows[place].dataset.about = node;
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

/** @typedef {{text: string, about: string}} Term  a number, and the node or edge that has it */

/** @param {string} text  @param {string} about  @returns {Term} */
const term = (text, about) => ({ text, about });

/** @template One  @param {One[]} list  @param {string} between  @returns {(One | string)[]} */
const joined = (list, between) => list.flatMap((one, place) => (place ? [between, one] : [one]));

/**
 * Words with numbers in them that are linked; the same ones are left as they are.
 * @param {HTMLElement} box
 * @param {(string | Term)[]} words
 */
function say(box, words) {
  const said = JSON.stringify(words);
  if (box.dataset.said === said) return;
  box.dataset.said = said;
  box.replaceChildren(
    ...words.map((one) => (typeof one === "string" ? one : element("span", "gl-term", { "data-about": one.about }, one.text))),
  );
}

/**
 * upstream × local = outgoing, as far as the op has a local derivative.
 * @param {GraphPart} part
 * @returns {(string | Term)[]}
 */
function written({ edge, state, upstream, local, gradient, offered, terms, more }) {
  const op = edge.slice(0, edge.lastIndexOf(":"));
  const sent = state === "cut" ? [term(offered, edge), ", cut: nothing passes"] : [term(gradient, edge)];
  const factors = (/** @type {string[]} */ some) => joined(some.map((one) => term(bracketed(one), op)), " × ");
  if (terms.length) {
    const products = terms.flatMap((some, place) => [...(place ? [" + "] : []), ...factors(some)]);
    return [...products, more > 0 ? ` + ${more} more = ` : " = ", ...sent];
  }
  if (local === null) return ["upstream ", term(upstream, op), " → outgoing ", ...sent];
  return [...factors([upstream, local]), " = ", ...sent];
}
