// The first pictures that this browser got last, and where they stood: who opens the same again sees
// one before Streamlit has begun. It is shown only where the same would be sent, for all that a browser
// knows, and only until the page comes, which says what is true.

/**
 * @typedef {Object} Shown
 * @property {string} lab
 * @property {string} text   as the page brought it
 * @property {Theme} theme
 * @property {number} left   in pixels of the window, as the next two
 * @property {number} top
 * @property {number} width
 */
/** @typedef {Shown & {at: string[], when: string}} KeptFirst  with where and when it may be shown */
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

/** What a picture depends on besides the address: the version, progress, theme and window. */
function circumstances() {
  // Streamlit keeps by page what a visitor has chosen, and "System" where nothing was.
  const theme = `stActiveTheme-${location.pathname}-`;
  const name = Object.keys(storage ?? {}).find((one) => one.startsWith(theme));
  const chosen = ((name && storage?.getItem(name)) ?? "").replace('"System"', "");
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const progress = document.cookie.match(PROGRESS);
  return JSON.stringify([import.meta.url, progress, chosen, dark, innerWidth, innerHeight]);
}

const address = () => location.pathname + location.search;
const opened = circumstances();
const openedAt = address(); // before the lab writes its settings there
const openedPage = page();
const openedLab = labHere();

/** What of the address a page turn changes, and no setting. */
function page() {
  const words = new URLSearchParams(location.search);
  return [location.pathname, words.get("lesson"), words.get("quiz")].join();
}

/** The lab that the address leads to, where it names one. */
export function labHere() {
  const { pathname, search } = location;
  return new URLSearchParams(search).get("lesson") ?? (pathname.split("/").pop() || "home");
}

/** What may be shown at once. @returns {KeptFirst | undefined} */
export function keptFirst() {
  const mayBe = (/** @type {KeptFirst} */ one) => one.when === opened && one.at.includes(openedAt);
  return all().find((one) => mayBe(one) && one.lab === openedLab);
}

/**
 * For the next time, and for a reload of what the address says by now.
 * @param {Shown} shown
 * @param {boolean} isAsOpened  whether nothing was set since
 */
export function keepFirst(shown, isAsOpened) {
  // Another page was gone to; or progress was made, or forgotten, or the window is another.
  if (shown.lab !== openedLab || page() !== openedPage || circumstances() !== opened) return;
  const at = isAsOpened ? [openedAt, address()] : [openedAt];
  const others = all().filter(({ at: [first] }) => first !== openedAt);
  try {
    storage?.setItem(NAME, JSON.stringify([{ at, when: opened, ...shown }, ...others].slice(0, MOST)));
  } catch {
    forgetFirst(); // full: the next visit waits for the page
  }
}

/** @returns {KeptFirst[]} */
function all() {
  try {
    const found = JSON.parse(storage?.getItem(NAME) ?? "[]");
    return found.filter((/** @type {KeptFirst} */ { at, text }) => at.length && text);
  } catch {
    return []; // of somebody else
  }
}

/** They tell of the learner's progress. */
export function forgetFirst() {
  storage?.removeItem(NAME);
}
