// A chart in small: fewer words at its axes, the names of lines as far apart as its height asks for,
// and no mark cut in half where it stands on the frame.

import { axes } from "./chart_layout.js";

/** @import { FigureSpec } from "./messages.d.ts" */
/** @import { Layout, Trace } from "./plotly.d.ts" */

const HEIGHT = 140; // px; with what stands round it about a quarter of a phone
const MARGIN = { l: 48, r: 12, t: 8, b: 38 }; // px
const NAME = 13; // px from a line's name to the next
const PLOT = HEIGHT - 46; // px between the upper margin and the lower
const WIDTH = 310; // px of the narrowest, beside a graph
const TICK = 14; // px from a number at an upright axis to the next
const FEW = 5; // numbers: where so many have room, Plotly chooses well
const LETTER = 7; // px of one below its axis, with what parts two words

/**
 * The same traces, with the names at the ends of lines as far from each other as this height asks for.
 * @param {import("./plotly.d.ts").Chart} figure
 */
function apart({ data, layout: { xaxis, yaxis } }) {
  const [low, high] = yaxis?.range ?? [0, 1];
  const [bottom, top] = /** @type {[number, number]} */ (yaxis?.domain ?? [0, 1]);
  const step = (NAME / (PLOT * (top - bottom))) * (high - low);
  const log = yaxis?.type === "log"; // its range is one of exponents
  const height = (/** @type {Trace} */ { y }) => (log ? Math.log10(Number(y?.[0])) : Number(y?.[0]));
  const names = data
    .filter(({ mode, visible, x }) => mode === "text" && visible !== false && x?.length === 1 && x[0] === xaxis?.range?.[1])
    .sort((one, other) => height(one) - height(other));
  const places = names.map(height);
  for (let i = 1; i < places.length; i++) places[i] = Math.max(places[i], places[i - 1] + step);
  for (let i = places.length - 1, most = high - step / 2; i >= 0; i--, most -= step) {
    most = places[i] = Math.min(places[i], most);
  }
  const moved = new Map(names.map((trace, i) => [trace, { ...trace, y: [log ? 10 ** places[i] : places[i]] }]));
  return data.map((trace) => moved.get(trace) ?? trace);
}

/**
 * An axis with words at it, as many of them as have room: none runs into the next.
 * @template {{ticktext?: string[], tickvals?: (number | string)[], [name: string]: unknown} | undefined} T
 * @param {T} axis
 * @param {(words: string[]) => number} size  px of one along the axis
 * @param {number} room  px
 * @returns {T}
 */
function thinned(axis, size, room) {
  const { ticktext: words, tickvals: values } = axis ?? {};
  if (!words || !values) return axis;
  const every = Math.ceil((size(words) * words.length) / room);
  const kept = (/** @type {any} */ _, /** @type {number} */ place) => place % every === 0;
  return { ...axis, ticktext: words.filter(kept), tickvals: values.filter(kept) };
}

/** @param {string[]} words */
function longest(words) {
  return LETTER * Math.max(...words.map((word) => word.replace(/<[^>]*>/g, "").length));
}

/**
 * Without its title, which is too long, and with no more numbers than have room.
 * @param {Layout["yaxis"]} axis
 */
function upright(axis) {
  const [bottom, top] = axis?.domain ?? [0, 1];
  const most = Math.max(2, Math.floor((PLOT * (top - bottom)) / TICK));
  return { ...thinned(axis, () => TICK, PLOT * (top - bottom)), title: { text: "" }, ...(most < FEW && { nticks: most }) };
}

/** A mark on the frame is seen whole; a line ends there. @param {Trace} trace */
function whole(trace) {
  return trace.mode?.includes("markers") ? { ...trace, cliponaxis: false } : trace;
}

/**
 * As the large one, but for what has no room. Where both axes have one scale the lines are too short
 * for names beside them: their colours are named in the large chart.
 * @param {FigureSpec} spec
 * @param {string} id  of the small one
 * @returns {FigureSpec}
 */
export function small({ figure, ...spec }, id) {
  const { margin, xaxis, yaxis } = figure?.layout ?? {};
  const room = { ...MARGIN, .../** @type {Partial<typeof MARGIN>} */ (margin) };
  const uprights = axes(figure?.layout ?? {}).filter((name) => name.startsWith("y"));
  /** @type {Layout} */
  const layout = { ...figure?.layout, margin: room, xaxis: thinned(xaxis, longest, WIDTH - room.l - room.r) };
  for (const name of uprights) layout[name] = upright(/** @type {typeof yaxis} */ (layout[name]));
  const data = figure && (yaxis?.scaleanchor ? figure.data.filter(({ mode }) => mode !== "text") : apart(figure));
  const shown = data && { data: data.map(whole), layout };
  return { ...spec, figure: shown, id, caption: "", wide: true, height: HEIGHT };
}
