// Brackets over the nodes that a trick covers, one for each of two variants. Dragging an end sets the
// control of the trick's place; for a keyboard, its buttons do the same.

import { setAll, svg } from "../dom.js";

/** @import { Laid } from "./graph_shapes.js" */
/** @typedef {NonNullable<Laid["brackets"]>[0]} Bracket */

const BRACKET_GAP = 20; // px from the nodes to the bracket
const TICK = 8; // px, the length of its ends

export class Brackets {
  /** @param {(control: string, value: string) => void} put */
  constructor(put) {
    this.put = put;
    this.root = svg("g", "gl-brackets", { "aria-hidden": "true" });
    /** @type {Map<string, SVGGElement>} */
    this.known = new Map();
    /** @type {?Laid} */
    this.spec = null;
    this.root.addEventListener("pointerdown", (event) => this.#hold(event));
  }

  /** @param {Laid} spec */
  show(spec) {
    this.spec = spec;
    for (const [place, bracket] of (spec.brackets ?? []).entries()) {
      const group = this.known.get(bracket.name) ?? this.#make(bracket.name);
      const ends = spec.right ? this.#ends(bracket.nodes) : null;
      setAll(group, { visibility: ends || !spec.right ? null : "hidden", "data-held": (ends && bracket.control) || null, "data-bare": ends ? null : "" });
      if (!spec.right) this.#head(group, spec.nodes, place ? 1 : -1);
      if (!ends) continue;
      const [left, right] = ends;
      const up = place === 0;
      const edge = up ? Math.min(...spec.nodes.map(({ y, height }) => y - height / 2)) - BRACKET_GAP : Math.max(...spec.nodes.map(({ y, height }) => y + height / 2)) + BRACKET_GAP + 6;
      const [line, first, last, badge, letter] = group.children;
      const tick = up ? TICK : -TICK;
      setAll(line, { d: `M${left} ${edge + tick}V${edge}H${right}V${edge + tick}` });
      setAll(first, { cx: left, cy: edge });
      setAll(last, { cx: right, cy: edge });
      setAll(badge, { cx: (left + right) / 2, cy: edge });
      setAll(letter, { x: (left + right) / 2, y: edge });
    }
  }

  /** Upright there is room for the letter alone, next to the first row: it says whose gradients are on this side. @param {SVGGElement} group  @param {Laid["nodes"]} nodes  @param {number} side */
  #head(group, nodes, side) {
    const [, , , badge, letter] = group.children;
    const y = Math.min(...nodes.map((one) => one.y));
    const ends = nodes.filter((one) => one.y === y).map(({ x, width }) => side * x + width / 2);
    const at = side * (Math.max(...ends) + 22);
    setAll(badge, { cx: at, cy: y });
    setAll(letter, { x: at, y });
  }

  /** @param {string} name */
  #make(name) {
    const letter = svg("text", "gl-letter");
    letter.textContent = name.toUpperCase();
    const end = (/** @type {string} */ which) => svg("circle", "gl-end", { r: 7, "data-end": which });
    const group = svg(
      "g", "gl-bracket", { "data-bracket": name },
      svg("path", "gl-span"), end("0"), end("1"), svg("circle", "gl-badge", { r: 13 }), letter,
    ); // prettier-ignore
    this.known.set(name, group);
    this.root.append(group);
    return group;
  }

  /** The left and the right end of these nodes. @param {string[]} ids @returns {?[number, number]} */
  #ends(ids) {
    const nodes = this.spec?.nodes.filter(({ id }) => ids.includes(id)) ?? [];
    if (!nodes.length) return null;
    return [Math.min(...nodes.map(({ x, width }) => x - width / 2)) - 4, Math.max(...nodes.map(({ x, width }) => x + width / 2)) + 4];
  }

  /** While a pointer drags an end, choose the option whose bracket is nearest. @param {PointerEvent} event */
  #hold(event) {
    const handle = /** @type {SVGElement} */ (event.target);
    const name = handle.closest("[data-held]")?.getAttribute("data-bracket");
    const which = handle.getAttribute("data-end");
    if (!name || which === null) return;
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    const moved = (/** @type {PointerEvent} */ { clientX, clientY }) => {
      const bracket = this.spec?.brackets?.find((one) => one.name === name);
      const ctm = this.root.getScreenCTM();
      if (!bracket || !ctm) return;
      const ends = this.#ends(bracket.nodes) ?? [0, 0];
      ends[Number(which)] = new DOMPoint(clientX, clientY).matrixTransform(ctm.inverse()).x;
      const far = (/** @type {string[]} */ nodes) => {
        const there = this.#ends(nodes);
        if (!there) return Math.max(0, ends[1] - ends[0]);
        return Math.abs(there[0] - ends[0]) + Math.abs(there[1] - ends[1]);
      };
      const [[value]] = [...bracket.options].sort(([, one], [, other]) => far(one) - far(other));
      this.put(bracket.control, value);
    };
    const done = new AbortController();
    handle.addEventListener("pointermove", moved, { signal: done.signal });
    for (const end of ["pointerup", "pointercancel"]) handle.addEventListener(end, () => done.abort(), { signal: done.signal });
  }
}
