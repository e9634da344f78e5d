// After a commit the form is gone, and the keyboard with it: it goes to what is said to the answer,
// which is then read aloud, and is brought into sight.

import { setAll } from "../dom.js";
import { phrase } from "../phrase.js";

const PLACE = ".st-key-verdict";
const STILL = matchMedia("(prefers-reduced-motion: reduce)");
const PATIENT = 5000; // ms that the page may take to draw the verdict
const SEEN = 0.75; // of the window's height: above it a reply shows its first lines
const NEAR = 0.25; // of it, for what stands above the reply
const GROWS = 1500; // ms in which what is drawn in it has its size

/** @type {?MutationObserver} */
let waiting = null;

/** The learner has committed: as soon as the page has drawn the verdict. */
export function goToVerdict() {
  waiting?.disconnect();
  if (take()) return;
  const drawn = new MutationObserver(() => take() && drawn.disconnect());
  drawn.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => drawn.disconnect(), PATIENT);
  waiting = drawn;
}

/** A new step: the keyboard begins at its text, which is read from its top. */
export function goToStep() {
  const words = /** @type {?HTMLElement} */ (document.querySelector(".st-key-words"));
  if (!words) return;
  words.tabIndex = -1;
  words.focus({ preventScroll: true });
  words.scrollTop = 0;
  document.querySelector(".stMain")?.scrollTo({ top: 0, behavior: "instant" });
}

/** @returns {boolean} whether the verdict is there */
function take() {
  const place = /** @type {?HTMLElement} */ (document.querySelector(PLACE));
  if (!place) return false;
  setAll(place, { tabindex: -1, role: "group", "aria-label": phrase("feedback") });
  place.focus({ preventScroll: true });
  const behavior = STILL.matches ? "auto" : "smooth";
  // On a phone the right answer, which is the heading now, may lie under the stage that is kept there.
  const heading = document.querySelector(".st-key-words h2");
  const page = /** @type {Element} */ (document.querySelector(".stMain"));
  const kept = parseFloat(getComputedStyle(page).scrollPaddingTop); // the stage's; not a number on a wide page
  const top = place.getBoundingClientRect().top;
  const above = heading?.getBoundingClientRect().top ?? top;
  if (above < kept && top - above < innerHeight * NEAR) {
    heading?.scrollIntoView({ behavior });
    return true;
  }
  // A verdict that begins in sight leaves the page where it is. What is drawn in it grows for a moment.
  if (top < innerHeight * SEEN) return true;
  const grown = new ResizeObserver(() => place.scrollIntoView({ block: "nearest", behavior }));
  grown.observe(place);
  setTimeout(() => grown.disconnect(), GROWS);
  return true;
}
