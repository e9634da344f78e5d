// Has the page drawn again after a break, for a server that was restarted or has forgotten this tab.
// Streamlit connects again by itself but draws nothing then, and a server that has not drawn the page
// would miss what is pressed there.

const STATE = "data-test-connection-state";
const RUN = "data-test-script-state";
const PRESSED = "gt-pressed"; // a button's class until the page was drawn again

/**
 * @typedef {Object} Drawn
 * @property {string} session  which one has drawn the page
 * @property {string} page  its address
 */

/** @type {?Drawn} */
let last = null;
let drawAgain = () => {};
/** @type {?{button: string, step: ?string}} */
let pressed = null; // the button of another step that was pressed, and where
const stepShown = () => document.querySelector("[aria-current=step]")?.getAttribute("aria-label") ?? null;
const FORGET_AFTER = 30_000; // ms after which nobody expects a press to do anything

/**
 * For pages/ui/site.py: the page was drawn. Another page begins at its top; Streamlit would leave it
 * scrolled to where the last one was, if it is as long by then.
 * @param {import("../../component.d.ts").Component<Drawn>} component
 */
export function render({ data: now, setTriggerValue }) {
  if (!last) watch();
  else if (last.page !== now.page) {
    document.querySelector(".stMain")?.scrollTo({ top: 0, behavior: "instant" });
  }
  if (pressed && last?.session !== now.session) void pressAgain(pressed);
  last = now;
  drawAgain = () => setTriggerValue("drawn", now.session);
}

/**
 * The server that heard of it is gone. Wait until the new one has drawn the page.
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

function watch() {
  const app = /** @type {Element} */ (document.querySelector(".stApp"));
  const observer = new MutationObserver(([{ attributeName }]) => {
    if (attributeName === RUN) {
      if (app.getAttribute(RUN) !== "notRunning") return;
      for (const button of app.querySelectorAll(`.${PRESSED}`)) button.classList.remove(PRESSED);
    } else if (app.getAttribute(STATE) === "CONNECTED") drawAgain();
    // Streamlit sends the query that the page was opened with, unless it is told of a newer one.
    else dispatchEvent(new PopStateEvent("popstate"));
  });
  observer.observe(app, { attributeFilter: [STATE, RUN] });
  app.addEventListener("click", ({ target }) => {
    const button = /** @type {Element} */ (target).closest(":is(.stButton, .stFormSubmitButton) button");
    button?.classList.add(PRESSED); // Streamlit itself shows nothing until the server has answered
    const turn = /** @type {Element} */ (target).closest(".st-key-next, .st-key-back");
    if (!turn) return;
    pressed = { button: turn.matches(".st-key-next") ? ".st-key-next button" : ".st-key-back button", step: stepShown() };
    setTimeout(() => (pressed = null), FORGET_AFTER);
  });
}
