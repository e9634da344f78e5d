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

/** How many steps a key goes. @type {Record<string, number | undefined>} */
export const STEPS = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10, Home: -Infinity, End: Infinity };

/**
 * The text of the value that a key leads to; null where it leads nowhere. On a logarithmic track arrows go
 * 1, 2, … 9, 10, 20, …; page keys go by a factor of ten.
 * @param {Partial<Range>} bounds
 * @param {number} value
 * @param {string} key
 */
export function keyed({ min = -Infinity, max = Infinity, step = 1, scale = "linear" }, value, key) {
  const range = { min, max, step, scale };
  const steps = STEPS[key];
  if (!steps || !Number.isFinite(value)) return null;
  if (!Number.isFinite(steps)) {
    const end = steps > 0 ? max : min;
    return Number.isFinite(end) ? tidy(range, end) : null;
  }
  if (!isLog(range)) return shortest(Math.min(Math.max(value + steps * (step || 1), min), max), step || 1);
  const inside = Math.min(Math.max(value, min), max);
  if (Math.abs(steps) > 1) return tidy(range, steps > 0 ? inside * 10 : inside / 10);
  const decade = 10 ** Math.floor(Math.log10(inside) + 1e-9);
  if (steps > 0) return tidy(range, decade * (Math.floor(inside / decade + 1e-9) + 1));
  const finer = inside / decade <= 1 + 1e-9 ? decade / 10 : decade;
  return tidy(range, finer * (Math.ceil(inside / finer - 1e-9) - 1));
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

/** The number that a text is; NaN where it is none. @param {string} text */
export function numberIn(text) {
  return text.trim() === "" ? NaN : Number(text);
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
