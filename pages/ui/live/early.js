// Named in the page itself, so that the first picture's modules and the charts' script are there
// soon: Streamlit waits for the network meanwhile, and a script takes long to read.

import { LATER } from "./addresses.js";
import { loadPlotly } from "./chart_script.js";
import { element } from "./dom.js";
import { watchForFirst } from "./first_picture.js";
import "./frame.js";

watchForFirst();

// The lab's own come now that Streamlit has begun: before, they would hold it up.
for (const name of LATER) {
  document.head.append(element("link", "", { rel: "modulepreload", href: new URL(name, import.meta.url).href }));
}
void import("./lab.js");

const begin = () => void loadPlotly(false).catch(() => {}); // the lab says so where it shows
// A browser that was here before has it, read already: then it comes before the first picture.
const [here] = /** @type {PerformanceResourceTiming[]} */ (performance.getEntriesByName(import.meta.url));
if (here?.transferSize === 0) begin();
else if ("requestIdleCallback" in window) requestIdleCallback(begin, { timeout: 1000 });
else setTimeout(begin, 200); // Safari

// Streamlit draws a page piece by piece, each when its own script has come. style.css hides home,
// lessons and the teachers' page until here all pieces of their text are there, so that none pushes
// another down; or until this has taken too long, from the first piece on: before, nothing is hidden.
const PATIENT = 6000; // ms
const HIDDEN = ".st-key-lessons, .st-key-lab_home, .st-key-teach"; // as in style.css
let waits = 0;
const STILL = 60; // ms without another piece
const FONTS = 1000; // ms at most to wait for fonts: in another font lines break elsewhere
let still = 0;
const WORDS = ".st-key-words, .st-key-teach";
const BAR = "[data-testid=stSkeleton]"; // Streamlit's grey one, where a piece's script is on its way
const COMING = `:is(.st-key-lessons, ${WORDS}) ${BAR}`;
const LAST = ".st-key-turn p, .st-key-start p, .st-key-teach [data-testid=stLinkButton]";
/** Not what the lab draws at the same time: its first picture stands here already. @param {Element} node */
const isPiece = (node) => node.closest?.("#root") && !node.closest(".gl-lab, .gl-first, .st-key-code");
const { dataset } = document.documentElement;
dataset.whole = "false";
const pieces = new MutationObserver((changes) => {
  if (!changes.some(({ target }) => isPiece(/** @type {Element} */ (target)))) return;
  if (!waits && document.querySelector(HIDDEN)) waits = setTimeout(show, PATIENT);
  const words = document.querySelector(WORDS);
  const links = [...document.querySelectorAll(".st-key-lessons .stPageLink")];
  const coming = document.querySelector(COMING) || !links.every((link) => link.querySelector("p"));
  clearTimeout(still);
  still = 0;
  if (words && document.querySelector(LAST) && !coming) still = setTimeout(dress, STILL);
});
pieces.observe(document.documentElement, { childList: true, subtree: true });

function dress() {
  const late = new Promise((done) => setTimeout(done, FONTS));
  const mine = still;
  void Promise.race([document.fonts.ready, late]).then(() => mine === still && show());
}

function show() {
  clearTimeout(waits);
  dataset.whole = "true";
  pieces.disconnect();
}
