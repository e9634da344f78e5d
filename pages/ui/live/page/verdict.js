// A commit removes the form, and the keyboard focus with it. Move the focus to the verdict, so that it is
// read aloud, and scroll it into view.

import { setAll } from "../dom.js";
import { phrase } from "../phrase.js";

const PLACE = ".st-key-verdict";
const REDUCED_MOTION = matchMedia("(prefers-reduced-motion: reduce)");
const VERDICT_TIMEOUT = 5000; // ms to wait for the page to draw the verdict
const VISIBLE_ABOVE = 0.75; // share of the window's height: a verdict that starts above it needs no scrolling
const HEADING_FITS = 0.25; // share of it: with the heading so close above the verdict, both fit below the stage
const SETTLE_TIME = 1500; // ms in which the verdict may still grow, as Streamlit draws its parts

/** @type {?MutationObserver} */
let waiting = null;

/** After a commit, focus the verdict as soon as the page has drawn it. */
export function goToVerdict() {
  waiting?.disconnect();
  if (focusVerdict()) return;
  const drawn = new MutationObserver(() => focusVerdict() && drawn.disconnect());
  drawn.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => drawn.disconnect(), VERDICT_TIMEOUT);
  waiting = drawn;
}

/** Focus the text of a new step, and scroll it to its top. */
export function goToStep() {
  const words = /** @type {?HTMLElement} */ (document.querySelector(".st-key-words"));
  if (!words) return;
  words.tabIndex = -1;
  words.focus({ preventScroll: true });
  words.scrollTop = 0;
  document.querySelector(".stMain")?.scrollTo({ top: 0, behavior: "instant" });
}

/** Focus the verdict and scroll it into view. @returns {boolean} false if the page hasn't drawn it yet */
function focusVerdict() {
  const place = /** @type {?HTMLElement} */ (document.querySelector(PLACE));
  if (!place) return false;
  setAll(place, { tabindex: -1, role: "group", "aria-label": phrase("feedback") });
  place.focus({ preventScroll: true });
  const behavior = REDUCED_MOTION.matches ? "auto" : "smooth";
  // On a phone, the sticky stage may cover the heading, which now shows the right answer.
  const heading = document.querySelector(".st-key-words h2");
  const page = /** @type {Element} */ (document.querySelector(".stMain"));
  const sticky = parseFloat(getComputedStyle(page).scrollPaddingTop); // px of the stage; NaN on a wide page
  const top = place.getBoundingClientRect().top;
  const above = heading?.getBoundingClientRect().top ?? top;
  if (above < sticky && top - above < innerHeight * HEADING_FITS) {
    heading?.scrollIntoView({ behavior });
    return true;
  }
  // A verdict that starts in view leaves the page where it is. Its parts grow for a moment.
  if (top < innerHeight * VISIBLE_ABOVE) return true;
  const grown = new ResizeObserver(() => place.scrollIntoView({ block: "nearest", behavior }));
  grown.observe(place);
  setTimeout(() => grown.disconnect(), SETTLE_TIME);
  return true;
}
