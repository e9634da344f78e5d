// After a commit the form is gone, and the keyboard with it: it goes to what is said to the answer,
// which is then read aloud, and is brought into sight.

const PLACE = ".st-key-verdict";
const PATIENT = 5000; // ms that the page may take to draw the verdict

/** @type {?MutationObserver} */
let waiting = null;

/** The learner has committed: as soon as the page has drawn the verdict. */
export function goToVerdict() {
  waiting?.disconnect();
  const began = performance.now();
  waiting = new MutationObserver(() => {
    if (performance.now() - began > PATIENT || take()) waiting?.disconnect();
  });
  if (!take()) waiting.observe(document.body, { childList: true, subtree: true });
}

/** @returns {boolean} whether the verdict is there */
function take() {
  const place = /** @type {?HTMLElement} */ (document.querySelector(PLACE));
  if (!place) return false;
  place.setAttribute("tabindex", "-1");
  place.setAttribute("role", "group");
  place.setAttribute("aria-label", "What is said to your answer");
  place.focus({ preventScroll: true });
  const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
  place.scrollIntoView({ block: "nearest", behavior });
  return true;
}
