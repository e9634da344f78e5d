// Arithmetic of sliders: from a value to a place on the track and back, and the next value for a
// key. No page in here.

const TRACK = 1000; // positions of a logarithmic track

/** @typedef {{min: number, max: number, step: number, scale: "linear"|"log"}} Range */

/**
 * The track's own min, max and step, for the native input.
 * @param {Range} range
 */
export function track(range) {
  return isLog(range)
    ? { min: 0, max: TRACK, step: 1 }
    : { min: range.min, max: range.max, step: range.step || "any" };
}

/**
 * Where on the track a value lies.
 * @param {Range} range
 * @param {number} value
 */
export function toPosition(range, value) {
  if (!isLog(range)) return value;
  const { min, max } = range;
  const inside = Math.min(Math.max(value, min), max);
  return Math.round((TRACK * Math.log(inside / min)) / Math.log(max / min));
}

/**
 * The text of the value at a place on the track; round numbers where the track is coarse.
 * @param {Range} range
 * @param {number} position
 */
export function fromPosition(range, position) {
  if (!isLog(range)) return String(position);
  const { min, max } = range;
  return tidy(range, twoDigits(min * (max / min) ** (position / TRACK)));
}

/**
 * The share of the track, 0 to 1, to the left of a position.
 * @param {Range} range
 * @param {number} position
 */
export function filled(range, position) {
  const { min, max } = track(range);
  return max > min ? Math.min(Math.max((position - min) / (max - min), 0), 1) : 0;
}

/**
 * The value a key leads to on a logarithmic track, or null for a key that means nothing there.
 * Arrows go 1, 2, … 9, 10, 20, …; page keys go by a factor of ten.
 * @param {Range} range
 * @param {number} value
 * @param {string} key
 */
export function keyed(range, value, key) {
  const decade = 10 ** Math.floor(Math.log10(value) + 1e-9);
  switch (key) {
    case "ArrowRight":
    case "ArrowUp":
      return tidy(range, decade * (Math.floor(value / decade + 1e-9) + 1));
    case "ArrowLeft":
    case "ArrowDown": {
      const finer = value / decade <= 1 + 1e-9 ? decade / 10 : decade;
      return tidy(range, finer * (Math.ceil(value / finer - 1e-9) - 1));
    }
    case "PageUp":
      return tidy(range, value * 10);
    case "PageDown":
      return tidy(range, value / 10);
    case "Home":
      return tidy(range, range.min);
    case "End":
      return tidy(range, range.max);
    default:
      return null;
  }
}

/**
 * A value moved by a number of steps, as a text field's arrow keys do it.
 * @param {Partial<Range>} range
 * @param {number} value
 * @param {number} steps
 */
export function stepped(range, value, steps) {
  const step = range.step || 1;
  const next = value + steps * step;
  const low = range.min ?? -Infinity;
  const high = range.max ?? Infinity;
  return shortest(Math.min(Math.max(next, low), high), step);
}

/**
 * The value that a control of this range would take nearest to a number.
 * @param {Partial<Range>} range
 * @param {number} value
 */
export function nearest({ min = -Infinity, max = Infinity, step = 1, scale = "linear" }, value) {
  const range = { min, max, step, scale };
  return tidy(range, isLog(range) ? twoDigits(value) : value);
}

/**
 * A number moved by a share of its whole range.
 * @param {Partial<Range>} range
 * @param {number} value
 * @param {number} share
 */
export function slid({ min = 0, max = 100, step = 1, scale = "linear" }, value, share) {
  const range = { min, max, step, scale };
  return isLog(range) ? value * (max / min) ** share : value + share * (max - min);
}

/**
 * A number as text of no more digits than there are pixels for.
 * @param {number} value
 * @param {number} unit  to a pixel
 */
export function rounded(value, unit) {
  const digits = Math.max(0, Math.ceil(-Math.log10(unit)));
  return String(Number(value.toFixed(Math.min(digits, 12))));
}

/**
 * A list of numbers with another one in one place.
 * @param {string} list
 * @param {number} entry
 * @param {string} text
 */
export function withEntry(list, entry, text) {
  return entries(list).map((part, index) => (index === entry ? text : part)).join(", ");
}

/** The numbers of a list, as they are written. @param {string} list */
export function entries(list) {
  return list.split(/[\s,;[\]()]+/).filter(Boolean);
}

/** @param {Range} range */
export function isLog(range) {
  return range.scale === "log" && range.min > 0 && range.max > range.min;
}

/** @param {number} value */
function twoDigits(value) {
  return Number(value.toPrecision(2));
}

/**
 * Within bounds, on the grid of `step` where there is one, and without rounding dust.
 * @param {Range} range
 * @param {number} value
 */
function tidy({ min, max, step }, value) {
  const onGrid = step ? Math.round(value / step) * step : value;
  return shortest(Math.min(Math.max(onGrid, min), max), step || onGrid / 100);
}

/**
 * `value` as text with no more decimals than a grid of `step` needs.
 * @param {number} value
 * @param {number} step
 */
function shortest(value, step) {
  const decimals = Math.min(Math.max(0, Math.ceil(-Math.log10(Math.abs(step) || 1)) + 1), 12);
  return String(Number(value.toFixed(decimals)));
}
