// The slider: a native range input and, beside it, the exact number as text. The number is the
// control's value; the bar shows about where it lies, on a linear or a logarithmic track.

import { element, setOrRemove } from "../dom.js";
import { phrase } from "../phrase.js";
import { filled, fromPosition, isLog, keyed, nearest, numberIn, toPosition, track } from "./scale.js";
import { typed } from "./typing.js";

/** @import { MakeInput } from "./fields.js" */
/** @import { Range } from "./scale.js" */

const MOST_DIGITS = 8; // characters for which the number's column has room

/**
 * One of the inputs that `makeField` in fields.js puts into a control.
 * @type {MakeInput}
 */
export function slider(spec, id, notify, { body }) {
  let range = /** @type {Range} */ (spec); // a slider always comes with its bounds
  const bar = element("input", "gl-range", { type: "range", id });
  const exact = element("input", "gl-exact", { type: "text", autocomplete: "off" });
  body.append(bar, exact);

  const showBar = () => {
    const value = numberIn(exact.value);
    if (!Number.isFinite(value)) return;
    const position = String(toPosition(range, value));
    if (bar.value !== position) bar.value = position;
    bar.style.setProperty("--gl-filled", filled(range, bar.valueAsNumber).toFixed(4));
    setOrRemove(bar, "aria-valuetext", exact.value);
  };
  const take = (/** @type {string} */ text) => {
    if (exact.value !== text) exact.value = text;
    showBar();
    notify("moving");
  };
  let before = "";
  bar.addEventListener("pointerdown", () => (before = exact.value));
  bar.addEventListener("pointercancel", () => exact.value !== before && take(before)); // the finger scrolls the page
  bar.addEventListener("input", () => take(fromPosition(range, bar.valueAsNumber)));
  bar.addEventListener("keydown", (event) => {
    if (!isLog(range) || event.altKey || event.ctrlKey || event.metaKey) return;
    const next = keyed(range, Number(exact.value) || range.min, event.key);
    if (next === null) return;
    event.preventDefault(); // the native step is one position, which is no round number
    if (next !== exact.value) take(next);
  });
  typed(exact, notify, { changed: showBar, range: () => range });

  return {
    get: () => exact.value,
    set: (value) => {
      exact.value = value;
      showBar();
    },
    near: (value) => nearest(range, value),
    nodes: () => [bar, exact],
    describe(next) {
      range = /** @type {Range} */ (next);
      for (const [name, value] of Object.entries(track(range))) setOrRemove(bar, name, value);
      setOrRemove(exact, "aria-label", phrase("exact_value", { label: next.label }));
      const digits = Math.max(...[range.min, range.max].map((bound) => String(bound).length));
      exact.size = digits > MOST_DIGITS ? digits : 1;
      exact.inputMode = range.min < 0 ? "text" : "decimal"; // phones' number pads lack a minus
      showBar();
    },
  };
}
