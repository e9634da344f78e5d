// The lab's chart, with one handle for each x, moved up and down: press or drag anywhere in the chart,
// or reach a handle by Tab and use the arrow keys. Once graded, the same chart stands still, and the
// computed curve is drawn over the sketch. Text only ever goes in as text.

/** @import { Component } from "../component.d.ts" */

/**
 * What the page sends.
 * @typedef {Object} Sketch
 * @property {number[]} x        where the handles stand
 * @property {string[]} names    the same as text
 * @property {number} low        the least value that can be drawn
 * @property {number} high       the greatest
 * @property {number} levels     steps from the one to the other
 * @property {string} label
 * @property {{y: number, label: string}[]} ticks
 * @property {(Curve & {role: string, dash: string, label: string})[]} lines  the lab's, uncovered
 * @property {Graded | null} graded
 *
 * @typedef {Object} Graded
 * @property {number[]} sketch
 * @property {number[]} computed
 * @property {Curve} whole  the computed curve, between the handles too
 * @property {number} widest  the handle that is furthest from it
 * @property {string} gap  how far off that one is
 * @property {string} role
 * @property {string} label
 * @property {string} alt
 *
 * @typedef {{x: number[], y: number[]}} Curve
 * @typedef {{what: string, commit: (text: string) => void}} Box
 * @typedef {ReturnType<typeof places>} Places
 * @typedef {Record<string, string | number>} Attributes
 */

const WIDE = 460;
const HIGH = 284;
const EDGE = { left: 52, right: 14, top: 14, bottom: 50 };
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const CLOSE = 6; // a stroke this near to a handle's x moves it as well
/** @type {Record<string, number>} */
const KEYS = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 6, PageDown: -6 };
/** @type {WeakMap<Element, Box>} */
const boxes = new WeakMap();

/** @param {Component<Sketch>} component */
export default function (component) {
  const { parentElement, data, setTriggerValue } = component;
  const root = /** @type {Element} */ (parentElement.querySelector(".gt-sketch"));
  const what = JSON.stringify(data);
  let box = boxes.get(root);
  // A run of the page that changes nothing here must not take away what is half drawn.
  if (!box || box.what !== what) boxes.set(root, (box = build(root, data, what)));
  box.commit = (text) => setTriggerValue("commit", text);
}

/**
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} attributes
 * @param {...(Node|string)} children
 */
function svg(tag, attributes, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} attributes
 * @param {...(Node|string)} children
 */
function element(tag, attributes, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/**
 * @template {Element} Shape
 * @param {Shape} node
 * @param {Attributes} attributes
 * @param {(Node|string)[]} children
 */
function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}

/**
 * Where things stand in the drawing, in its own units.
 * @param {Sketch} data
 */
function places({ x, low, high }) {
  const least = Math.min(...x);
  const reach = Math.max(...x) - least || 1;
  const room = 0.06 * reach; // so that the outer handles stand clear of the frame
  const inner = { wide: WIDE - EDGE.left - EDGE.right, high: HIGH - EDGE.top - EDGE.bottom };
  return {
    across: (/** @type {number} */ value) => EDGE.left + ((value - least + room) / (reach + 2 * room)) * inner.wide,
    up: (/** @type {number} */ value) => EDGE.top + ((high - value) / (high - low)) * inner.high,
    value: (/** @type {number} */ pixel) => high - ((pixel - EDGE.top) / inner.high) * (high - low),
  };
}

/** @param {number[][]} points */
function path(points) {
  return points.map(([x, y], at) => `${at ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}

/**
 * @param {Element} root
 * @param {Sketch} data
 * @param {string} what
 * @returns {Box}
 */
function build(root, data, what) {
  const box = { what, commit: () => {} };
  const at = places(data);
  const drawing = svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "gt-sketch-chart" });
  drawing.append(...frame(data, at));
  if (data.graded) {
    root.replaceChildren(drawing, ...still(drawing, data, data.graded, at));
  } else {
    root.replaceChildren(drawing, ...moving(drawing, data, at, box));
  }
  return box;
}

/**
 * Grid, numbers and names of the axes: said to nobody, the handles say it all.
 * @param {Sketch} data
 * @param {Places} at
 */
function frame(data, at) {
  const right = WIDE - EDGE.right;
  const bottom = HIGH - EDGE.bottom;
  const group = svg("g", { "aria-hidden": "true" });
  for (const { y, label } of data.ticks) {
    const place = at.up(y);
    const line = { x1: EDGE.left, x2: right, y1: place, y2: place };
    group.append(
      svg("line", { ...line, class: y === 0 ? "gt-zero" : "gt-grid" }),
      svg("text", { x: EDGE.left - 8, y: place + 5, "text-anchor": "end" }, label),
    );
  }
  data.x.forEach((x, index) => {
    const place = at.across(x);
    group.append(
      svg("line", { x1: place, x2: place, y1: EDGE.top, y2: bottom, class: "gt-grid" }),
      svg("text", { x: place, y: bottom + 24, "text-anchor": "middle" }, data.names[index]),
    );
  });
  const middle = (EDGE.top + bottom) / 2;
  const turned = { transform: `rotate(-90 13 ${middle})`, "text-anchor": "middle" };
  group.append(
    svg("text", { x: 13, y: middle + 4, ...turned, class: "gt-name" }, data.label),
    svg("text", { x: (EDGE.left + right) / 2, y: HIGH - 6, "text-anchor": "middle", class: "gt-name" }, "x"),
  );
  for (const { x, y, role, dash } of data.lines) {
    const places = x.map((one, index) => [at.across(one), at.up(y[index])]);
    group.append(svg("path", { d: path(places), class: "gt-lab-line", "data-dash": dash, style: `color: var(--role-${role})` }));
  }
  return [group];
}

/**
 * Which line is which: a small drawing of each, and its name.
 * @param {[SVGElement[], string][]} entries
 */
function key(entries) {
  const spans = entries.map(([marks, label]) => {
    const small = svg("svg", { viewBox: "0 0 26 18", width: 26, height: 18, "aria-hidden": "true" });
    small.append(...marks);
    return element("span", {}, small, label);
  });
  return element("p", { class: "gt-sketch-key" }, ...spans);
}

/**
 * @param {Sketch} data
 * @returns {[SVGElement[], string][]}
 */
function ofTheLab({ lines }) {
  return lines.map(({ role, dash, label }) => [
    [svg("path", { d: "M0 9H26", class: "gt-lab-line", "data-dash": dash, style: `color: var(--role-${role})` })],
    label,
  ]);
}

/**
 * The handles, their line, and the button.
 * @param {SVGSVGElement} drawing
 * @param {Sketch} data
 * @param {Places} at
 * @param {Box} box
 */
function moving(drawing, data, at, box) {
  const step = (data.high - data.low) / data.levels;
  const zero = Math.round(-data.low / step);
  const levels = data.x.map(() => zero);
  const line = svg("path", { class: "gt-mine" });
  const about = { type: "button", class: "gt-commit", disabled: "", "aria-describedby": "gt-why" };
  const button = /** @type {HTMLButtonElement} */ (element("button", about, "Commit to this sketch"));
  const why = element("span", { id: "gt-why" }, "Draw first: move a handle.");
  const handles = data.x.map((x, index) =>
    svg(
      "g",
      {
        class: "gt-handle",
        role: "slider",
        tabindex: "0",
        "aria-label": `${data.label} at x = ${data.names[index]}`,
        "aria-orientation": "vertical",
        "aria-valuemin": data.low,
        "aria-valuemax": data.high,
      },
      svg("circle", { r: 9 }),
    ),
  );
  const value = (/** @type {number} */ level) => Number((data.low + level * step).toPrecision(10));
  const show = () => {
    handles.forEach((handle, index) => {
      const y = value(levels[index]);
      handle.setAttribute("transform", `translate(${at.across(data.x[index])} ${at.up(y)})`);
      handle.setAttribute("aria-valuenow", String(y));
      handle.setAttribute("aria-valuetext", String(Number(y.toPrecision(3))).replace("-", "−"));
    });
    line.setAttribute("d", path(levels.map((level, i) => [at.across(data.x[i]), at.up(value(level))])));
  };
  const put = (/** @type {number} */ index, /** @type {number} */ level) => {
    levels[index] = Math.min(Math.max(Math.round(level), 0), data.levels);
    button.disabled = false;
    why.hidden = true;
    show();
  };

  // What is pressed takes the nearest handle along. Once the pointer has crossed another it is a
  // stroke, and moves a handle where it crosses its x: one stroke across the chart draws them all.
  const across = data.x.map((x) => at.across(x));
  /** @type {{x: number, level: number, held: number | null} | null} */
  let last = null; // where the pointer was, and the handle it has hold of
  const where = (/** @type {PointerEvent} */ event) => {
    const box = drawing.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * WIDE;
    const y = ((event.clientY - box.top) / box.height) * HIGH;
    return { x, level: (at.value(y) - data.low) / step };
  };
  const nearest = (/** @type {number} */ x) => {
    const apart = across.map((place) => Math.abs(place - x));
    return apart.indexOf(Math.min(...apart));
  };
  drawing.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    drawing.setPointerCapture(event.pointerId);
    const now = where(event);
    const held = nearest(now.x);
    last = { ...now, held };
    put(held, now.level);
    handles[held].focus({ preventScroll: true, focusVisible: false });
  });
  drawing.addEventListener("pointermove", (event) => {
    const before = last;
    if (!before || !drawing.hasPointerCapture(event.pointerId)) return;
    const now = where(event);
    let { held } = before;
    across.forEach((x, index) => {
      const crossed = (before.x - x) * (now.x - x) < 0;
      if (index === held || (!crossed && Math.abs(now.x - x) > CLOSE)) return;
      const share = crossed ? (x - before.x) / (now.x - before.x) : 1;
      put(index, before.level + share * (now.level - before.level));
      held = null;
    });
    if (held !== null && nearest(now.x) === held) put(held, now.level);
    last = { ...now, held };
  });
  handles.forEach((handle, index) =>
    handle.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      /** @type {Record<string, number>} */
      const ends = { Home: 0, End: data.levels };
      if (event.key in ends) put(index, ends[event.key]);
      else if (event.key in KEYS) put(index, levels[index] + KEYS[event.key]);
      else return;
      event.preventDefault();
      event.stopPropagation();
    }),
  );
  drawing.setAttribute("role", "group");
  drawing.setAttribute("aria-label", `Sketch of ${data.label} over x: ${data.x.length} handles`);
  drawing.append(line, ...handles);
  show();
  button.addEventListener("click", () => box.commit(levels.map((level) => DIGITS[level]).join("")));
  const help = element(
    "p",
    { class: "gt-sketch-help" },
    "Draw across the chart, or drag one handle. By keyboard: Tab to a handle, then the arrow keys.",
  );
  const foot = element("p", { class: "gt-foot" }, button, why);
  return data.lines.length ? [foot, key(ofTheLab(data)), help] : [foot, help];
}

/**
 * The sketch and the computed curve, and which is which.
 * @param {SVGSVGElement} drawing
 * @param {Sketch} data
 * @param {Graded} graded
 * @param {Places} at
 */
function still(drawing, data, graded, at) {
  const { sketch, computed, whole, widest, gap, role, label, alt } = graded;
  const points = (/** @type {number[]} */ xs, /** @type {number[]} */ ys) =>
    xs.map((x, index) => [at.across(x), at.up(ys[index])]);
  const colour = `color: var(--role-${role})`;
  const [mine, theirs] = [points(data.x, sketch), points(whole.x, whole.y)];
  const x = at.across(data.x[widest]);
  const ends = { y1: at.up(sketch[widest]), y2: at.up(computed[widest]) };
  const spot = (/** @type {number[]} */ [left, top]) => ({ transform: `translate(${left} ${top})` });
  drawing.setAttribute("role", "img");
  drawing.setAttribute("aria-label", alt);
  drawing.classList.add("gt-still");
  drawing.append(
    svg("path", { d: `${path([...mine, ...[...theirs].reverse()])}Z`, class: "gt-gap", style: colour }),
    svg("path", { d: path(theirs), class: "gt-theirs gt-drawn", style: colour, pathLength: 1 }),
    ...points(data.x, computed).map((place) =>
      svg("path", { d: "M0 -8L8 0L0 8L-8 0Z", ...spot(place), class: "gt-diamond", style: colour }),
    ),
    svg("path", { d: path(mine), class: "gt-mine" }),
    ...mine.map((place) => svg("circle", { r: 5, ...spot(place), class: "gt-point" })),
    svg("line", { x1: x, x2: x, ...ends, class: "gt-widest" }),
  );
  /** @type {[SVGElement[], string][]} */
  const entries = [
    [[svg("path", { d: "M0 9H26", class: "gt-mine" }), svg("circle", { cx: 13, cy: 9, r: 5, class: "gt-point" })], "your sketch"],
    [
      [
        svg("path", { d: "M0 9H26", class: "gt-theirs", style: colour }),
        svg("path", { d: "M13 1L21 9L13 17L5 9Z", class: "gt-diamond", style: colour }),
      ],
      label,
    ],
  ];
  if (gap) entries.push([[svg("rect", { width: 26, height: 18, class: "gt-gap", style: colour })], gap]);
  return [key([...entries, ...ofTheLab(data)])];
}
