// The gradient on its way, as numbers: how far the backward pass is at a moment between two steps,
// how thick each gradient is, and how long a step lasts. Knows the picture's steps, no screen.

/** @import { EdgePlace, GraphEdge, GraphPart, GraphStep } from "../messages.d.ts" */
/** @import { Laid, Route } from "./graph_shapes.js" */
/** @typedef {GraphEdge & EdgePlace} Edge */

const OP_TIME = 1600; // ms for a step that sends something
const PAUSE_TIME = 800; // ms for a step that sends nothing: the start, a stop, a leaf that has its gradient
const DEPARTURE = 0.3; // share of a step: by then the learner has seen the factor
const ARRIVAL = 0.85; // share of a step
const THINNEST = 3; // px of a pulse, by the size of its gradient
const THICKEST = 10;

/**
 * One gradient along one edge.
 * @typedef {Object} Pulse
 * @property {Edge} edge
 * @property {Route} route   from the op back to what it reads; on a cut edge to the scissors
 * @property {number} share  of that way
 * @property {number} width  0 for none: an exact zero is not to be seen
 * @property {"positive" | "negative" | "nan" | "zero" | "none"} sign
 * @property {string} text   the factor, then what is sent
 */

/**
 * Also of what a cut holds back, which no edge's sign says.
 * @param {string} text
 * @returns {Pulse["sign"]}
 */
function signOf(text) {
  if (text === "NaN") return "nan";
  if (!/[\d∞]/.test(text)) return "none"; // there is no number
  return text === "0" ? "zero" : text.startsWith("−") ? "negative" : "positive";
}

/**
 * px: the root of its share of the largest, so that a hundredth is still a tenth. What is infinite is
 * as thick as can be.
 * @param {Pick<GraphEdge, "gradient" | "offered" | "state" | "weight">} edge
 */
export function thickness({ gradient, offered, state, weight }) {
  const text = (state === "cut" ? offered : gradient) ?? "";
  return text.endsWith("∞") ? THICKEST : THINNEST + (THICKEST - THINNEST) * weight;
}

/**
 * Advance the backward pass from one place towards another by `ms`; a whole number is the end
 * of a step.
 * @param {GraphStep[]} steps
 * @param {number} place
 * @param {number} ms
 * @param {number} until
 */
export function advanced(steps, place, ms, until) {
  let left = ms;
  let here = place;
  while (left > 0 && here < until) {
    const whole = Math.floor(here);
    const lasts = steps[whole].parts.length ? OP_TIME : PAUSE_TIME;
    const rest = (whole + 1 - here) * lasts;
    here = left < rest ? here + left / lasts : whole + 1;
    left -= rest;
  }
  return Math.min(here, until);
}

/** Whether what a step sends has arrived. @param {number} place */
export function hasLanded(place) {
  return place === Math.floor(place) || place - Math.floor(place) >= ARRIVAL;
}

/**
 * The pulses at a place of the backward pass.
 * @param {Laid} spec
 * @param {number} place
 * @returns {Pulse[]}
 */
export function pulsesAt(spec, place) {
  const taken = spec.steps[Math.ceil(place) - 1];
  const along = place - Math.floor(place);
  if (!taken || !along) return [];
  const share = Math.min(Math.max((along - DEPARTURE) / (ARRIVAL - DEPARTURE), 0), 1);
  const edges = new Map(spec.edges.map((edge) => [edge.id, edge]));
  return taken.parts.flatMap((part) => {
    const edge = edges.get(part.edge);
    return edge ? [pulse(edge, part, share, along < DEPARTURE, spec.right)] : [];
  });
}

/**
 * @param {Edge} edge
 * @param {GraphPart} part
 * @param {number} share
 * @param {boolean} multiplied  whether it is at its op still, where it is multiplied
 * @param {boolean} right
 * @returns {Pulse}
 */
function pulse(edge, part, share, multiplied, right) {
  const cut = edge.state === "cut";
  const text = (cut ? edge.offered : edge.gradient) ?? "";
  const sign = signOf(text);
  const factor = part.local === null || part.terms.length ? "" : `× ${bracketed(part.local)}`;
  const width = sign === "zero" || sign === "none" ? 0 : thickness(edge);
  const route = cut ? toScissors(edge, right) : [...edge.route].reverse();
  return { edge, route, share, width, sign, text: multiplied ? factor : text };
}

/** @param {Edge} edge  @param {boolean} right  @returns {Route} */
function toScissors({ route, x, y }, right) {
  return [...route.filter((point) => (right ? point[0] > x : point[1] > y)).reverse(), [x, y]];
}

/** A factor: a minus in front of it needs brackets. @param {string} text */
function bracketed(text) {
  return text.startsWith("−") ? `(${text})` : text;
}
