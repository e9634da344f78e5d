// The controls stay in sight for as long as the charts are, unless they would take too much of the
// window.

const MOST_OF_WINDOW = 0.36; // that the controls may cover

/**
 * @param {HTMLElement} head
 * @param {HTMLElement} root  the lab's
 * @returns {ResizeObserver} to disconnect when the lab leaves the page
 */
export function keepInSight(head, root) {
  // What is opened there does not count: it would send all of them away, itself too. It scrolls instead.
  const resized = new ResizeObserver(() => {
    const { offsetHeight } = head;
    const opened = [...head.querySelectorAll(".gl-group[open] > .gl-fields")];
    const folded = opened.reduce((height, { clientHeight }) => height - clientHeight, offsetHeight);
    const stays = folded <= innerHeight * MOST_OF_WINDOW;
    head.toggleAttribute("data-stays", stays);
    root.style.setProperty("--gl-stays", stays ? `${offsetHeight}px` : "0px"); // for what stays below it
  });
  for (const one of [head, document.documentElement]) resized.observe(one);
  return resized;
}
