// What this tab shows, for a session that does not know it: one of a server that was started anew,
// or after an absence. Streamlit then sends the query that the page was opened with, which is older.

/**
 * @typedef {Object} Report
 * @property {string} session  which one drew the page last
 * @property {string} path     what the address said then
 * @property {string} query
 */

let session = "";
/** @type {?Report} */
let report = null; // while the line is broken
/** @type {(report: Report & {time: number}) => void} */
let send = () => {};

/**
 * The page was drawn.
 * @param {string} by  the session
 * @param {(report: object) => void} deliver  has the page drawn anew, with this report
 */
export function drawn(by, deliver) {
  session = by;
  send = deliver;
}

/** The line is broken: what is in the address now is this tab's own. */
export function leave() {
  report ??= { session, path: location.pathname, query: location.search.slice(1) };
}

/** Another lab is on the page, so the session that drew it is there. */
export function stay() {
  report = null;
}

/** Somebody is there again, who may be new. */
export function comeBack() {
  if (report) send({ ...report, time: Date.now() });
  report = null;
}
