// What each lab was when it was left, for as long as this tab is open: a page that is come back to
// finds it as it was. Nothing of it reaches the server but the addresses, for the page for teachers.

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

/**
 * Tell the page the address of each lab, by name.
 * @param {{data: {known: Record<string, string>}, setStateValue: (name: string, value: object) => void}} component
 */
export function render({ data, setStateValue }) {
  const found = Object.fromEntries([...labs].map(([lab, { query }]) => [lab, query]));
  if (JSON.stringify(found) !== JSON.stringify(data.known)) setStateValue("queries", found);
}
