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

let page = ""; // none yet

/**
 * The page was drawn. Another one begins at its top, which Streamlit leaves to chance: where the
 * page before was scrolled to, if the new one is as long by then.
 * @param {string} by  the session
 * @param {string} address  the page's
 * @param {(report: object) => void} deliver  has the page drawn anew, with this report
 */
export function drawn(by, address, deliver) {
  session = by;
  send = deliver;
  const before = page;
  page = `/${address}`;
  const box = document.querySelector(".stMain");
  if (before && before !== page) box?.scrollTo({ top: 0, behavior: "instant" });
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
