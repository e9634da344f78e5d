// What every page has around its content: a link past the navigation for who uses the keyboard, and
// the drawer that holds the navigation on a phone, which Streamlit leaves open.

import { element, setText } from "./dom.js";

const NARROW = matchMedia("(max-width: 767px)"); // from here on Streamlit has a drawer
const ANSWERS = "input:not(:disabled), .gt-handle, button:not(:disabled)";

const skip = element("a", "gt-skip", { href: "#" });
skip.addEventListener("focus", () => {
  const to = answer() ? "question" : words() ? "lesson" : "content";
  setText(skip, `Skip to the ${to}`);
});
skip.addEventListener("click", (event) => {
  event.preventDefault();
  const to = answer() ?? words() ?? document.querySelector(".stMainBlockContainer");
  if (!(to instanceof HTMLElement)) return;
  if (!to.matches(ANSWERS)) to.tabIndex = -1;
  to.focus();
});
document.body.prepend(skip);

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
