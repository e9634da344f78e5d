// What of the window is free for the graph: below Streamlit's header and the controls that stay.

export const HEADER = 60; // pixels of Streamlit's header, which stays

/** Pixels at the window's top that are covered. @param {Element} root  the lab's */
export function upper(root) {
  return HEADER + height(root.querySelector(".gl-head[data-stays]"));
}

/**
 * How far the page has to scroll until a node is in the middle of what is free; 0 where it is seen.
 * @param {Element} root  the lab's
 * @param {Element} node
 * @param {number} by  pixels that it is about to scroll anyway
 */
export function away(root, node, by = 0) {
  const { top, bottom } = node.getBoundingClientRect();
  const [from, to] = [upper(root) + by, innerHeight + by];
  return top >= from && bottom <= to ? 0 : (top + bottom - from - to) / 2;
}

/** What scrolls: a part of Streamlit's page, or the page itself. @param {Element} part */
export function scroller(part) {
  return part.closest(".stMain") ?? document.documentElement;
}

/** @returns {ScrollBehavior} */
export function behavior() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
}

/** Of what stays in the window; in one column the controls go by with the rest. @param {?Element} part */
function height(part) {
  return part && getComputedStyle(part).position === "sticky" ? part.getBoundingClientRect().height : 0;
}
