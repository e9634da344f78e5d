// What the address bar says of a lab once the hand rests.

/**
 * Replaced, never added: the Back button leaves the page instead of replaying a drag.
 * @param {string} query
 */
export function showAddress(query) {
  // Inside a teacher's page the address also says that it may be there.
  const words = new URLSearchParams(location.search);
  const frame = ["embed", "embed_options", "only"].flatMap((name) => words.getAll(name).map((value) => `${name}=${value}`));
  const whole = [query, ...frame].filter(Boolean).join("&");
  const search = whole ? `?${whole}` : "";
  if (search === location.search) return;
  history.replaceState(history.state, "", location.pathname + search + location.hash);
}
