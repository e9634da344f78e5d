// What the address bar says of a lab once the hand rests.

/** @type {?URLSearchParams} */
let last = null; // the words that were shown last, if any
/** @type {?string} */
let returned = null; // the step that Back or Forward led to, until something on the page is pressed

/** Listen for Back and Forward. */
export function followHistory() {
  addEventListener("popstate", () => (returned = new URLSearchParams(location.search).get("step")));
  addEventListener("click", () => (returned = null), true);
}

/**
 * Whether the page shows a step that Back or Forward has left: its address would overwrite theirs.
 * @param {?string} step
 */
export function isLeft(step) {
  return returned !== null && step !== returned;
}

/**
 * Replaced, unless the lesson is at another step: Back leads to the step before and replays no drag.
 * @param {string} query
 */
export function showAddress(query) {
  // Inside a teacher's page the address also says that it may be there.
  const words = new URLSearchParams(location.search);
  const frame = ["embed", "embed_options", "only"].flatMap((name) => words.getAll(name).map((value) => `${name}=${value}`));
  const whole = [query, ...frame].filter(Boolean).join("&");
  const search = whole ? `?${whole}` : "";
  const next = new URLSearchParams(query);
  if (isLeft(next.get("step"))) return;
  const isAt = (/** @type {URLSearchParams} */ other, /** @type {string} */ name) => last?.get(name) === other.get(name);
  const isNext = last && isAt(words, "step") && isAt(next, "lesson") && !isAt(next, "step");
  last = next;
  if (search !== location.search) history[isNext ? "pushState" : "replaceState"](history.state, "", location.pathname + search + location.hash);
}
