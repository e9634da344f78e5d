// What this tab shows, for a session that does not know it: one of a server that was started anew,
// or after an absence. Streamlit then sends the query that the page was opened with, which is older.

/**
 * @typedef {Object} Left
 * @property {string} session  which one drew the page last
 * @property {string} path     what the address said then
 * @property {string} query
 */

let session = "";
/** @type {?Left} */
let left = null;
/** @type {(left: Left & {at: number}) => void} */
let tell = () => {};

/**
 * The page was drawn.
 * @param {string} by  the session
 * @param {(left: object) => void} how  has the page drawn anew, and the session told
 */
export function drawn(by, how) {
  session = by;
  tell = how;
}

/** The line is broken: what is in the address now is this tab's own. */
export function leave() {
  left ??= { session, path: location.pathname, query: location.search.slice(1) };
}

/** Another lab is on the page, so the session that drew it is there. */
export function stay() {
  left = null;
}

/** Somebody is there again, who may be new. */
export function comeBack() {
  if (left) tell({ ...left, at: Date.now() });
  left = null;
}
