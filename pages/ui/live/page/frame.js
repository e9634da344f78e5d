// Streamlit's skip link leads to the open question, if there is one.

import { setText } from "../dom.js";
import { phrase } from "../phrase.js";

const ANSWERS = "input:not(:disabled), .gt-knob, button:not(:disabled)";
const SKIP = '[data-testid="stSkipToContent"]';

addEventListener("focusin", ({ target }) => {
  if (!(target instanceof Element) || !target.matches(SKIP)) return;
  const text = words() ? phrase("skip_to_lesson") : phrase("skip_to_content");
  setText(target.firstChild ?? target, answer() ? phrase("skip_to_question") : text);
});
addEventListener(
  "click",
  (event) => {
    if (!(event.target instanceof Element) || !event.target.closest(SKIP)) return;
    const to = answer() ?? words();
    if (!(to instanceof HTMLElement)) return; // Streamlit's own way
    event.preventDefault();
    event.stopPropagation();
    if (!to.matches(ANSWERS)) to.tabIndex = -1;
    to.focus();
  },
  { capture: true },
);

/** Find the open question's first control. A sketch is on the stage. */
function answer() {
  const places = document.querySelectorAll(".st-key-question:has(button), .st-key-stage:has(.gt-commit)");
  return places[0]?.querySelector(ANSWERS) ?? null;
}

function words() {
  return document.querySelector(".st-key-words");
}
