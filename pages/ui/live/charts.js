// The charts: one Plotly node a figure, made once and from then on only changed, so that zoom is
// kept and no frame is ever empty. A figure whose digest did not change is not touched.

import { element, setChildren, setText } from "./dom.js";
import { draggable } from "./drag.js";
import { Ghost } from "./ghost.js";
import { handBack, quickDraw } from "./quick.js";
import { keepSurfaces } from "./quick_space.js";
import { Zoom } from "./zoom.js";

const CONFIG = {
  displayModeBar: false,
  showTips: false,
  doubleClick: false,
  showAxisDragHandles: false, // a drag moves what is under it; a chart is zoomed by its button
  scrollZoom: false, // the wheel scrolls the page, over charts in space as well
  // The screen's own: Plotly's is 2 everywhere, four times the points, each to be shaded where there
  // is no graphics card.
  plotGlPixelRatio: devicePixelRatio,
};

const TITLE = 24; // pixels above a chart that is taken away as a picture

/** @import { FigureSpec, Frame } from "./messages.d.ts" */
/** @import { Controls } from "./controls.js" */
/** @import { Layout, Plot, Plotly, Point } from "./plotly.d.ts" */

/**
 * One chart's place on the page.
 * @typedef {Object} Slot
 * @property {HTMLElement} root
 * @property {HTMLElement} title
 * @property {Plot} plot       the node that Plotly draws into
 * @property {HTMLElement} caption
 * @property {FigureSpec} spec
 * @property {FigureSpec} given  the same with axes of its own, while a hand holds them
 * @property {?Layout} held    axes that stand still, while something in the chart is dragged
 * @property {Zoom} zoom
 * @property {?string} digest  of what is drawn
 * @property {?string} style   the same, without where things lie
 * @property {?number} width
 * @property {?string} alt
 * @property {boolean} inSight
 * @property {boolean} quick   drawn without Plotly, which still holds older numbers
 * @property {boolean} listening  Plotly has drawn here before
 * @property {Ghost} ghost
 */

export class Charts {
  /**
   * @param {HTMLElement} box
   * @param {import("./palette.js").Palette} palette
   * @param {?Controls} controls  that a click or a drag in a chart sets
   */
  constructor(box, palette, controls) {
    this.box = box;
    this.palette = palette;
    this.controls = controls;
    /** @type {Map<string, Slot>} */
    this.slots = new Map(); // by figure id
    /** @type {Map<string, FigureSpec>} */
    this.specs = new Map(); // the newest of each, whole
    this.framed = false;
    this.family = "";
    /** @type {?boolean} */
    this.rests = null;
    /** @type {?number} */
    this.step = null; // of the lesson, that these belong to
    this.change = ""; // what was set when they were asked for, as text
    /** @type {?Plotly} */
    this.Plotly = null;
    this.resized = new ResizeObserver((entries) => this.#resize(entries));
    this.sighted = new IntersectionObserver((entries) => this.#sight(entries), {
      rootMargin: "200px", // drawn a little before it scrolls into view
    });
    // A finger on a chart scrolls the page.
    this.turning = matchMedia("(pointer: coarse)").matches ? false : "turntable";
  }

  /**
   * What a lab's next frame need not bring again.
   * @param {?Frame} frame  the last one
   * @returns {Record<string, string>} digests by name
   */
  digests(frame) {
    if (!frame) return {};
    const had = frame.figures.map(({ id, digest }) => [id, digest ?? ""]);
    if (frame.graph) had.push(["graph", frame.graph.digest ?? ""]);
    if (frame.code) had.push(["code", frame.code.digest]);
    return Object.fromEntries(had);
  }

  /**
   * The same charts, those that came without their numbers as they came last.
   * @param {FigureSpec[]} specs
   */
  kept(specs) {
    return specs.map((spec) => {
      const whole = spec.figure ? spec : { ...spec, figure: this.specs.get(spec.id)?.figure };
      this.specs.set(spec.id, whole);
      return whole;
    });
  }

  /** Frames, titles, captions: everything but the drawing, which needs Plotly's script.
   * @param {FigureSpec[]} specs
   */
  frame(specs) {
    this.framed = true;
    const before = this.slots;
    this.slots = new Map();
    for (const spec of specs) {
      const slot = before.get(spec.id) ?? this.#makeSlot(spec);
      before.delete(spec.id);
      this.slots.set(spec.id, slot);
      slot.root.classList.toggle("gl-wide", spec.wide);
      slot.given = spec;
      slot.spec = held(slot);
      setText(slot.title, spec.title);
      setText(slot.caption, spec.caption);
      const height = `${spec.height}px`;
      if (slot.plot.style.height !== height) slot.plot.style.height = height;
      if (slot.alt !== spec.alt) slot.plot.setAttribute("aria-label", (slot.alt = spec.alt));
    }
    for (const slot of before.values()) this.#drop(slot);
    setChildren(this.box, [...this.slots.values()].map((slot) => slot.root));
  }

  /**
   * Draw what changed and is in sight.
   * @param {Plotly} Plotly
   * @param {boolean} recoloured  everything counts as changed
   * @param {?boolean} rests  whether the hand lies still; null while something trains
   * @returns {boolean} whether something is left for `drawRest`
   */
  draw(Plotly, recoloured, rests) {
    this.Plotly = Plotly;
    this.rests = rests;
    this.box.classList.toggle("gl-eases", rests === true); // a hand that drags is followed at once
    const slots = [...this.slots.values()];
    if (recoloured) {
      this.family = getComputedStyle(this.box).fontFamily;
      for (const slot of slots) slot.digest = slot.style = null;
    }
    // Widths first, all of them: reading one after drawing another would lay the page out again.
    for (const slot of slots) slot.width ??= slot.plot.clientWidth;
    const near = slots.filter((slot) => isStale(slot) && slot.inSight);
    for (const slot of near) {
      // A chart in space takes long: once there is one, it comes after the others.
      if (slot.listening && isInSpace(slot) && !recoloured) continue;
      if (!this.#drawQuickly(slot)) this.#drawOne(slot);
    }
    if (rests) this.rest();
    return slots.some((slot) => isStale(slot) || slot.quick);
  }

  /** The hand came to rest, perhaps on what is drawn already. */
  rest() {
    if (this.rests === null) return;
    this.rests = true;
    this.box.classList.add("gl-eases");
    for (const slot of this.slots.values()) if (!isStale(slot) && slot.digest !== null) this.#ghost(slot);
  }

  /** Draw what has no shape yet, while pictures of a training leave no quiet moment. */
  drawUnseen() {
    for (const slot of this.slots.values()) if (slot.digest === null) this.#drawOne(slot);
  }

  /** Draw what is out of sight, and hand Plotly what was drawn without it: when there is time. */
  drawRest() {
    for (const slot of this.slots.values()) if (isStale(slot) || slot.quick) this.#drawOne(slot);
  }

  /** @param {Slot} slot */
  #drawQuickly(slot) {
    const { figure, digest } = slot.spec;
    if (!figure || !slot.listening || slot.style !== look(slot)) return false;
    if (!quickDraw(slot.plot, figure)) return false;
    slot.digest = digest ?? "";
    slot.quick = true;
    this.#ghost(slot);
    return true;
  }

  /** Draw the charts in space that are in sight. @returns {boolean} whether there were any */
  drawSpace() {
    const left = [...this.slots.values()].filter((slot) => isInSpace(slot) && isStale(slot) && slot.inSight);
    for (const slot of left) this.#drawOne(slot);
    return left.length > 0;
  }

  /** A chart with its title, as the address of an SVG. @param {string} id */
  async picture(id) {
    const slot = this.slots.get(id);
    if (!this.Plotly || !slot?.spec.figure || !slot.width) throw new Error(`No chart ${id} is drawn.`);
    const { figure, title, height } = slot.spec;
    const layout = this.#layout(figure.layout, slot);
    const margin = { ...layout.margin, t: (layout.margin?.t ?? 0) + TITLE };
    const heading = { text: title, x: 0.01, xanchor: "left", font: { size: 14 } };
    const whole = { ...layout, ...this.palette.paint({ paper_bgcolor: "ink:paper" }), margin, title: heading };
    const size = { width: slot.width, height: height + TITLE };
    return this.Plotly.toImage({ data: this.palette.paint(figure.data), layout: { ...whole, ...size } }, { format: "svg", ...size });
  }

  areAllShown() {
    return ![...this.slots.values()].some(isStale);
  }

  /** Look after nothing any more; what is on the page stays. */
  detach() {
    this.resized.disconnect();
    this.sighted.disconnect();
  }

  stop() {
    this.detach();
    for (const slot of this.slots.values()) this.#drop(slot);
    this.slots.clear();
  }

  /** @param {Slot} slot */
  #drawOne(slot) {
    if (!this.Plotly || !slot.width || !slot.spec.figure) return; // hidden for now; drawn when it gets a width
    const { data, layout } = slot.spec.figure;
    slot.digest = slot.spec.digest ?? "";
    slot.style = look(slot);
    slot.quick = false;
    handBack(slot.plot, layout);
    try {
      // The settings go in once: given again, Plotly measures the page to compare them, and
      // makes a new chart where the address has changed.
      const config = slot.listening ? undefined : CONFIG;
      this.Plotly.react(slot.plot, this.palette.paint(data), this.#layout(layout, slot), config);
    } catch (error) {
      console.error(`The chart ${slot.spec.id} could not be drawn.`, error);
      return;
    }
    keepSurfaces(slot.plot);
    if (!slot.listening) {
      slot.listening = true;
      slot.plot.on?.("plotly_click", ({ points }) => this.#clicked(slot, points));
      slot.plot.on?.("plotly_relayout", (changes) => slot.zoom.changed(Object.keys(changes)));
      slot.plot.addEventListener("dblclick", () => slot.zoom.whole());
      const chart = {
        traces: () => slot.spec.figure?.data ?? [],
        selects: () => slot.spec.selects,
        hold: (/** @type {boolean} */ still) => this.#hold(slot, still),
      };
      if (this.controls) draggable(slot.plot, chart, this.controls);
    }
    slot.zoom.drawn();
    this.#ghost(slot);
  }

  /** What was there before the last change. @param {Slot} slot */
  #ghost(slot) {
    if (this.rests === null) slot.ghost.forget();
    else slot.ghost.follow(slot.spec, this.rests, this);
  }

  /**
   * The figure's own layout over what all charts of the course share.
   * @param {Layout} layout
   * @param {Slot} slot
   */
  #layout(layout, { spec, width, zoom }) {
    const space = layout.scene && { scene: { ...layout.scene, dragmode: this.turning } };
    const text = "ink:text";
    const axis = {
      gridcolor: "ink:grid",
      linecolor: "ink:axis",
      zerolinecolor: "ink:axis",
      tickangle: 0, // these two spare Plotly measuring every label at every step
      ticklabeloverflow: "allow",
    };
    /** @type {Record<string, any>} */
    const full = {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      hovermode: "closest",
      dragmode: zoom.drawing && "zoom",
      margin: { l: 48, r: 16, t: 16, b: 40 },
      ...layout,
      ...space,
      font: { family: this.family, size: 12, color: text, ...layout.font },
      hoverlabel: { bgcolor: "ink:paper", bordercolor: "ink:axis", font: { color: text } },
      uirevision: `lab ${zoom.views}`, // the learner's zoom outlives every new answer
      width,
      height: spec.height,
      autosize: false, // the size is known; measuring it at every step costs a layout
    };
    for (const name of ["xaxis", "yaxis"]) full[name] ??= {};
    for (const name in full) {
      if (!/^[xy]axis\d*$/.test(name)) continue;
      full[name] = { ...axis, ...full[name] };
      if (full[name].range) full[name].range = [...full[name].range]; // a zoom is written into it
    }
    return this.palette.paint(full);
  }

  /** @param {Slot} slot  @param {Point[]} points */
  #clicked(slot, points) {
    const value = points[0]?.customdata;
    if (slot.spec.selects && value !== undefined && value !== null) {
      this.controls?.choose({ [slot.spec.selects]: String(value) }, false);
    }
  }

  /** While a hand drags in a chart its axes stand still. @param {Slot} slot  @param {boolean} still */
  #hold(slot, still) {
    const layout = slot.spec.figure?.layout ?? {};
    const axes = Object.keys(layout).filter((name) => /^[xy]axis\d*$/.test(name));
    slot.held = still ? Object.fromEntries(axes.map((name) => [name, /** @type {Layout["xaxis"]} */ (layout[name])?.range])) : null;
    if (still) return;
    slot.spec = held(slot);
    this.#drawOne(slot);
  }

  /** @param {ResizeObserverEntry[]} entries */
  #resize(entries) {
    for (const { target, contentRect } of entries) {
      const slot = this.slots.get(target.parentElement?.dataset.figure ?? "");
      const width = Math.round(contentRect.width);
      if (!slot || slot.width === width) continue;
      slot.width = width;
      if (this.Plotly) this.#drawOne(slot);
    }
  }

  /** @param {IntersectionObserverEntry[]} entries */
  #sight(entries) {
    for (const { target, isIntersecting } of entries) {
      const slot = this.slots.get(target.getAttribute("data-figure") ?? "");
      if (!slot) continue;
      slot.inSight = isIntersecting;
      if (isIntersecting && this.Plotly && isStale(slot)) this.#drawOne(slot);
    }
  }

  /** @param {FigureSpec} spec  @returns {Slot} */
  #makeSlot(spec) {
    const title = element("div", "gl-title");
    const plot = element("div", "gl-plot", { role: "img" });
    const caption = element("figcaption", "gl-caption");
    const zoom = new Zoom(() => slot.spec.figure?.layout ?? {}, () => this.#drawOne(slot));
    const root = element("figure", "gl-figure", { "data-figure": spec.id }, title, zoom.button, zoom.hint, plot, caption);
    this.resized.observe(plot);
    this.sighted.observe(root);
    const undrawn = { digest: null, style: null, width: null, alt: null };
    const view = { held: null, zoom, ghost: new Ghost(plot, this.palette) };
    /** @type {Slot} */
    const slot = { root, title, plot, caption, spec, given: spec, ...undrawn, ...view, inSight: true, quick: false, listening: false };
    return slot;
  }

  /** @param {Slot} slot */
  #drop(slot) {
    this.resized.unobserve(slot.plot);
    this.sighted.unobserve(slot.root);
    slot.zoom.stop();
    if (this.Plotly) this.Plotly.purge(slot.plot);
    slot.root.remove();
  }
}

/** A chart's figure, with the axes that a hand holds. @param {Slot} slot  @returns {FigureSpec} */
function held({ given, held }) {
  if (!held || !given.figure) return given;
  const { layout } = given.figure;
  const axes = Object.entries(held).map(([name, range]) => [name, { .../** @type {object} */ (layout[name]), range }]);
  return { ...given, figure: { ...given.figure, layout: { ...layout, ...Object.fromEntries(axes) } } };
}

/** Whether a chart shows another figure than it should. @param {Slot} slot */
function isStale(slot) {
  return slot.digest !== slot.spec.digest;
}

/** Whether a chart is a space that can be turned. @param {Slot} slot */
function isInSpace({ spec }) {
  return Boolean(spec.figure?.layout?.scene);
}

/** All of a chart but where things lie: what is drawn quickly has to have it. @param {Slot} slot */
function look({ spec, width }) {
  return `${spec.style} ${spec.height} ${width}`;
}
