// Find which linked part the learner points at, by mouse, finger or keyboard. Graph and charts
// say it themselves, everything else is told from the element.

const CODE = ".gt-code[data-ran] .gt-row"; // a line of the code that ran
const PROGRAM = '[data-control="program"]';

/**
 * What is pointed at: one of these. `typed` is a line of the learner's own program.
 * @typedef {{id: string} | {line: number} | {typed: number} | {role: string}} Source
 */

/** The lines of the code that ran. */
export function codeRows() {
  return /** @type {HTMLElement[]} */ ([...document.querySelectorAll(CODE)]);
}

/** The numbers of the learner's own lines. @param {Element} root */
export function typedRows(root) {
  return [...root.querySelectorAll(`${PROGRAM} .gl-numbers > div`)];
}

/**
 * @param {Element} target
 * @param {Element} root  the lab
 * @param {number} [y]  of the pointer; without one the caret counts
 * @returns {?Source}
 */
function sourceAt(target, root, y) {
  const cell = target.closest("td, th");
  const column = cell instanceof HTMLTableCellElement && cell.closest("table")?.tHead?.rows[0]?.cells[cell.cellIndex];
  const role = (column || target.closest(".gl-entry"))?.getAttribute("data-role");
  if (role) return { role };
  const about = target.closest("[data-about]")?.getAttribute("data-about");
  if (about) return { id: about };
  const line = target.closest(CODE);
  if (line) return { line: [...(line.parentElement?.children ?? [])].indexOf(line) };
  if (!target.matches(`${PROGRAM} textarea`)) return null;
  return { typed: lineAt(/** @type {HTMLTextAreaElement} */ (target), y) };
}

/** @param {HTMLTextAreaElement} area  @param {number} [y] */
function lineAt(area, y) {
  if (y === undefined) return area.value.slice(0, area.selectionStart).split("\n").length - 1;
  const { lineHeight, paddingTop } = getComputedStyle(area);
  const down = y - area.getBoundingClientRect().top - parseFloat(paddingTop) + area.scrollTop;
  return Math.floor(down / parseFloat(lineHeight));
}

/**
 * Hear what is pointed at.
 * @param {Element} root
 * @param {(source: ?Source) => void} light
 * @param {AbortSignal} signal
 */
export function hearPointing(root, light, signal) {
  /** @param {PointerEvent} event */
  const over = ({ target, buttons, clientY }) => {
    // Within the graph and the charts they say themselves what is pointed at.
    if (buttons || !(target instanceof Element) || target.closest(".gl-drawing, .gl-plot")) return;
    light(sourceAt(target, root, clientY));
  };
  document.addEventListener("pointerover", over, { signal });
  root.addEventListener("pointermove", (event) => {
    const { target } = event;
    if (target instanceof HTMLTextAreaElement) over(/** @type {PointerEvent} */ (event));
  }, { signal });
  const looked = (/** @type {Event} */ { target }) => {
    if (!(target instanceof Element) || target.closest(".gl-drawing")) return;
    light(sourceAt(target, root));
  };
  document.addEventListener("focusin", looked, { signal });
  root.addEventListener("keyup", (event) => {
    if (event.target instanceof HTMLTextAreaElement) looked(event);
  }, { signal });
}
