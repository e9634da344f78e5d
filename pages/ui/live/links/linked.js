// Pointing at one thing lights what is the same elsewhere: a node or an edge of the graph, its stretch
// of the code, its rule beside the graph; a line of the charts, its name in their key and its column of
// the table. An input whose gradient the charts show is lit with its line.
// pages/labs/linked.py decides which parts belong together; pointing.js, what is pointed at.

import { codeRows, hearPointing, typedRows } from "./pointing.js";

/** @import { Chart } from "../charts/chart.js" */
/** @import { GraphSpec, Stretch } from "../messages.d.ts" */
/** @import { Trace } from "../plotly.d.ts" */
/** @import { Source } from "./pointing.js" */

const LIT = "gl-lit";
const ROLE = /^role:(\w+)/;
const GRADIENT = "trick_gradient";
/** @type {Pick<GraphSpec, "edges" | "leaves" | "stretches">} */
const NO_GRAPH = { edges: [], leaves: [], stretches: [] };

/**
 * @typedef {Object} Same
 * @property {string[]} ids   nodes and edges of the graph
 * @property {Stretch[]} stretches
 * @property {string[]} roles
 */

/**
 * All that is the same as what is pointed at.
 * @param {Pick<GraphSpec, "edges" | "leaves" | "stretches">} spec
 * @param {Source} source
 * @returns {Same}
 */
export function same({ edges, leaves, stretches }, source) {
  if ("role" in source) return { ids: source.role === GRADIENT ? leaves : [], stretches: [], roles: [source.role] };
  if (!("id" in source)) {
    const there = stretches.filter(({ line, last, typed }) =>
      "line" in source ? line <= source.line && source.line <= last : typed === source.typed,
    );
    return { ids: there.map(({ node }) => node), stretches: there, roles: [] };
  }
  const { id } = source;
  const edge = edges.find((one) => one.id === id);
  const op = edge ? edge.to : id; // the op whose code to light
  // What goes along the only edge of an input is the input's gradient.
  const isAlone = edges.filter(({ from }) => from === edge?.from).length === 1;
  const leaf = edge ? isAlone && edge.from : id;
  const roles = leaves.some((one) => one === leaf) ? [GRADIENT] : [];
  return { ids: [id], stretches: stretches.filter(({ node }) => node === op), roles };
}

/** The role of a chart's line, area or points, or of a line's name. @param {Trace} trace */
function roleOf({ line, marker, fillcolor, textfont }) {
  for (const colour of [line?.color, marker?.color, fillcolor, textfont?.color]) {
    const role = typeof colour === "string" && ROLE.exec(colour)?.[1];
    if (role) return role;
  }
  return null;
}

export class Linked {
  /**
   * @param {HTMLElement} root
   * @param {() => Iterable<Chart>} charts
   */
  constructor(root, charts) {
    this.root = root;
    this.charts = charts;
    /** @type {?GraphSpec} */
    this.spec = null;
    /** @type {?Source} */
    this.source = null;
    /** @type {Set<Element>} */
    this.lit = new Set();
    this.listeners = new AbortController();
    hearPointing(root, (source) => (source || this.source) && this.light(source), this.listeners.signal);
  }

  /** @param {?GraphSpec} spec */
  show(spec) {
    this.spec = spec;
    if (this.source) this.light(this.source);
  }

  /** A chart's line is pointed at, or none. @param {?Trace} trace */
  hover(trace) {
    const role = trace && roleOf(trace);
    if (role || !trace) this.light(role ? { role } : null);
  }

  stop() {
    this.light(null);
    this.listeners.abort();
  }

  /** @param {?Source} source */
  light(source) {
    this.source = source;
    const found = source && same(this.spec ?? NO_GRAPH, source);
    const now = new Set(found ? this.#elements(found) : []);
    for (const one of this.lit) if (!now.has(one)) one.classList.remove(LIT);
    for (const one of now) one.classList.add(LIT);
    this.lit = now;
    this.#mark(found?.stretches ?? []);
  }

  /** @param {Same} found  @returns {Element[]} */
  #elements({ ids, stretches, roles }) {
    const { root } = this;
    const groups = [...root.querySelectorAll(".gl-svg [data-id], [data-about]")].filter((one) =>
      ids.includes(one.getAttribute("data-id") ?? one.getAttribute("data-about") ?? ""),
    );
    const code = stretches.length ? codeRows() : [];
    const lines = typedRows(root);
    const rows = stretches.flatMap(({ line, last, typed = -1 }) => [...code.slice(line, last + 1), ...lines.slice(typed, typed + 1)]);
    const named = [...root.querySelectorAll(".gl-entry, thead th")].filter((one) => roles.includes(one.getAttribute("data-role") ?? ""));
    return [...groups, ...rows, ...named, ...this.#traces(roles)];
  }

  /** The lines of these roles; a chart that has one fades its others. @param {string[]} roles */
  #traces(roles) {
    const lit = [];
    for (const { plot, spec } of roles.length ? this.charts() : []) {
      const mine = spec.figure.data.flatMap((trace, index) => {
        const uid = roles.includes(roleOf(trace) ?? "") && plot._fullData?.[index]?.uid;
        return uid ? [...plot.querySelectorAll(`.trace${uid}`)] : [];
      });
      if (mine.length) lit.push(plot, ...mine);
    }
    return lit;
  }

  /** The stretches themselves, within their rows. @param {Stretch[]} stretches */
  #mark(stretches) {
    if (!("highlights" in CSS)) return;
    const rows = stretches.length ? codeRows() : [];
    const ranges = stretches.flatMap(({ line, start, last, end }) => {
      const [from, to] = [textAt(rows[line], start), textAt(rows[last], end)];
      if (!from || !to) return [];
      const range = new Range();
      range.setStart(...from);
      range.setEnd(...to);
      return range;
    });
    if (ranges.length) CSS.highlights.set(LIT, new Highlight(...ranges));
    else CSS.highlights.delete(LIT);
  }
}

/**
 * The piece of a row's text that has this column, and the place within it.
 * @param {Element | undefined} row
 * @param {number} column
 * @returns {?[Node, number]}
 */
function textAt(row, column) {
  if (!row) return null;
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  let left = column;
  while (walker.nextNode()) {
    const { length } = walker.currentNode.textContent ?? "";
    if (left <= length) return [walker.currentNode, left];
    left -= length;
  }
  return null;
}
