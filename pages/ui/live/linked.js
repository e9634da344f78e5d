// Pointing at one thing lights what is the same elsewhere: a node or an edge of the graph, its stretch
// of the code, its rule beside the graph, its number in the table and in the text, its line in the
// charts. What is the same the server says, pages/labs/linked.py; with the keyboard one points by going
// through the graph.

/** @import { FigureSpec, GraphSpec, Link, Stretch, TableSpec } from "./messages.d.ts" */
/** @import { Plot, Trace } from "./plotly.d.ts" */

const LIT = "gl-lit";
const ROLE = /^role:(\w+)/;
const ROWS = '[data-pane="torch"] .gt-row'; // of the code that ran

/**
 * What is pointed at: one of these.
 * @typedef {{id: string} | {line: number} | {cell: [number, number]} | {fact: string} | {role: string}} Source
 *
 * @typedef {{plot: Plot, spec: FigureSpec}} Chart
 *
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
  } else if ("line" in source) {
    const there = stretches.filter(({ line, last }) => line <= source.line && source.line <= last);
    ops = ids = there.map(({ node }) => node);
    found = links.filter(({ node }) => ids.includes(node));
  } else {
    const name = "role" in source ? source.role : "fact" in source ? source.fact : table?.columns[source.cell[1]]?.role;
    if ("cell" in source) found = links.filter(({ cell }) => String(cell) === String(source.cell));
    else if ("fact" in source) found = links.filter(({ fact }) => fact === name);
    else found = links.filter(({ role }) => role === name);
    ops = ids = found.map(({ node }) => node).filter((id) => nodes.some((node) => node.id === id));
    if (!found.length && name) return { ids, stretches: [], links: [], roles: [name] };
  }
  const roles = found.flatMap(({ role }) => role ?? []);
  return { ids, stretches: stretches.filter(({ node }) => ops.includes(node)), links: found, roles };
}

/** The role of a chart's line, area or points. @param {Trace} trace */
export function roleOf({ line, marker, fillcolor }) {
  for (const colour of [line?.color, marker?.color, fillcolor]) {
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
    /** @type {WeakSet<Plot>} */
    this.heard = new WeakSet();
    this.listeners = new AbortController();
    const { signal } = this.listeners;
    document.addEventListener("pointerover", (event) => this.#over(event), { signal });
  }

  /**
   * @param {?GraphSpec} spec
   * @param {?TableSpec} table
   */
  show(spec, table) {
    this.spec = spec;
    this.table = table;
    if (this.source) this.light(this.source);
  }

  /** Charts have been drawn, new ones perhaps. */
  hear() {
    for (const slot of this.charts()) this.#hear(slot);
  }

  /** @param {Chart} slot  whose spec changes with every frame */
  #hear(slot) {
    if (!slot.plot.on || this.heard.has(slot.plot)) return;
    this.heard.add(slot.plot);
    slot.plot.on("plotly_hover", ({ points }) => {
      const trace = slot.spec.figure?.data[points[0]?.curveNumber ?? -1];
      const role = trace && roleOf(trace);
      if (role) this.light({ role });
    });
    slot.plot.on("plotly_unhover", () => this.light(null));
  }

  stop() {
    this.light(null);
    this.listeners.abort();
  }

  /** @param {PointerEvent} event */
  #over({ target, buttons }) {
    if (buttons || !(target instanceof Element)) return;
    // Within the graph and the charts they say themselves what is pointed at.
    const own = target.closest(".gl-drawing") ? "id" : target.closest(".gl-plot") ? "role" : "";
    if (this.source && own in this.source) return;
    const source = this.#sourceAt(target);
    if (source || this.source) this.light(source);
  }

  /** @param {Element} target  @returns {?Source} */
  #sourceAt(target) {
    const cell = target.closest("td, th");
    if (cell instanceof HTMLTableCellElement && this.root.contains(cell)) {
      const rows = [...(this.root.querySelector("tbody")?.children ?? [])];
      return { cell: [cell.parentElement ? rows.indexOf(cell.parentElement) : -1, cell.cellIndex] };
    }
    const number = target.closest("[data-number]")?.getAttribute("data-number");
    if (number) return { fact: number.split(":")[0] };
    const about = target.closest("[data-about]")?.getAttribute("data-about");
    if (about) return { id: about };
    const line = target.closest(ROWS);
    return line ? { line: [...(line.parentElement?.children ?? [])].indexOf(line) } : null;
  }

  /** @param {?Source} source */
  light(source) {
    this.source = source;
    const found = source && this.spec ? same(this.spec, this.table, source) : null;
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
    const rows = stretches.flatMap(({ line, last }) => this.#rows().slice(line, last + 1));
    return [...groups, ...cells, ...numbers, ...rows, ...this.#traces(roles)];
  }

  /** The lines of these roles; a chart that has one fades its others. @param {string[]} roles */
  #traces(roles) {
    const lit = [];
    for (const { plot, spec } of roles.length ? this.charts() : []) {
      const mine = (spec.figure?.data ?? []).flatMap((trace, index) => {
        const uid = roles.includes(roleOf(trace) ?? "") && plot._fullData?.[index]?.uid;
        return uid ? [...plot.querySelectorAll(`.trace${uid}`)] : [];
      });
      if (mine.length) lit.push(plot, ...mine);
    }
    return lit;
  }

  #rows() {
    return [...document.querySelectorAll(ROWS)];
  }

  /** The stretches themselves, within their rows. @param {Stretch[]} stretches */
  #mark(stretches) {
    if (!("highlights" in CSS)) return;
    const rows = stretches.length ? this.#rows() : [];
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
