// Pointing at one thing lights what is the same elsewhere: a node or an edge of the graph, its stretch
// of the code, its rule beside the graph, its number in the table and in the text, its line in the
// charts and in their key. What is the same the server says, pages/labs/linked.py; what is pointed at,
// pointing.js.

import { codeRows, hearPointing, typedRows } from "./pointing.js";

/** @import { Chart } from "../charts/chart.js" */
/** @import { GraphSpec, Link, Stretch, TableSpec } from "../messages.d.ts" */
/** @import { Trace } from "../plotly.d.ts" */
/** @import { Source } from "./pointing.js" */

const LIT = "gl-lit";
const ROLE = /^role:(\w+)/;
// A fact that is of a role begins with its word: trick_loss.
const OF_ROLE = /^(trick|true|intended|source_only)_/;
/** @type {Record<string, string>} */
const ROLES = { trick: "trick_gradient", true: "true_gradient", intended: "intended_gradient", source_only: "true_gradient" };
/** @type {Pick<GraphSpec, "nodes" | "edges" | "stretches" | "links">} */
const NO_GRAPH = { nodes: [], edges: [], stretches: [], links: [] };

/**
 * @typedef {Object} Same
 * @property {string[]} ids   nodes and edges of the graph
 * @property {Stretch[]} stretches
 * @property {Link[]} links   numbers
 * @property {string[]} roles
 */

/**
 * All that is the same as what is pointed at.
 * @param {Pick<GraphSpec, "nodes" | "edges" | "stretches" | "links">} spec
 * @param {?TableSpec} table
 * @param {Source} source
 * @returns {Same}
 */
export function same({ nodes, edges, stretches, links }, table, source) {
  /** @type {string[]} */
  let ids = [];
  /** @type {Link[]} */
  let found = [];
  let ops = ids; // whose code it is
  if ("id" in source) {
    const edge = edges.find(({ id }) => id === source.id);
    ids = [source.id];
    ops = edge ? [edge.to] : ids;
    const only = edge && edges.filter(({ from }) => from === edge.from).length === 1;
    // What goes along the only edge of an input is the input's gradient.
    const isSame = (/** @type {Link} */ { node, of }) =>
      edge ? only && node === edge.from && of === "gradient" : node === source.id;
    found = links.filter(isSame);
  } else if ("line" in source || "typed" in source) {
    const there = stretches.filter(({ line, last, typed }) =>
      "line" in source ? line <= source.line && source.line <= last : typed === source.typed,
    );
    ops = ids = there.map(({ node }) => node);
    found = links.filter(({ node }) => ids.includes(node));
  } else {
    const name = "role" in source ? source.role : "fact" in source ? source.fact : table?.columns[source.cell[1]]?.role;
    const role = "fact" in source ? ROLES[OF_ROLE.exec(source.fact)?.[1] ?? ""] : name;
    if ("cell" in source) found = links.filter(({ cell }) => String(cell) === String(source.cell));
    else if ("fact" in source) found = links.filter(({ fact }) => fact === name);
    else found = links.filter(({ role }) => role === name);
    ops = ids = found.map(({ node }) => node).filter((id) => nodes.some((node) => node.id === id));
    if (!found.length && role) return { ids, stretches: [], links: [], roles: [role] };
  }
  const roles = found.flatMap(({ role }) => role ?? []);
  return { ids, stretches: stretches.filter(({ node }) => ops.includes(node)), links: found, roles };
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
    /** @type {?TableSpec} */
    this.table = null;
    /** @type {?Source} */
    this.source = null;
    /** @type {Set<Element>} */
    this.lit = new Set();
    this.listeners = new AbortController();
    hearPointing(root, (source) => (source || this.source) && this.light(source), this.listeners.signal);
  }

  /**
   * @param {?GraphSpec} spec
   * @param {?TableSpec} table
   * @param {boolean} own  whether it is the graph's: its cells are those of the links
   */
  show(spec, table, own) {
    this.spec = own || !spec ? spec : { ...spec, links: spec.links.map((link) => ({ ...link, cell: null })) };
    this.table = table;
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
    const found = source && same(this.spec ?? NO_GRAPH, this.table, source);
    const now = new Set(found ? this.#elements(found) : []);
    for (const one of this.lit) if (!now.has(one)) one.classList.remove(LIT);
    for (const one of now) one.classList.add(LIT);
    this.lit = now;
    this.#mark(found?.stretches ?? []);
  }

  /** @param {Same} found  @returns {Element[]} */
  #elements({ ids, stretches, links, roles }) {
    const { root } = this;
    const groups = [...root.querySelectorAll(".gl-svg [data-id], [data-about]")].filter((one) =>
      ids.includes(one.getAttribute("data-id") ?? one.getAttribute("data-about") ?? ""),
    );
    const table = root.querySelector("table");
    const cells = links.flatMap(({ cell }) => (cell && table?.tBodies[0]?.rows[cell[0]]?.cells[cell[1]]) || []);
    const facts = links.flatMap(({ fact }) => fact ?? []);
    const numbers = [...document.querySelectorAll("[data-number]")].filter((one) =>
      facts.includes(one.getAttribute("data-number")?.split(":")[0] ?? ""),
    );
    const code = stretches.length ? codeRows() : [];
    const lines = typedRows(root);
    const rows = stretches.flatMap(({ line, last, typed = -1 }) => [...code.slice(line, last + 1), ...lines.slice(typed, typed + 1)]);
    const named = [...root.querySelectorAll(".gl-entry, thead th")].filter((one) => roles.includes(one.getAttribute("data-role") ?? ""));
    return [...groups, ...cells, ...numbers, ...rows, ...named, ...this.#traces(roles)];
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
