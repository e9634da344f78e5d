// What this tab shows, for a session that does not know it: one of a server that was started anew,
// or after an absence. Streamlit connects again by itself, but draws nothing then, and a server that
// has not drawn the page would miss what is pressed there; the query that it then sends is the one
// that the page was opened with, which is older.

const STATE = "data-test-connection-state";

/**
 * @typedef {Object} Drawn
 * @property {string} session  which one has drawn the page
 * @property {string} page  its address
 */

/** @type {?Drawn} */
let last = null;
/** @type {(report: object) => void} */
let send = () => {};
/** @type {?{button: string, step: ?string}} */
let pressed = null; // the button of another step that was pressed, and where
const stepShown = () => document.querySelector("[aria-current=step]")?.getAttribute("aria-label") ?? null;
const LATEST = 30_000; // ms after which nobody expects it to do anything

/**
 * The page was drawn. Another one begins at its top, which Streamlit leaves to chance: where the
 * page before was scrolled to, if the new one is as long by then.
 * @param {{data: Drawn, setTriggerValue: (name: string, value: object) => void}} component  it has the
 *   page drawn again, with a report
 */
export function render({ data: now, setTriggerValue }) {
  if (!last) watch();
  else if (last.page !== now.page) {
    document.querySelector(".stMain")?.scrollTo({ top: 0, behavior: "instant" });
  }
  if (pressed && last?.session !== now.session) void pressAgain(pressed);
  last = now;
  send = (report) => setTriggerValue("report", report);
}

/**
 * The server that heard of it is gone. Wait for the new one to take in the report and to be done.
 * @param {{button: string, step: ?string}} once
 */
async function pressAgain({ button, step }) {
  pressed = null;
  for (let rests = 0; rests < 5; ) {
    await new Promise((soon) => setTimeout(soon, 100));
    rests = document.querySelector(".stApp[data-test-script-state=notRunning]") ? rests + 1 : 0;
  }
  if (step === stepShown()) /** @type {?HTMLElement} */ (document.querySelector(button))?.click();
}

/** Report whenever Streamlit's own line is open again: sent any earlier, a report would be lost. */
function watch() {
  const app = /** @type {Element} */ (document.querySelector(".stApp"));
  const observer = new MutationObserver(() => {
    if (!last || app.getAttribute(STATE) !== "CONNECTED") return;
    // Nothing has come yet that could change the address: it is this tab's own.
    const { pathname: path, search } = location;
    send({ session: last.session, path, query: search.slice(1) });
  });
  observer.observe(app, { attributeFilter: [STATE] });
  app.addEventListener("click", ({ target }) => {
    const turn = /** @type {Element} */ (target).closest(".st-key-next, .st-key-back");
    if (!turn) return;
    pressed = { button: turn.matches(".st-key-next") ? ".st-key-next button" : ".st-key-back button", step: stepShown() };
    setTimeout(() => (pressed = null), LATEST);
  });
}
