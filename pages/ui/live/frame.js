// What Streamlit has around each page's content, made to fit: its link past the navigation leads to
// the question, where one is open, and its drawer on a phone closes behind who has chosen.

import { setText } from "./dom.js";

const NARROW = matchMedia("(max-width: 767px)"); // from here on Streamlit has a drawer
const ANSWERS = "input:not(:disabled), .gt-handle, button:not(:disabled)";
const SKIP = '[data-testid="stSkipToContent"]';

addEventListener("focusin", ({ target }) => {
  if (!(target instanceof Element) || !target.matches(SKIP)) return;
  setText(target.firstChild ?? target, `Skip to the ${answer() ? "question" : words() ? "lesson" : "content"}`);
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

/** What one answers with, where a question is open. */
function answer() {
  const question = document.querySelector(".st-key-question");
  return question?.querySelector("button") ? question.querySelector(ANSWERS) : null;
}

function words() {
  return document.querySelector(".st-key-words");
}

// Who left it open finds it closed on the next page.
if (NARROW.matches) {
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith("stSidebarCollapsed")) localStorage.removeItem(key);
  }
}
addEventListener("click", ({ target }) => {
  if (!NARROW.matches || !(target instanceof Element)) return;
  if (!target.closest('[data-testid="stSidebarNavLink"]')) return;
  const close = document.querySelector('[data-testid="stSidebarCollapseButton"] button');
  if (close instanceof HTMLElement) close.click();
});
