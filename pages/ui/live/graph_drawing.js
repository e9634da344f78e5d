// The graph as SVG: nodes with forward values, edges with gradients. Every node and edge has one
// group for good, found by its id; an answer that only changes numbers writes attributes and text.

import { setChildren, setOrRemove, setText, svg } from "./dom.js";
import { Flight } from "./graph_flight.js";
import { curve, edgeGroup, MARKS, nodeGroup, plate } from "./graph_shapes.js";
import { thickness } from "./graph_pulse.js";

/** @import { GraphEdge, GraphNode, GraphSpec } from "./messages.d.ts" */
/** @import { Reached } from "./graph_reached.js" */

const LINE = 16; // px between the lines of a node, as lessons/tracer/picture/graph_drawing.py counts them
const REACH = 14; // px around the middle of the scissors that are theirs
const LINGER = 400; // ms that scissors stay for a pointer that is on its way to them
const MARGIN = 14; // room for focus rings and marks
/** @type {Record<string, number | undefined>} */
const KEYS = { ArrowDown: 1, ArrowUp: -1 };

export class Drawing {
  /**
   * @param {HTMLElement} box
   * @param {{look: (id: string | null) => void, press: (id: string) => void}} handlers
   */
  constructor(box, handlers) {
    this.box = box;
    this.handlers = handlers;
    /** @type {GraphSpec | null} */
    this.spec = null;
    /** @type {Map<string | null, SVGGElement>} */
    this.known = new Map(); // groups by id
    /** @type {string[]} */
    this.order = []; // ids, from the top down
    this.edges = svg("g", "");
    this.nodes = svg("g", "");
    this.flight = new Flight();
    this.root = svg("svg", "gl-svg", { role: "group" }, this.edges, this.nodes, this.flight.layer);
    box.append(this.root);
    /** @type {Map<string | null, DOMPoint[]>} */
    this.sampled = new Map(); // points along paths, by their `d`
    /** @type {string | null} */
    this.stop = null; // the id that Tab comes to
    this.root.addEventListener("keydown", (event) => this.#key(event));
    /** @type {string | null} */
    this.current = null; // the node that the step is at
    /** @type {string | null} */
    this.near = null; // the node or edge under the pointer
    /** @type {string | null} */
    this.left = null; // the edge that was before it, while its scissors stay
    this.leaving = this.forgetting = 0;
    /** @type {Map<string, DOMPoint>} */
    this.scissors = new Map(); // where they are, by edge
    this.root.addEventListener("click", (event) => this.#press(this.#under(event)));
    this.root.addEventListener("pointermove", (event) => this.#hover(this.#under(event)));
    this.root.addEventListener("pointerleave", () => this.#hover(null));
    // On the box: an SVG element that listens for focus gets a tab stop of its own.
    box.addEventListener("focusin", (event) => {
      const id = idAt(event);
      if (id) this.#stopAt(id);
      this.handlers.look(id);
    });
    box.addEventListener("focusout", () => this.handlers.look(null));
  }

  /**
   * @param {GraphSpec} spec
   * @param {Reached} reached
   * @param {Set<string>} cuts
   */
  show(spec, reached, cuts) {
    this.spec = spec;
    const width = spec.width + 2 * MARGIN;
    setOrRemove(this.root, "viewBox", `${-MARGIN} ${-MARGIN} ${width} ${spec.height + 2 * MARGIN}`);
    this.root.style.setProperty("--gl-width", `${width}px`);
    setOrRemove(this.root, "aria-label", `${spec.title}: ${spec.nodes.length} nodes, ${spec.edges.length} edges. Up and down arrows go through them.`);
    const before = this.known;
    this.known = new Map();
    const take = (/** @type {string} */ id, /** @type {typeof nodeGroup} */ build) => {
      const group = before.get(id) ?? build(id);
      this.known.set(id, group);
      return group;
    };
    setChildren(this.edges, spec.edges.map((edge) => this.#edge(take(edge.id, edgeGroup), edge, reached)));
    setChildren(this.nodes, spec.nodes.map((node) => this.#node(take(node.id, nodeGroup), node, reached)));
    this.markCuts(cuts);
    if (this.sampled.size > 200) this.sampled.clear();
    this.order = [...spec.nodes, ...spec.edges].sort((a, b) => a.y - b.y || a.x - b.x).map(({ id }) => id);
    this.#stopAt(this.stop !== null && this.known.has(this.stop) ? this.stop : this.order[0]);
    const now = spec.nodes.find(({ id }) => reached.nodes.get(id)?.state === "current");
    if (now && now.id !== this.current) this.#bring((now.x + MARGIN) / width);
    this.current = now?.id ?? null;
  }

  /** A wide drawing scrolls in its box: to where the step is. @param {number} share  of its width */
  #bring(share) {
    const { box } = this;
    const at = share * this.root.clientWidth;
    const isSeen = at > box.scrollLeft && at < box.scrollLeft + box.clientWidth;
    if (!isSeen) box.scrollLeft = at - box.clientWidth / 2;
  }

  /**
   * Scissors on the edges that are cut, before their new numbers are known.
   * @param {Set<string>} cuts
   */
  markCuts(cuts) {
    if (!this.spec) return;
    for (const edge of this.spec.edges) {
      const group = this.known.get(edge.id);
      if (!group) continue;
      const cuttable = edge.cuttable && Boolean(this.spec.scissors);
      const cut = cuts.has(edge.id) || edge.state === "cut";
      setOrRemove(group, "data-cut", cut ? "true" : null);
      setOrRemove(group, "data-cuttable", cuttable ? "true" : null);
      setOrRemove(group, "role", cuttable ? "button" : "img");
      setOrRemove(group, "aria-pressed", cuttable ? String(cut) : null);
    }
  }

  /**
   * @param {SVGGElement} group
   * @param {GraphNode} node
   * @param {Reached} reached
   */
  #node(group, node, { nodes }) {
    const { state, mark } = nodes.get(node.id) ?? { state: "", mark: "" };
    const [box, text, badge] = group.children;
    setOrRemove(group, "transform", `translate(${node.x} ${node.y})`);
    setOrRemove(group, "data-kind", node.kind);
    setOrRemove(group, "data-stale", node.stale.length ? "true" : null);
    setOrRemove(group, "data-step", state);
    const spoken = { "": "", passed: ", passed", current: ", the step is here", waiting: `, waiting ${mark}` }[state];
    setOrRemove(group, "aria-label", `${node.label}: ${node.type}, value ${node.value}${spoken}${node.stale.map((said) => `. ${said}`).join("")}`);
    const { width, height } = node;
    const round = node.kind === "input" ? height / 2 : 5;
    const place = { x: -width / 2, y: -height / 2, width, height, rx: Math.min(round, 16) };
    for (const [name, value] of Object.entries(place)) setOrRemove(box, name, value);
    const first = ((1 - node.lines.length) * LINE) / 2;
    const lines = node.lines.map((_, place) => text.children[place] ?? svg("tspan", "", { x: 0 }));
    setChildren(text, lines);
    lines.forEach((line, place) => {
      setOrRemove(line, "y", first + place * LINE);
      setOrRemove(line, "class", place === lines.length - 1 ? "gl-value" : place ? "gl-does" : "");
      setText(line, node.lines[place]);
    });
    setOrRemove(badge, "x", width / 2 + 4);
    setOrRemove(badge, "y", -height / 2 + 2);
    setText(badge, mark);
    return group;
  }

  /**
   * @param {SVGGElement} group
   * @param {GraphEdge} edge
   * @param {Reached} reached
   */
  #edge(group, edge, { shown }) {
    const [hit, way, sent, head, back, paper, label, mark, cut] = group.children;
    const known = shown.has(edge.id);
    const path = curve(edge.route);
    for (const line of [hit, way, sent]) setOrRemove(line, "d", path);
    setOrRemove(group, "data-state", edge.state);
    setOrRemove(group, "data-sign", edge.sign);
    setOrRemove(group, "data-stale", edge.stale ? "true" : null);
    setOrRemove(group, "data-shown", known ? "true" : null);
    const between = `Edge from ${edge.from} to ${edge.to}`;
    // While the gradients are covered there is nothing to say of one.
    setOrRemove(group, "aria-label", known ? edge.alternative || `${between}.` : `${between}: no gradient yet.`);
    setOrRemove(sent, "stroke-width", thickness(edge));
    const text = !known ? "" : edge.state === "cut" ? (edge.offered ?? "") : edge.gradient;
    setText(label, text);
    setOrRemove(label, "x", edge.x);
    setOrRemove(label, "y", edge.y);
    const place = plate(text, edge.x, edge.y);
    for (const [name, value] of Object.entries(place)) setOrRemove(paper, name, value);
    const [[startX, startY], [x, y]] = [edge.route[0], edge.route[edge.route.length - 1]];
    setOrRemove(head, "transform", `translate(${x} ${y})`);
    setOrRemove(back, "transform", `translate(${startX} ${startY}) rotate(180)`);
    setOrRemove(mark, "transform", `translate(${x + 12} ${y - 8})`);
    setText(mark.children[1], MARKS[edge.state] ?? "");
    setOrRemove(mark, "visibility", MARKS[edge.state] && known ? null : "hidden");
    const beside = new DOMPoint(edge.x - (text ? place.width / 2 + 10 : 0), edge.y);
    setOrRemove(cut, "transform", `translate(${beside.x} ${beside.y}) scale(0.85)`);
    this.scissors.set(edge.id, beside);
    return group;
  }

  /**
   * The gradients that are on their way, over the drawing.
   * @param {import("./graph_pulse.js").Moment} moment
   */
  fly(moment) {
    if (!this.spec) return;
    const flying = new Set(moment.pulses.map(({ edge }) => edge.id));
    for (const { id } of this.spec.edges) {
      const group = this.known.get(id);
      if (group) setOrRemove(group, "data-flying", flying.has(id) ? "true" : null);
    }
    this.flight.show(moment, this.spec.nodes);
  }

  /** @param {string | null} id */
  #press(id) {
    if (id && this.#isCuttable(id)) this.handlers.press(id);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const id = idAt(event);
    if (["Enter", " ", "Delete"].includes(event.key)) {
      event.preventDefault();
      this.#press(id);
    }
    const by = KEYS[event.key];
    if (!by) return;
    event.preventDefault();
    const to = this.order[(id === null ? -1 : this.order.indexOf(id)) + by];
    if (to) this.#stopAt(to)?.focus();
  }

  /** @param {string} id */
  #stopAt(id) {
    if (this.stop !== id) this.known.get(this.stop)?.setAttribute("tabindex", "-1");
    this.stop = id;
    const group = this.known.get(id);
    group?.setAttribute("tabindex", "0");
    return group;
  }

  /** @param {string | null} id */
  #hover(id) {
    if (id === null && this.#isCuttable(this.near)) {
      this.leaving ||= setTimeout(() => this.#comeTo(null), LINGER);
      return;
    }
    clearTimeout(this.leaving);
    this.leaving = 0;
    if (id !== this.near) this.#comeTo(id);
  }

  /** @param {string | null} id */
  #comeTo(id) {
    this.leaving = 0;
    const before = this.near;
    this.known.get(before)?.removeAttribute("data-near");
    this.known.get(id)?.setAttribute("data-near", "");
    this.near = id;
    this.#forget();
    if (id !== null && this.#isCuttable(before)) {
      this.left = before;
      this.known.get(before)?.setAttribute("data-left", "");
      this.forgetting = setTimeout(() => this.#forget(), LINGER);
    }
    this.handlers.look(id);
  }

  #forget() {
    clearTimeout(this.forgetting);
    this.known.get(this.left)?.removeAttribute("data-left");
    this.left = null;
  }

  /** @param {string | null} id */
  #isCuttable(id) {
    return Boolean(this.known.get(id)?.dataset.cuttable);
  }

  /**
   * What the pointer means: scissors that are in sight, else where edges lie close together the
   * nearest of them.
   * @param {MouseEvent} event
   */
  #under(event) {
    const id = idAt(event);
    const way = this.root.getScreenCTM()?.inverse();
    if (!way) return id;
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(way);
    for (const seen of [this.near, this.left]) {
      const there = seen !== null && this.#isCuttable(seen) && this.scissors.get(seen);
      if (there && distance(point, [there]) <= REACH) return seen;
    }
    if (!this.spec?.edges.some((edge) => edge.id === id)) return id;
    const far = this.spec.edges.map(({ id }) => ({ id, away: distance(point, this.#points(id)) }));
    return far.sort((a, b) => a.away - b.away)[0].id;
  }

  /**
   * Points along an edge's path, kept as long as it stays as it is.
   * @param {string} id
   */
  #points(id) {
    const path = /** @type {SVGPathElement} */ (this.known.get(id)?.querySelector(".gl-hit"));
    const d = path.getAttribute("d");
    let points = this.sampled.get(d);
    if (!points) {
      const length = path.getTotalLength();
      const count = Math.ceil(length / 4);
      points = Array.from({ length: count + 1 }, (_, i) => path.getPointAtLength((i * length) / count));
      this.sampled.set(d, points);
    }
    return points;
  }
}

/** @param {Event} event */
function idAt({ target }) {
  return /** @type {Element} */ (target).closest("[data-id]")?.getAttribute("data-id") ?? null;
}

/**
 * @param {DOMPoint} from
 * @param {DOMPoint[]} points
 */
function distance({ x, y }, points) {
  return Math.min(...points.map((point) => Math.hypot(point.x - x, point.y - y)));
}
