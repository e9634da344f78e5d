// The slider with two handles: two native range inputs on one track and, beside the label, both
// numbers as text, which are the control's value. With `spread`, the second number is the distance
// of the second handle from the first, and the band lies on both sides of the first. The inputs
// give keyboard and screen reader their handles; pointers are followed here, on the whole track.

import { element, setAll, setOrRemove } from "../dom.js";
import { entries, filled, fromPosition, isLog, keyed, nearest, numberIn, toPosition, track } from "./scale.js";
import { typed } from "./typing.js";

/** @import { MakeInput } from "./fields.js" */
/** @import { Range } from "./scale.js" */

const MOST_USUAL = 7; // characters of two numbers

/**
 * One of the inputs that `makeField` in fields.js puts into a control.
 * @type {MakeInput}
 */
export function interval(spec, id, notify, { body }) {
  let range = /** @type {Range} */ (spec); // an interval always comes with its bounds
  let spread = false;
  const bars = [0, 1].map(() => element("input", "gl-range", { type: "range" }));
  const ends = element("div", "gl-ends", {}, ...bars);
  const exact = element("input", "gl-exact", { type: "text", autocomplete: "off", id });
  body.append(ends, exact);

  const numbers = () => entries(exact.value).map(numberIn);
  /** What a handle may say, so that it never passes the other one. @param {number} which @returns {Range} */
  const bounds = (which) => {
    const [low, high] = numbers();
    if (which === 0) return { ...range, max: spread ? range.max - high : high };
    return spread ? { ...range, min: 0, max: range.max - low } : { ...range, min: low };
  };
  /** Where both handles are on the track. */
  const places = () => {
    const [low, high] = numbers();
    return [low, spread ? low + high : high].map((value) => toPosition(range, value));
  };
  /** Show the numbers, if the text is two. @param {number} [but]  a handle that stays where it is */
  const showBars = (but) => {
    const values = numbers();
    if (values.length !== 2 || !values.every(Number.isFinite)) return false;
    const at = places();
    bars.forEach((bar, which) => {
      const position = String(at[which]);
      if (which !== but && bar.value !== position) bar.value = position;
      setOrRemove(bar, "aria-valuetext", String(values[which]));
    });
    const from = spread ? toPosition(range, values[0] - values[1]) : at[0];
    ends.style.setProperty("--gl-from", filled(range, from).toFixed(4));
    ends.style.setProperty("--gl-to", filled(range, at[1]).toFixed(4));
    return true;
  };
  const take = (/** @type {number} */ which, /** @type {string} */ number) => {
    const text = numbers().map((value, place) => (place === which ? number : String(value))).join(", ");
    if (exact.value === text) return;
    exact.value = text;
    showBars();
    notify("moving");
  };
  bars.forEach((bar, which) => {
    bar.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || !showBars()) return;
      const next = keyed(bounds(which), numbers()[which], event.key);
      if (next === null) return;
      event.preventDefault();
      take(which, next);
    });
    // A screen reader's own gesture moves the native input.
    bar.addEventListener("input", () => {
      if (showBars(which)) put(which, bar.valueAsNumber);
    });
  });
  /** Put a handle at a place of the track, as near as the other one lets it. @param {number} which  @param {number} place */
  function put(which, place) {
    const value = isLog(range) ? Number(fromPosition(range, place)) : place;
    take(which, nearest(bounds(which), spread && which ? value - numbers()[0] : value));
    showBars();
  }

  /** @type {?{pointer: number, which: ?number, from: number, offset: number, left: number, length: number}} */
  let grip = null;
  ends.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || bars[0].disabled || !showBars()) return;
    // Measured once: to read a place while the page changes makes the browser lay it out again.
    const radius = parseFloat(getComputedStyle(ends).getPropertyValue("--gl-thumb")) / 2;
    const left = ends.getBoundingClientRect().left + radius;
    const length = ends.clientWidth - 2 * radius;
    const x = event.clientX - left;
    const away = places().map((place) => x - length * filled(range, place));
    const [first, second] = away.map(Math.abs);
    const held = Math.min(first, second) <= radius;
    // A finger moves a handle alone: one that scrolls may begin anywhere on the track.
    if (event.pointerType === "touch" && !held) return;
    // Of two handles at one place the first movement says which.
    const together = Math.abs(away[0] - away[1]) < 1;
    const which = together ? (held ? null : Number(away[0] > 0)) : Number(second < first);
    grip = { pointer: event.pointerId, which, from: x, offset: held ? away[which ?? 0] : 0, left, length };
    ends.setPointerCapture(event.pointerId);
    event.preventDefault();
    if (which === null) return;
    hold(which);
    if (!held) follow(grip, x);
  });
  ends.addEventListener("pointermove", ({ clientX, pointerId }) => {
    if (grip?.pointer !== pointerId) return;
    const x = clientX - grip.left;
    if (grip.which === null && x !== grip.from) hold((grip.which = Number(x > grip.from)));
    follow(grip, x - grip.offset);
  });
  for (const name of /** @type {const} */ (["pointerup", "pointercancel"])) {
    ends.addEventListener(name, ({ pointerId }) => {
      if (grip?.pointer !== pointerId) return;
      grip = null;
      for (const bar of bars) delete bar.dataset.held;
    });
  }
  /** @param {NonNullable<typeof grip>} hand  @param {number} x */
  function follow({ which, length }, x) {
    const { min, max } = track(range);
    if (which !== null) put(which, min + Math.min(Math.max(x / length, 0), 1) * (max - min));
  }
  /** @param {number} which */
  function hold(which) {
    bars[which].focus({ preventScroll: true });
    bars[which].dataset.held = "";
  }
  typed(exact, notify, { changed: () => showBars() });

  return {
    get: () => exact.value,
    set: (value) => {
      exact.value = value;
      showBars();
    },
    nodes: () => [...bars, exact],
    describe(next) {
      range = /** @type {Range} */ (next);
      spread = Boolean(next.spread);
      bars.forEach((bar, which) => {
        setAll(bar, { ...track(range), "aria-label": next.ends?.[which] });
      });
      exact.size = MOST_USUAL;
      showBars();
    },
  };
}
