// The first pictures that this browser got last, and where they stood: who opens the same again sees
// one before Streamlit has begun. It is shown only where the same would be sent, for all that a browser
// knows, and only until the page comes, which says what is true.

/**
 * @typedef {Object} Shown
 * @property {string} text   as the page brought it
 * @property {Theme} theme
 * @property {number} left   in pixels of the window, as the next two
 * @property {number} top
 * @property {number} width
 */
/** @typedef {Shown & {conditions: string[]}} KeptFirst  under which it may be shown */
/** @typedef {{background: string, color: string, font: string}} Theme  as CSS has them */

const NAME = "gradient_tricks_lab_first";
const MOST = 3; // some 50 kB each
const PROGRESS = /\bgradient_tricks_lab\w*=[^;]*/g; // the cookie

const storage = (() => {
  try {
    return localStorage;
  } catch {
    return null; // a browser may forbid it
  }
})();

/** What a picture depends on, as text: the version, the address, progress, theme and window. */
function condition() {
  const { pathname, search } = location;
  // Streamlit keeps by page what a visitor has chosen, and "System" where nothing was.
  const name = Object.keys(storage ?? {}).find((one) => one.startsWith(`stActiveTheme-${pathname}-`));
  const chosen = (name && storage?.getItem(name)) ?? "";
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const theme = [chosen.replace('"System"', ""), dark];
  const progress = document.cookie.match(PROGRESS);
  return JSON.stringify([import.meta.url, pathname, search, progress, theme, innerWidth, innerHeight]);
}

const opened = condition(); // before the lab writes the address, and progress

/** What may be shown at once. @returns {KeptFirst | undefined} */
export function keptFirst() {
  return all().find(({ conditions }) => conditions.includes(opened));
}

/**
 * For the next time, and for a reload of what the address says by now.
 * @param {Shown} shown
 * @param {boolean} isAsOpened  whether nothing was set since
 */
export function keepFirst(shown, isAsOpened) {
  const conditions = isAsOpened ? [opened, condition()] : [opened];
  const others = all().filter(({ conditions: [first] }) => first !== opened);
  try {
    storage?.setItem(NAME, JSON.stringify([{ conditions, ...shown }, ...others].slice(0, MOST)));
  } catch {
    forgetFirst(); // full: the next visit waits for the page
  }
}

/** @returns {KeptFirst[]} */
function all() {
  try {
    const found = JSON.parse(storage?.getItem(NAME) ?? "[]");
    return found.filter((/** @type {KeptFirst} */ { conditions, text }) => conditions.length && text);
  } catch {
    return []; // of somebody else
  }
}

/** It tells of the learner's progress. */
export function forgetFirst() {
  storage?.removeItem(NAME);
}
