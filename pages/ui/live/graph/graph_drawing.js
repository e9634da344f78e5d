// The graph as SVG: nodes with forward values, edges with gradients. Every node and edge has one
// group for good, found by its id; an answer that only changes numbers writes attributes and text.

import { Brackets } from "./brackets.js";
import { fit, setAll, setChildren, setOrRemove, setText, svg } from "../dom.js";
import { showFlight } from "./graph_flight.js";
import { aside, curve, edgeGroup, MARKS, nodeGroup, otherGroup, NUMBER_WIDTH, write } from "./graph_shapes.js";
import { thickness } from "./graph_pulse.js";
import { phrase } from "../phrase.js";

/** @import { Reached } from "./graph_reached.js" */
/** @import { Laid } from "./graph_shapes.js" */

const LINE_HEIGHT = 19; // px from a node's line to the next, as lessons/gradient_tricks/recorder/picture/places.py counts them
const HEAD_LENGTH = 11; // px of an arrowhead, where its line ends
const [LANE, UPRIGHT_LANE] = [20, 38]; // px from the line forward to each variant's gradient
const SCROLL_MARGIN = 30; // px: scroll to a node that is closer to the border of the visible part
const MARGIN = 16; // room for focus rings and marks
const BRACKET = 44; // px for a bracket above the nodes, and for one below; upright for their letters at the sides
/** @type {Record<string, number | undefined>} */
const KEYS = { ArrowDown: 1, ArrowUp: -1 };

export class Drawing {
  /**
   * @param {HTMLElement} box
   * @param {Object} handlers
   * @param {(id: string | null) => void} handlers.look
   * @param {(id: string) => void} handlers.press
   * @param {(control: string, value: string) => void} handlers.put  a bracket was dragged
   */
  constructor(box, handlers) {
    this.box = box;
    this.handlers = handlers;
    /** @type {Laid | null} */
    this.spec = null;
    /** @type {Map<string | null, SVGGElement>} */
    this.known = new Map(); // groups by id
    /** @type {string[]} */
    this.order = []; // ids, the way the values go
    this.hits = svg("g", "gl-hits"); // below all that is seen, so that a line itself wins
    this.edges = svg("g", "");
    this.nodes = svg("g", "");
    this.flight = svg("g", "gl-flight", { "aria-hidden": "true" }); // the stepper says it in words
    this.brackets = new Brackets(handlers.put);
    this.root = svg("svg", "gl-svg", { role: "group" }, this.hits, this.edges, this.nodes, this.flight, this.brackets.root);
    box.append(this.root);
    /** @type {string | null} */
    this.stop = null; // the id that Tab comes to
    /** @type {string | null} */
    this.current = null; // the node that the step is at
    /** @type {string | null} */
    this.near = null; // the node or edge under the pointer
    this.root.addEventListener("keydown", (event) => this.#key(event));
    this.root.addEventListener("click", (event) => this.#press(idAt(event)));
    this.root.addEventListener("pointermove", (event) => this.#hover(idAt(event)));
    this.root.addEventListener("pointerleave", () => this.#hover(null));
    // On the box: an SVG element that listens for focus gets a tab stop of its own.
    box.addEventListener("focusin", (event) => {
      const id = idAt(event);
      if (id) this.#stopAt(id);
      this.handlers.look(id);
    });
    box.addEventListener("focusout", () => this.handlers.look(null));
    // A large drawing is shown first where the gradient ends up; in another size where it is now.
    this.sized = new ResizeObserver(() => {
      if (!this.root.clientWidth || !this.spec) return;
      this.#bring(this.spec.nodes.find(({ id }) => id === this.current) ?? this.spec.nodes[0]);
    });
    this.sized.observe(box);
  }

  /**
   * @param {Laid} spec
   * @param {Reached} reached
   * @param {Set<string>} cuts
   * @param {boolean} follows  whether a large drawing scrolls to the node that the step is at
   */
  show(spec, reached, cuts, follows) {
    this.spec = spec;
    const above = spec.brackets && spec.right ? BRACKET : MARGIN; // the same below
    const beside = spec.brackets && !spec.right ? BRACKET : MARGIN;
    const [width, height] = [spec.width + 2 * beside, spec.height + 2 * above];
    setOrRemove(this.root, "viewBox", `${-beside} ${-above} ${width} ${height}`);
    this.brackets.show(spec);
    this.root.style.setProperty("--gl-width", `${width}px`);
    this.root.style.setProperty("--gl-ratio", String(width / height));
    setOrRemove(this.root, "aria-label", phrase("graph_of", { nodes: spec.nodes.length, edges: spec.edges.length }));
    const before = this.known;
    this.known = new Map();
    const take = (/** @type {string} */ id, /** @type {typeof nodeGroup} */ build) => {
      const group = before.get(id) ?? build(id);
      this.known.set(id, group);
      return group;
    };
    fit(this.hits, spec.edges.length, () => svg("path", "")).forEach((hit, place) => {
      setAll(hit, { "data-hit": spec.edges[place].id, d: curve(spec.edges[place].route) });
    });
    setChildren(this.edges, spec.edges.map((edge) => this.#edge(take(edge.id, edgeGroup), edge, reached)));
    setChildren(this.nodes, spec.nodes.map((node) => this.#node(take(node.id, nodeGroup), node, reached)));
    this.markCuts(cuts);
    const sent = (/** @type {string} */ id) => spec.edges.filter(({ from }) => from === id);
    this.order = spec.nodes.flatMap(({ id }) => [id, ...sent(id).map((edge) => edge.id)]);
    this.#stopAt(this.stop !== null && this.known.has(this.stop) ? this.stop : this.order[0]);
    const now = spec.nodes.find(({ id }) => reached.nodes.get(id)?.state === "current");
    if (follows && now && now.id !== this.current) this.#bring(now);
    this.current = now?.id ?? null;
  }

  /** Scroll a large drawing within its box until a node is in sight. @param {Laid["nodes"][0]} node */
  #bring({ x, y }) {
    const { box, root } = this;
    const scale = root.clientWidth / root.viewBox.baseVal.width;
    const from = (/** @type {number} */ at, /** @type {number} */ now, /** @type {number} */ size) => {
      const far = (at + MARGIN) * scale;
      return far > now + SCROLL_MARGIN && far < now + size - SCROLL_MARGIN ? now : far - size / 2;
    };
    box.scrollTo(from(x, box.scrollLeft, box.clientWidth), from(y, box.scrollTop, box.clientHeight));
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
      setAll(group, {
        "data-cut": cut ? "true" : null,
        "data-cuttable": cuttable ? "true" : null,
        role: cuttable ? "button" : "img",
        "aria-pressed": cuttable ? String(cut) : null,
      });
    }
  }

  /**
   * @param {SVGGElement} group
   * @param {Laid["nodes"][0]} node
   * @param {Reached} reached
   */
  #node(group, node, { nodes }) {
    const { state, mark } = nodes.get(node.id) ?? { state: "", mark: "" };
    const [box, text, value, badge] = group.children;
    const { width, height } = node;
    const right = this.spec?.right;
    setAll(group, {
      transform: `translate(${node.x} ${node.y})`,
      "data-kind": node.kind,
      "data-stale": node.stale.length ? "true" : null,
      "data-step": state,
      "aria-label": [spoken(node, state, mark), ...node.stale].join(" "),
    });
    setAll(box, { x: -width / 2, y: -height / 2, width, height, rx: 10 });
    const words = node.lines.slice(0, -1);
    // The value lies on the lower border, or upright at the right of the words.
    const [x, y] = right ? [0, -5] : [-NUMBER_WIDTH / 2, 0];
    // A box with no room for all of its lines has the first two on one.
    const shared = Number(height < words.length * LINE_HEIGHT);
    fit(text, words.length, () => svg("tspan", "")).forEach((line, at) => {
      const row = Math.max(0, at - shared) - (words.length - shared - 1) / 2;
      const joins = at === 1 && shared;
      setAll(line, { x: joins ? null : x, y: joins ? null : y + row * LINE_HEIGHT, class: at ? "gl-does" : "" });
      setText(line, joins ? ` ${words[at]}` : words[at]);
    });
    write(value, node.lines[words.length], right ? 0 : (width - NUMBER_WIDTH) / 2 - 6, right ? height / 2 : 0);
    setAll(badge, { x: width / 2, y: -height / 2 });
    setText(badge, mark);
    return group;
  }

  /**
   * @param {SVGGElement} group
   * @param {Laid["edges"][0]} edge
   * @param {Reached} reached
   */
  #edge(group, edge, { shown }) {
    const [way, sent, head, back, label, mark, cut] = group.children;
    const right = Boolean(this.spec?.right);
    const known = shown.has(edge.id);
    const wide = thickness(edge);
    const { from, to } = edge;
    setAll(group, {
      "data-state": edge.state,
      "data-sign": edge.sign,
      "data-stale": edge.stale ? "true" : null,
      "data-shown": known ? "true" : null,
      // While the gradients are covered there is nothing to say of one.
      "aria-label": known ? edge.alternative || phrase("edge", { from, to }) : phrase("edge_waits", { from, to }),
    });
    const lane = right ? LANE : UPRIGHT_LANE;
    const [dx, dy] = edge.other ? aside(right, -lane) : aside(right);
    const [middleX, middleY] = edge.other ? [0, 0] : [-dx, -dy];
    const [toX, toY] = edge.route[edge.route.length - 1];
    const [headX, headY] = right ? [HEAD_LENGTH, 0] : [0, HEAD_LENGTH];
    setAll(way, { d: curve([...edge.route.slice(0, -1), [toX - headX, toY - headY]]), transform: `translate(${middleX} ${middleY})` });
    this.#back(sent, back, edge.route, dx, dy, wide);
    setOrRemove(head, "transform", `translate(${toX + middleX} ${toY + middleY}) rotate(${right ? 0 : 90})`);
    if (edge.other) this.#other(group, edge, edge.other, lane);
    const text = !known ? "" : edge.state === "cut" ? (edge.offered ?? "") : edge.gradient;
    const room = write(label, text, edge.x + dx, edge.y + dy);
    const visibility = MARKS[edge.state] && known ? null : "hidden";
    setAll(mark, { transform: `translate(${toX - headX + 2 * dx} ${toY - headY + 2 * dy})`, visibility });
    setText(mark.children[1], MARKS[edge.state] ?? "");
    setOrRemove(cut, "transform", `translate(${edge.x + dx - (room && room / 2 + 9)} ${edge.y + dy})`);
    return group;
  }

  /**
   * A line back along a route, moved aside, and its arrowhead.
   * @param {Element} sent
   * @param {Element} head
   * @param {Laid["edges"][0]["route"]} route
   * @param {number} dx
   * @param {number} dy
   * @param {number} wide
   */
  #back(sent, head, [[x, y], ...route], dx, dy, wide) {
    const right = Boolean(this.spec?.right);
    setAll(sent, { d: curve([right ? [x + HEAD_LENGTH, y] : [x, y + HEAD_LENGTH], ...route]), transform: `translate(${dx} ${dy})`, "stroke-width": wide });
    setOrRemove(head, "transform", `translate(${x + dx} ${y + dy}) rotate(${right ? 180 : 270}) scale(1.1 ${0.8 + wide / 8})`);
  }

  /**
   * The other variant's gradient, on the other side of the line forward.
   * @param {SVGGElement} group
   * @param {Laid["edges"][0]} edge
   * @param {NonNullable<Laid["edges"][0]["other"]>} other
   * @param {number} lane
   */
  #other(group, { route, x, y }, other, lane) {
    const [dx, dy] = aside(Boolean(this.spec?.right), lane);
    if (!group.querySelector(".gl-other")) group.append(otherGroup());
    const part = /** @type {SVGGElement} */ (group.querySelector(".gl-other"));
    const [sent, back, label] = part.children;
    const wide = thickness({ ...other, offered: null, state: "flowing" });
    setAll(part, { "data-sign": other.sign, "data-state": other.gradient ? "flowing" : "none", "data-shown": "true" });
    this.#back(sent, back, route, dx, dy, wide);
    write(label, other.gradient, x + dx, y + dy);
  }

  /**
   * The gradients that are on their way, over the drawing.
   * @param {import("./graph_pulse.js").Pulse[]} pulses
   */
  fly(pulses) {
    if (!this.spec) return;
    const flying = new Set(pulses.map(({ edge }) => edge.id));
    for (const { id } of this.spec.edges) {
      const group = this.known.get(id);
      if (group) setOrRemove(group, "data-flying", flying.has(id) ? "true" : null);
    }
    showFlight(this.flight, pulses, this.spec.right);
  }

  /** @param {string | null} id */
  #press(id) {
    if (id && this.known.get(id)?.dataset.cuttable) this.handlers.press(id);
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
    if (id === this.near) return;
    this.known.get(this.near)?.removeAttribute("data-near");
    this.known.get(id)?.setAttribute("data-near", "");
    this.near = id;
    this.handlers.look(id);
  }
}

/** @param {Laid["nodes"][0]} node  @param {string} state  @param {string} mark  how many gradients have come, if it waits */
function spoken({ label, type, value }, state, mark) {
  if (state === "passed") return phrase("node_passed", { label, type, value });
  if (state === "current") return phrase("node_current", { label, type, value });
  return state ? phrase("node_waits", { label, type, value, mark }) : phrase("node", { label, type, value });
}

/** @param {Event} event */
function idAt({ target }) {
  const part = /** @type {Element} */ (target).closest("[data-id], [data-hit]");
  return part?.getAttribute("data-id") ?? part?.getAttribute("data-hit") ?? null;
}
