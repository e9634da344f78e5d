// The address bar, and with it the browser's history, which is written here alone. It says how a lab is set
// once the hand rests, and each step of a lesson is an entry: Back leads to the step before and replays no
// drag.

/** @type {?string} */
let lesson = null; // the lesson whose address was shown last
/** @type {?string} */
let returned = null; // the step that Back or Forward led to, until something on the page is pressed
const FRAME = ["embed", "embed_options"]; // inside a teacher's page the address says that it may be there

addEventListener("popstate", ({ isTrusted }) => {
  if (isTrusted) returned = new URLSearchParams(location.search).get("step"); // tab.js sends one for Streamlit alone
});
addEventListener("click", () => (returned = null), true);

/** Write a lab's settings into the address. @param {string} query */
export function showAddress(query) {
  const words = new URLSearchParams(location.search);
  const frame = FRAME.flatMap((name) => words.getAll(name).map((value) => `${name}=${value}`));
  write([query, ...frame].filter(Boolean).join("&"));
}

/** The step that the page shows; its lab, if it has one, says the rest. @param {number} step */
export function showStep(step) {
  const words = new URLSearchParams(location.search);
  if (words.get("step") === String(step)) return write(location.search.slice(1));
  words.set("step", String(step));
  words.delete("at");
  words.delete("cuts");
  write(String(words));
}

/** @param {string} query */
function write(query) {
  const [before, next] = [location.search, query].map((text) => new URLSearchParams(text));
  const step = next.get("step");
  if (returned !== null && step !== returned) return; // a step that Back has left would overwrite the one it led to
  const isNext = lesson !== null && lesson === next.get("lesson") && before.get("step") !== step;
  lesson = next.get("lesson");
  const search = query && `?${query}`;
  if (search !== location.search) history[isNext ? "pushState" : "replaceState"](history.state, "", location.pathname + search + location.hash);
}
