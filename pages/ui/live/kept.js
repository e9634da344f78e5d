// What each lab was when it was left, for as long as this tab is open: a page that is come back to
// finds it as it was. Nothing of it reaches the server.

/**
 * @typedef {Object} Kept
 * @property {Record<string, string>} form
 * @property {string} cuts
 * @property {?number} graphStep
 * @property {string[]} done     the orders of the page that were carried out
 * @property {string} query
 * @property {import("./undo.js").Undo} undo
 */

/** @type {Map<string, Kept>} */
const labs = new Map();

/** @param {string} lab */
export function kept(lab) {
  return labs.get(lab);
}

/** @param {string} lab  @param {Kept} what */
export function keep(lab, what) {
  labs.set(lab, what);
}
