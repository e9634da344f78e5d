// A chart of lines, bands, points and small maps as plain SVG: at the place, in the size and the
// colours that Plotly will draw it in. What it does not know it leaves out, since it is seen for a
// moment only. tests/browser/test_loading.py compares the two.

import { svg } from "./dom.js";
import { pixels, stretches } from "./quick.js";
import { MINUS, scale, ticks } from "./quick_axis.js";

/** @import { Chart, Layout, Trace } from "./plotly.d.ts" */

const MARGIN = { l: 48, r: 16, t: 16, b: 40 }; // as in chart_layout.js
/** By symbol; any other is drawn as a circle. @type {Record<string, (half: number) => string>} */
const OUTLINES = {
  diamond: (half) => `M${1.3 * half},0L0,${1.3 * half}L${-1.3 * half},0L0,${-1.3 * half}Z`,
  square: (half) => `M${half},${half}H${-half}V${-half}H${half}Z`,
  "cross-thin": (half) => `M0,${1.4 * half}V${-1.4 * half}M${1.4 * half},0H${-1.4 * half}`,
  "x-thin": (half) => `M${1.4 * half},${1.4 * half}L${-1.4 * half},${-1.4 * half}M${1.4 * half},${-1.4 * half}L${-1.4 * half},${1.4 * half}`,
  "line-ns": (half) => `M0,${1.4 * half}V${-1.4 * half}`,
};
const DASHES = /** @type {Record<string, number[]>} */ ({ dot: [1, 1], dash: [3, 3], longdash: [5, 5], dashdot: [3, 1, 1, 1] });

/**
 * @param {Chart} chart  its colours as such
 * @param {number} width
 * @param {number} height
 * @param {string} family  of the font
 */
export function draw({ data, layout }, width, height, family) {
  const margin = { ...MARGIN, .../** @type {typeof MARGIN} */ (layout.margin) };
  const [wide, high] = [width - margin.l - margin.r, height - margin.t - margin.b];
  const picture = svg("svg", "", { width, height, "font-family": family, class: "gl-first-drawing" });
  for (const trace of data) if (trace.type === "heatmap") picture.append(...cells(trace, layout, margin, wide, high));
  const x = alike(layout, "x", wide, high);
  /** @type {Record<string, Layout["yaxis"]>} */
  const upright = { y: alike(layout, "y", wide, high) };
  for (const name of ["yaxis2", "yaxis3"]) if (layout[name]) upright[name.replace("axis", "")] = /** @type {Layout["yaxis"]} */ (layout[name]);
  if (layout.scene || !x?.range || ![x, ...Object.values(upright)].every(isKnown)) return picture;
  const across = scale("x", { _length: wide }, x.range);
  for (const [id, y] of Object.entries(upright)) {
    const [low, upper] = y?.domain ?? [0, 1];
    const box = { left: margin.l, top: margin.t + high * (1 - upper), wide, high: high * (upper - low) };
    if (!y?.range) continue;
    const down = scale("y", { _length: box.high }, y.range);
    const inside = svg("svg", "", { x: box.left, y: box.top, width: box.wide, height: box.high });
    const labelled = (x.anchor ?? "y") === id;
    picture.append(...axis("x", x, box, height, labelled), ...axis("y", y, box, height), inside);
    for (const trace of data) {
      const there = trace.visible !== false && (trace.type ?? "scatter") === "scatter" && (trace.yaxis ?? "y") === id;
      if (!there) continue;
      const spots = pixels({ ...trace, x: along(trace.x, x), y: along(trace.y, y) }, across, down);
      const mode = trace.mode ?? "lines";
      if (mode.includes("lines")) inside.append(...lines(trace, spots));
      if (mode.includes("markers")) inside.append(...marks(trace, spots));
    }
  }
  return picture;
}

/** @param {Layout["xaxis"]} axis */
function isKnown(axis) {
  if (!axis?.range) return false;
  if (axis.tickvals) return !axis.type && !/** @type {string[]} */ (axis.ticktext ?? []).some((text) => text.includes("<"));
  return (axis.type ?? "linear") === "linear" || (axis.type === "log" && axis.tickformat === "~g");
}

/**
 * As an axis places them.
 * @param {import("./plotly.d.ts").Numbers | undefined} numbers
 * @param {Record<string, any>} axis
 */
function along(numbers, { type }) {
  return type === "log" ? Array.from(numbers ?? [], (one) => (one !== null && one > 0 ? Math.log10(one) : null)) : numbers;
}

/**
 * @param {"x"|"y"} letter
 * @param {Record<string, any>} axis
 * @param {number} length
 */
function ticksOf(letter, { type, tickvals, ticktext, dtick, nticks, range }, length) {
  if (!tickvals && !dtick) return ticks(letter, { _length: length, nticks }, range);
  const place = scale(letter, { _length: length }, range);
  const [first, last] = range.map((/** @type {number} */ end) => end / dtick);
  const even = Array.from({ length: Math.floor(last) - Math.ceil(first) + 1 }, (_, index) => (Math.ceil(first) + index) * dtick);
  /** @type {number[]} */
  const values = tickvals ?? even;
  return values.flatMap((value, index) => {
    const text = ticktext?.[index] ?? String(type === "log" ? Number((10 ** value).toPrecision(1)) : value);
    return value < range[0] || value > range[1] ? [] : { pixel: place(value), text: text.replace("-", MINUS) };
  });
}

/**
 * The axis; with a wider range where it is to have the scale of the other one, which is the coarser.
 * @param {Layout} layout
 * @param {"x"|"y"} letter
 * @param {number} wide
 * @param {number} high
 * @returns {Layout["yaxis"]}
 */
function alike({ xaxis, yaxis }, letter, wide, high) {
  const axis = letter === "x" ? xaxis : yaxis;
  if (yaxis?.scaleanchor !== "x" || !xaxis?.range || !yaxis.range || !axis?.range) return axis;
  const units = Math.max((xaxis.range[1] - xaxis.range[0]) / wide, (yaxis.range[1] - yaxis.range[0]) / high);
  const [middle, half] = [(axis.range[0] + axis.range[1]) / 2, (units * (letter === "x" ? wide : high)) / 2];
  return { ...axis, range: [middle - half, middle + half] };
}

/**
 * The squares of a small map, in the middle of its part of the chart.
 * @param {Trace} trace
 * @param {Layout} layout
 * @param {{l: number, t: number}} margin
 * @param {number} wide
 * @param {number} high
 */
function cells(trace, layout, { l, t }, wide, high) {
  const rows = /** @type {Float32Array[]} */ (trace.z);
  const [from, to] = [Number(trace.zmin), Number(trace.zmax)];
  const scale = /** @type {[number, string][]} */ (trace.colorscale);
  const axis = /** @type {Layout["yaxis"]} */ (layout[String(trace.xaxis ?? "x").replace("x", "xaxis")]);
  if (!axis?.domain || axis.range) return [];
  const { domain } = axis;
  const side = Math.min(((domain[1] - domain[0]) * wide) / rows[0].length, high / rows.length);
  const left = l + ((domain[0] + domain[1]) * wide - rows[0].length * side) / 2;
  const bottom = t + (high + rows.length * side) / 2;
  const colour = (/** @type {number} */ z) => {
    const share = Math.min(1, Math.max(0, (z - from) / (to - from)));
    const upper = Math.max(1, scale.findIndex(([place]) => place >= share));
    const [[low, first], [top, second]] = [scale[upper - 1], scale[upper]];
    return `color-mix(in srgb, ${second} ${(100 * (share - low)) / (top - low)}%, ${first})`;
  };
  const squares = rows.flatMap((row, up) =>
    Array.from(row, (z, along) => {
      const place = { x: left + along * side, y: bottom - (up + 1) * side, width: side, height: side };
      return svg("rect", "", { ...place, fill: colour(z) });
    }),
  );
  return [svg("g", "", { class: "gl-cells", "shape-rendering": "crispEdges" }, ...squares)];
}

/**
 * Grid, line, ticks with their numbers, and title.
 * @param {"x"|"y"} letter
 * @param {Record<string, any>} layout
 * @param {{left: number, top: number, wide: number, high: number}} box
 * @param {number} height
 * @param {boolean} labelled  whether its line, numbers and title are here, or below another frame
 */
function axis(letter, layout, { left, top, wide, high }, height, labelled = true) {
  if (layout.visible === false) return [];
  const flat = letter === "x";
  const bottom = top + high;
  const line = layout.linecolor ?? "currentColor";
  const ink = { fill: layout.tickfont?.color ?? line, "font-size": layout.tickfont?.size ?? 12, stroke: "none" };
  /** @type {SVGElement[]} */
  const found = labelled ? [svg("path", "", { d: flat ? `M${left},${bottom}h${wide}` : `M${left},${top}v${high}`, stroke: line })] : [];
  for (const { pixel, text } of ticksOf(letter, layout, flat ? wide : high)) {
    const [x, y] = flat ? [left + pixel, bottom] : [left, top + pixel];
    const stroke = text === "0" ? layout.zerolinecolor : layout.gridcolor;
    const label = flat ? { x, y: y + 20, "text-anchor": "middle" } : { x: x - 9, y: y + 4, "text-anchor": "end" };
    found.unshift(svg("path", "", { d: flat ? `M${x},${top}v${high}` : `M${left},${y}h${wide}`, stroke: stroke ?? line }));
    if (labelled) found.push(svg("path", "", { d: flat ? `M${x},${y}v6` : `M${x},${y}h-6`, stroke: line }), svg("text", "", { ...label, ...ink, class: "gl-tick" }, text));
  }
  if (!labelled) return found;
  const { text = "", font = {} } = layout.title ?? {};
  const turned = `rotate(-90) translate(${-top - high / 2},13)`;
  const where = flat ? `translate(${left + wide / 2},${height - 5})` : turned;
  found.push(svg("text", "", { transform: where, "text-anchor": "middle", fill: font.color ?? ink.fill, "font-size": font.size ?? 13 }, text));
  return found;
}

/**
 * @param {Trace} trace
 * @param {(string|null)[]} spots
 */
function lines({ line = {}, fill, fillcolor }, spots) {
  const seen = stretches(spots).filter((part) => new Set(part).size > 1);
  const path = seen.map((part) => `M${part.join("L")}`).join("");
  const width = Number(line.width ?? 2);
  const dash = (DASHES[String(line.dash)] ?? []).map((times) => times * Math.max(width, 3)).join();
  const drawn = { d: path, fill: "none", stroke: String(line.color), "stroke-width": width, "stroke-dasharray": dash };
  const area = svg("path", "", { d: path, fill: String(fillcolor) });
  return [...(fill === "toself" ? [area] : []), ...(width && line.color ? [svg("path", "", { ...drawn, class: "gl-curve" })] : [])];
}

/**
 * @param {Trace} trace
 * @param {(string|null)[]} spots
 */
function marks({ marker = {} }, spots) {
  const { symbol = "circle", size = 6, color } = marker;
  const edge = /** @type {{color?: string, width?: number}} */ (marker.line ?? {});
  if (typeof color !== "string" || typeof size !== "number" || marker.angleref) return [];
  const open = symbol.endsWith("-open");
  const paint = open
    ? { fill: "none", stroke: color, "stroke-width": edge.width ?? 1 }
    : { fill: color, stroke: edge.color ?? color, "stroke-width": edge.width ?? 0 };
  const opacity = Number(marker.opacity ?? 1);
  const outline = OUTLINES[symbol.replace("-open", "")]?.(size / 2);
  return spots.filter((spot) => spot !== null).map((spot) => {
    const at = { ...paint, opacity, transform: `translate(${spot})` };
    return outline ? svg("path", "", { ...at, d: outline }) : svg("circle", "", { ...at, r: size / 2 });
  });
}
