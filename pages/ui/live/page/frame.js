// Streamlit's link past the navigation, made to fit: it leads to the question, where one is open.

import { setText } from "../dom.js";
import { phrase } from "../phrase.js";

const ANSWERS = "input:not(:disabled), .gt-handle, button:not(:disabled)";
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

/** What one answers with, where a question is open; a sketch is drawn on the stage. */
function answer() {
  const places = document.querySelectorAll(".st-key-question:has(button), .st-key-stage:has(.gt-commit)");
  return places[0]?.querySelector(ANSWERS) ?? null;
}

function words() {
  return document.querySelector(".st-key-words");
}
