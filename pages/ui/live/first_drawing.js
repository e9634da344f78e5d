// A chart of lines, bands and points as plain SVG: at the place, in the size and the colours that
// Plotly will draw it in. Of axes it knows even ticks on numbers; what it does not know it leaves out,
// since it is seen for a moment only. tests/browser/test_loading.py compares the two.

import { pixels, stretches } from "./quick.js";
import { scale, ticks } from "./quick_axis.js";

/** @import { Chart, Layout, Trace } from "./plotly.d.ts" */

const MARGIN = { l: 48, r: 16, t: 16, b: 40 }; // as in charts.js
const NS = "http://www.w3.org/2000/svg";
const DASHES = /** @type {Record<string, number[]>} */ ({ dot: [1, 1], dash: [3, 3], longdash: [5, 5], dashdot: [3, 1, 1, 1] });

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {...(Node|string)} children
 */
function svg(tag, attributes, ...children) {
  const node = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}

/**
 * @param {Chart} chart  its colours as such
 * @param {number} width
 * @param {number} height
 * @param {string} family  of the font
 */
export function draw({ data, layout }, width, height, family) {
  const margin = { ...MARGIN, .../** @type {typeof MARGIN} */ (layout.margin) };
  const [wide, high] = [width - margin.l - margin.r, height - margin.t - margin.b];
  const picture = svg("svg", { width, height, "font-family": family, class: "gl-first-drawing" });
  const x = layout.xaxis;
  /** @type {Record<string, Layout["yaxis"]>} */
  const upright = layout.yaxis2 ? { y: layout.yaxis, y2: layout.yaxis2 } : { y: layout.yaxis };
  const plain = (/** @type {Layout["xaxis"]} */ axis) => axis?.range && (axis.type ?? "linear") === "linear" && !axis.tickvals;
  if (layout.scene || !plain(x) || !x?.range || !Object.values(upright).every(plain)) return picture;
  const across = scale("x", { _length: wide }, x.range);
  for (const [id, y] of Object.entries(upright)) {
    const [low, upper] = y?.domain ?? [0, 1];
    const box = { left: margin.l, top: margin.t + high * (1 - upper), wide, high: high * (upper - low) };
    const range = /** @type {[number, number]} */ (y?.range);
    const down = scale("y", { _length: box.high }, range);
    const inside = svg("svg", { x: box.left, y: box.top, width: box.wide, height: box.high });
    const labelled = (x.anchor ?? "y") === id;
    picture.append(...axis("x", x, x.range, box, height, labelled), ...axis("y", y ?? {}, range, box, height), inside);
    for (const trace of data) {
      const there = trace.visible !== false && (trace.type ?? "scatter") === "scatter" && (trace.yaxis ?? "y") === id;
      if (!there) continue;
      const spots = pixels(trace, across, down);
      const mode = trace.mode ?? "lines";
      if (mode.includes("lines")) inside.append(...lines(trace, spots));
      if (mode.includes("markers")) inside.append(...marks(trace, spots));
    }
  }
  return picture;
}

/**
 * Grid, line, ticks with their numbers, and title.
 * @param {"x"|"y"} letter
 * @param {Record<string, any>} layout
 * @param {[number, number]} range
 * @param {{left: number, top: number, wide: number, high: number}} box
 * @param {number} height
 * @param {boolean} labelled  whether its line, numbers and title are here, or below another frame
 */
function axis(letter, layout, range, { left, top, wide, high }, height, labelled = true) {
  const flat = letter === "x";
  const bottom = top + high;
  const line = layout.linecolor ?? "currentColor";
  const ink = { fill: layout.tickfont?.color ?? line, "font-size": layout.tickfont?.size ?? 12, stroke: "none" };
  const found = labelled ? [svg("path", { d: flat ? `M${left},${bottom}h${wide}` : `M${left},${top}v${high}`, stroke: line })] : [];
  for (const { pixel, text } of ticks(letter, { _length: flat ? wide : high, nticks: layout.nticks }, range)) {
    const [x, y] = flat ? [left + pixel, bottom] : [left, top + pixel];
    const stroke = text === "0" ? layout.zerolinecolor : layout.gridcolor;
    const label = flat ? { x, y: y + 20, "text-anchor": "middle" } : { x: x - 9, y: y + 4, "text-anchor": "end" };
    found.unshift(svg("path", { d: flat ? `M${x},${top}v${high}` : `M${left},${y}h${wide}`, stroke: stroke ?? line }));
    if (labelled) found.push(svg("path", { d: flat ? `M${x},${y}v6` : `M${x},${y}h-6`, stroke: line }), svg("text", { ...label, ...ink, class: "gl-tick" }, text));
  }
  if (!labelled) return found;
  const { text = "", font = {} } = layout.title ?? {};
  const turned = `rotate(-90) translate(${-top - high / 2},13)`;
  const where = flat ? `translate(${left + wide / 2},${height - 5})` : turned;
  found.push(svg("text", { transform: where, "text-anchor": "middle", fill: font.color ?? ink.fill, "font-size": font.size ?? 13 }, text));
  return found;
}

/**
 * @param {Trace} trace
 * @param {(string|null)[]} spots
 */
function lines({ line = {}, fill, fillcolor }, spots) {
  const path = stretches(spots).map((part) => `M${part.join("L")}`).join("");
  const width = Number(line.width ?? 2);
  const dash = (DASHES[String(line.dash)] ?? []).map((times) => times * Math.max(width, 3)).join();
  const drawn = { d: path, fill: "none", stroke: String(line.color), "stroke-width": width, "stroke-dasharray": dash };
  const area = svg("path", { d: path, fill: String(fillcolor) });
  return [...(fill === "toself" ? [area] : []), ...(width && line.color ? [svg("path", { ...drawn, class: "gl-curve" })] : [])];
}

/**
 * @param {Trace} trace
 * @param {(string|null)[]} spots
 */
function marks({ marker = {} }, spots) {
  const { symbol = "circle", size = 6, color } = marker;
  const edge = /** @type {{color?: string, width?: number}} */ (marker.line ?? {});
  if (typeof color !== "string" || typeof size !== "number" || marker.angleref) return [];
  const half = size / 2;
  const open = symbol.endsWith("-open");
  const corner = symbol.startsWith("diamond") ? 1.3 * half : 0;
  const paint = open
    ? { fill: "none", stroke: color, "stroke-width": edge.width ?? 1 }
    : { fill: color, stroke: edge.color ?? color, "stroke-width": edge.width ?? 0 };
  return spots.filter((spot) => spot !== null).map((spot) => {
    const at = { ...paint, transform: `translate(${spot})` };
    if (corner) return svg("path", { ...at, d: `M${corner},0L0,${corner}L-${corner},0L0,-${corner}Z` });
    if (symbol.startsWith("square")) return svg("rect", { ...at, x: -half, y: -half, width: size, height: size });
    return svg("circle", { ...at, r: half });
  });
}
