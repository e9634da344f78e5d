// An axis whose range moved, drawn without Plotly: marks, labels, grid and zero line where Plotly
// would have them. What Plotly drew is taken out meanwhile and put back before it draws again, so
// that it finds its own picture.

/** @import { Axis } from "./plotly.d.ts" */

/** @typedef {{pixel: number, text: string}} Tick  a pixel along the axis and its label */

export const MINUS = "−";
const TICKS = { x: 80, y: 40 }; // pixels that Plotly wants between two
const context = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));

/**
 * Whether the axis is of the kind drawn here, shows what Plotly drew, and can show `range`.
 * @param {Axis} axis
 * @param {[number, number]} before
 * @param {[number, number]} range
 */
export function canMove(axis, before, [low, high]) {
  const plain = axis.type === "linear" && axis.tickmode === "auto" && !axis.tickformat;
  const whole = axis.showgrid && axis.showline && axis.zeroline && axis.showticklabels;
  // Otherwise a learner has zoomed in, or the two axes are tied to each other.
  const own = axis.range.every((end, index) => end === before[index]);
  // Beyond these ends labels have letters: 10k.
  const most = Math.log10(Math.max(Math.abs(low), Math.abs(high))) + 0.01;
  return plain && whole && own && low < high && most >= -3 && most < 4;
}

/** Which way an axis runs. @param {string} id  as Plotly calls it */
export function letterOf(id) {
  return /** @type {"x"|"y"} */ (id[0]);
}

/**
 * From a number to a pixel along the axis.
 * @param {"x"|"y"} letter
 * @param {Pick<Axis, "_length" | "nticks">} axis
 * @param {[number, number]} range
 */
export function scale(letter, { _length }, [low, high]) {
  const slope = (letter === "x" ? _length : -_length) / (high - low);
  const zero = (letter === "x" ? 0 : _length) - low * slope;
  return (/** @type {number} */ value) => zero + slope * value;
}

/**
 * Pixels that each of these is wide at an axis' ticks.
 * @param {Axis} axis
 * @param {string[]} texts
 */
export function widths({ tickfont: { size, family } }, texts) {
  context.font = `${size}px ${family}`;
  return texts.map((text) => context.measureText(text).width);
}

export class QuickAxis {
  /** @param {HTMLElement} plot  @param {string} id  @param {Axis} axis */
  constructor(plot, id, axis) {
    this.id = id;
    const letter = (this.letter = letterOf(id));
    this.axis = axis;
    /** The range that is drawn. */
    this.range = String(axis.range);
    const all = (/** @type {string} */ query) => [...plot.querySelectorAll(query)];
    const ticks = `.${letter}axislayer-above > `;
    const grid = all(`.gridlayer .${id}grid`);
    const zero = all(`.zerolinelayer .${id}zl`);
    // The title beside the labels stands off from them; the one below them never moves.
    const title = letter === "y" ? plot.querySelector(`.g-${id}title`) : null;
    this.title = title?.textContent ? title : null;
    this.shift = this.title?.getAttribute("transform") ?? ""; // Plotly's own, where it stopped it
    this.parts = {
      marks: new Part(all(`${ticks}path.${id}tick`)),
      labels: new Part(all(`${ticks}g.${id}tick`)),
      grid: new Part(grid),
      zero: new Part(zero, grid[0]?.closest(".subplot")?.querySelector(".zerolinelayer"), zero[0] ?? this.#zeroLine(grid[0])),
    };
    const left = (/** @type {Element} */ node) => node.getBoundingClientRect().left - plot.getBoundingClientRect().left;
    /** Lines across several frames, where one is moved alone. */
    this.shared = grid.some((line) => line.parentElement !== grid[0].parentElement);
    /** Pixels from the chart's edge to the title, where Plotly stops it; without that, `room`. */
    this.left = this.title ? left(this.title) : 0;
    this.room = this.title ? this.#room(Math.min(...this.parts.labels.drawn.map(left))) : 0;
    this.wide = this.#widest(this.parts.labels.drawn.map((label) => label.textContent ?? ""));
  }

  /**
   * Whether there is one of everything to make others of, and the title where it is expected. A low
   * axis may have no line of the grid: it needs none as long as all its ticks are at its zero or ends.
   * @param {[number, number]} range
   */
  canShow(range) {
    const { marks, labels, grid, zero } = this.parts;
    const titled = !this.shared && Math.abs(Math.max(0, this.room) - this.left) < 0.5;
    if (!titled || !marks.model || !labels.model || !zero.model) return false;
    return Boolean(grid.model) || !this.#lines(ticks(this.letter, this.axis, range)).length;
  }

  /** Those of the ticks that have a line across the frame: along its edges runs the other axis' line. @param {Tick[]} found */
  #lines(found) {
    return found.filter(({ pixel, text }) => pixel > 1 && pixel < this.axis._length - 1 && text !== "0");
  }

  /** @param {[number, number]} range */
  show(range) {
    if (this.range === String(range)) return;
    this.range = String(range);
    const { letter, axis, parts } = this;
    const found = ticks(letter, axis, range);
    const place = scale(letter, axis, range);
    const zero = { pixel: place(0), text: "0" };
    const fromLine = letter === "x" ? zero.pixel : axis._length - zero.pixel;
    const hasZero = range[0] <= 0 && range[1] >= 0 && fromLine > 1;
    const put = (/** @type {Element} */ node, /** @type {Tick} */ { pixel }) => {
      const there = Math.round((axis._offset + pixel) * 100) / 100;
      node.setAttribute("transform", letter === "x" ? `translate(${there},0)` : `translate(0,${there})`);
    };
    parts.marks.show(found, put);
    parts.labels.show(found, (label, tick) => {
      const text = /** @type {Element} */ (label.firstElementChild);
      put(text, tick);
      text.textContent = tick.text;
    });
    parts.grid.show(this.#lines(found), put);
    parts.zero.show(hasZero ? [zero] : [], put);
    if (!this.title) return;
    const wider = this.#widest(found.map(({ text }) => text)) - this.wide;
    const by = Math.max(0, this.room - wider) - this.left;
    this.title.setAttribute("transform", `translate(${by.toFixed(2)},0)${this.shift}`);
  }

  putBack() {
    for (const part of Object.values(this.parts)) part.putBack();
    if (this.shift) this.title?.setAttribute("transform", this.shift);
    else this.title?.removeAttribute("transform");
  }

  /** @param {number} labels  where the first of them begins */
  #room(labels) {
    const { width = 0 } = this.title?.getBoundingClientRect() ?? {};
    return labels - (this.axis.title.standoff ?? 0) - width;
  }

  /** @param {string[]} texts */
  #widest(texts) {
    return Math.max(0, ...widths(this.axis, texts));
  }

  /** @param {Element | undefined} line  of the grid */
  #zeroLine(line) {
    const made = /** @type {?SVGElement} */ (line?.cloneNode() ?? null);
    made?.setAttribute("class", `${this.id}zl zl crisp`);
    if (made) made.style.stroke = this.axis.zerolinecolor;
    return made;
  }
}

/** Elements of one kind: those that Plotly drew, and those that stand for them. */
class Part {
  /** @param {Element[]} drawn  @param {?Element} layer  @param {?Element} model  to make others of */
  constructor(drawn, layer = drawn[0]?.parentElement ?? null, model = drawn[0] ?? null) {
    this.drawn = drawn;
    this.layer = layer;
    this.model = model;
    /** @type {Element[]} */
    this.made = [];
    this.out = false;
  }

  /** @param {Tick[]} ticks  @param {(node: Element, tick: Tick) => void} put */
  show(ticks, put) {
    if (!this.out) for (const node of this.drawn) node.remove();
    this.out = true;
    for (const node of this.made.splice(ticks.length)) node.remove();
    ticks.forEach((tick, index) => {
      let node = this.made[index];
      if (!node) {
        node = /** @type {Element} */ (this.model?.cloneNode(true));
        this.made.push(node);
        this.layer?.append(node);
      }
      put(node, tick);
    });
  }

  putBack() {
    for (const node of this.made) node.remove();
    if (this.out) this.layer?.append(...this.drawn);
    this.made = [];
    this.out = false;
  }
}

/**
 * Where Plotly puts ticks on a range, and what it writes there.
 * @param {"x"|"y"} letter
 * @param {Pick<Axis, "_length" | "nticks">} axis
 * @param {[number, number]} range
 * @returns {Tick[]}
 */
export function ticks(letter, axis, range) {
  const [low, high] = range;
  const place = scale(letter, axis, range);
  const count = axis.nticks || Math.min(Math.max(axis._length / TICKS[letter], 4), 9) + 1;
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log(rough) / Math.LN10);
  const step = power * (rough / power < 2 ? 2 : rough / power < 5 ? 5 : 10);
  const slack = (high - low) / 10_000;
  const first = Math.ceil((low - slack) / step);
  const last = Math.floor((high + slack) / step);
  const digits = Math.max(0, 2 - Math.floor(Math.log10(step) + 0.01));
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const value = (first + index) * step;
    const text = String(Number(value.toFixed(digits))).replace("-", MINUS);
    return { pixel: place(value), text: text === `${MINUS}0` ? "0" : text };
  });
}
