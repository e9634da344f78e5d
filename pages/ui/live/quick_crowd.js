// Many points that look alike, drawn as one path. A training moves hundreds of points with every
// picture, and the browser lays out and paints each element by itself: one path for all of them
// costs less. What Plotly drew is taken out meanwhile and put back before it draws again.

/** @import { Trace } from "./plotly.d.ts" */

const MANY = 12; // points from which on it is worth it

/**
 * Whether the trace's points look the same as one path: open symbols of one size, which are all
 * line, of a colour that does not add up where they lie on each other, and cut off by the frame.
 * @param {Trace} trace
 */
export function isCrowd({ mode, marker, x, cliponaxis }) {
  const { symbol = "", size, opacity = 1 } = marker ?? {};
  return mode === "markers" && cliponaxis !== false && /-open$/.test(symbol) && typeof size === "number" && opacity === 1 && (x?.length ?? 0) >= MANY;
}

export class QuickCrowd {
  /** @param {Element[]} marks  that Plotly drew */
  constructor(marks) {
    this.marks = marks;
    this.layer = marks[0]?.parentElement;
    this.shape = relative(marks[0]?.getAttribute("d") ?? "");
    this.path = /** @type {Element} */ (marks[0]?.cloneNode());
    this.path?.removeAttribute("transform");
    this.out = false;
  }

  /**
   * What the path has to be; null where it cannot stand for them.
   * @param {string[]} places
   */
  drawn(places) {
    if (!this.shape || places.length !== this.marks.length) return null;
    return places.map((place) => `M${place}${this.shape}`).join("");
  }

  show() {
    if (this.out) return;
    for (const mark of this.marks) mark.remove();
    this.layer?.append(this.path);
    this.out = true;
  }

  putBack() {
    if (!this.out) return;
    this.path.remove();
    this.layer?.append(...this.marks);
    this.out = false;
  }
}

/**
 * A path as Plotly writes a symbol, each step from where the one before it ended; "" where it has
 * steps of another kind.
 * @param {string} path
 */
function relative(path) {
  let [x, y] = [0, 0];
  let start = [x, y];
  let text = "";
  for (const [, letter, rest] of path.matchAll(/([A-Za-z])([^A-Za-z]*)/g)) {
    const numbers = (rest.match(/-?[\d.]+/g) ?? []).map(Number);
    const ends = { M: numbers, L: numbers, H: [numbers[0], y], V: [x, numbers[0]], A: numbers.slice(5), Z: start };
    const to = /** @type {Record<string, number[]>} */ (ends)[letter] ?? [];
    if (to.length !== 2) return "";
    const how = letter === "M" ? "m" : letter === "A" ? `a${numbers.slice(0, 5)} ` : "l";
    text += letter === "Z" ? "z" : `${how}${to[0] - x},${to[1] - y}`;
    [x, y] = to;
    if (letter === "M") start = to;
  }
  return text;
}
