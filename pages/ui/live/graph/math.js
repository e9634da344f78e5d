// Formulas: LaTeX to MathML, which browsers draw themselves, by temml. It is fetched when the first
// formula is shown, 50 kB compressed: a page opens without, and no chart waits for it. On the server
// latex2mathml took 1.2 ms a formula, up to 24 ms a frame, where a whole frame takes 2 to 6.

import { MATHS } from "../addresses.js";

/** @typedef {{render(latex: string, node: Element, options?: object): void}} Temml */

/**
 * Show a formula, soon; as it is written where temml does not come.
 * @param {HTMLElement} node
 * @param {string} latex
 */
export async function showMath(node, latex) {
  node.dataset.latex = latex;
  /** @type {?{default: Temml}} */
  const found = await import(MATHS).catch(() => null);
  if (node.dataset.latex !== latex) return; // another one came meanwhile
  if (!found) return void (node.textContent = latex);
  found.default.render(latex, node); // it trusts nothing in it: no links, no styles, no HTML
  node.firstElementChild?.setAttribute("aria-label", latex); // where MathML is not read out
}
