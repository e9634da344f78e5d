// The first of our modules to run. A tag in the page names their script, so the browser loads it while
// Streamlit waits for the network. This module hides the page until it is whole, and shows why the server
// refuses a connection.

import { element } from "../dom.js";
import "./frame.js";

const SKELETON = "[data-testid=stSkeleton]"; // shown in place of a piece until its script has loaded
const EXCEPTION = ".stException";
/** @param {number} ms  @param {Promise<unknown>} work */
const atMost = (ms, work) => Promise.race([work, new Promise((late) => setTimeout(late, ms))]);

// Streamlit draws a page piece by piece, each once its script has loaded. style.css hides the page
// until all pieces are there, so that none pushes another down; or until this has taken too long.
const SHOW_AFTER = 6000; // ms after the first piece, show the page even if pieces are missing
let timer = 0;
const FONT_TIMEOUT = 1000; // ms to wait for fonts: another font breaks lines elsewhere
const CODE = /code/i; // a font whose lines do not break
let count = 0; // changes so far
const AFTER_RUN = ".stApp[data-test-script-state=notRunning] .stMainBlockContainer .stElementContainer";
const OWN = '[class*="st-key-lab_"], .st-key-header';
/** Whether a change is to the page's own text: the lab and the header don't count. @param {Element} node */
const isPiece = (node) => node.closest?.("#root") && !node.closest(OWN);
const SKETCH = ".st-key-stage .stBidiComponent:not(:has(.gt-sketch > *))"; // not drawn yet
const UNDRAWN = `:is(${SKELETON}, ${SKETCH}):not(:is(${OWN}) *)`;
const { dataset } = document.documentElement;
dataset.whole = "false";
if (new URLSearchParams(location.search).get("embed") === "true") dataset.framed = "";
const pieces = new MutationObserver((changes) => {
  if (!changes.some(({ target }) => isPiece(/** @type {Element} */ (target)))) return;
  count += 1;
  timer ||= setTimeout(show, SHOW_AFTER);
  if (document.querySelector(EXCEPTION)) return show();
  if (document.querySelector(AFTER_RUN) && !document.querySelector(UNDRAWN)) showWithFonts();
});
const STATE = ["data-test-script-state"];
pieces.observe(document.documentElement, { attributeFilter: STATE, childList: true, subtree: true });

function showWithFonts() {
  document.body.getBoundingClientRect(); // layout makes the text request its fonts
  const fonts = [...document.fonts].filter(({ family, status }) => status === "loading" && !CODE.test(family));
  if (!fonts.length) return show();
  const countThen = count;
  const loaded = Promise.allSettled(fonts.map((font) => font.loaded));
  void atMost(FONT_TIMEOUT, loaded).then(() => countThen === count && show());
}

function show() {
  clearTimeout(timer);
  dataset.whole = "true";
  pieces.disconnect();
}

// Behind a proxy that changes the host's name the server refuses Streamlit's socket, and the page
// would wait for ever. A browser tells no script why a socket was refused, so ask for the reason.
const ASK_AFTER = 4000; // ms: by then Streamlit has drawn its first piece, unless it was refused
setTimeout(async () => {
  if (!document.querySelector("[data-testid=stAppSkeleton]")) return; // Streamlit has drawn
  const answer = await fetch("./_stcore/health", { method: "POST" }); // a POST names the page's origin
  if (answer.status === 403) document.body.prepend(element("pre", "gl-refused", { role: "alert" }, await answer.text()));
}, ASK_AFTER);
