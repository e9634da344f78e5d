// What the address bar says of a lab once the hand rests.

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
  if (search === location.search) return;
  history[isNext(words, new URLSearchParams(query)) ? "pushState" : "replaceState"](history.state, "", location.pathname + search + location.hash);
}

/** @param {URLSearchParams} here  @param {URLSearchParams} there */
function isNext(here, there) {
  const differs = (/** @type {string} */ name) => here.get(name) !== there.get(name);
  return here.has("step") && differs("step") && !differs("lesson");
}
