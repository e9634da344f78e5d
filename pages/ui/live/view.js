// All that a lab shows, part by part: the stage, the controls, the drawers, and the marks in the page's
// text.

import { PLOTLY } from "./addresses.js";
import { Charts } from "./charts/charts.js";
import { keyOf } from "./charts/key.js";
import { Palette } from "./charts/palette.js";
import { Table } from "./charts/table.js";
import { CodeView } from "./code.js";
import { Controls } from "./controls/controls.js";
import { NumberHandles } from "./controls/number_handles.js";
import { element, fit, setAll, setChildren, setOrRemove, setText } from "./dom.js";
import { Graph } from "./graph/graph.js";
import { Linked } from "./links/linked.js";
import { Notes } from "./notes.js";
import { PageParts } from "./page/page_parts.js";
import { phrase } from "./phrase.js";
import { Share } from "./share.js";
import { Trainer } from "./trainer.js";
import { Views } from "./views.js";

/** @import { Frame, Picture } from "./messages.d.ts" */
/** @import { Place } from "./place.d.ts" */

/**
 * The lab's handlers for what its parts report or ask.
 * @typedef {Object} Hears
 * @property {(moving: boolean) => void} changed  a control was moved
 * @property {(word: "undo"|"redo") => void} went
 * @property {() => void} trained  the learner pressed one of the training's buttons
 * @property {() => void} cut      an edge of the graph
 * @property {() => void} walked   to another step of the backward pass
 * @property {() => void} opened   other drawers are open
 * @property {() => void} uncovered  the learner asked to see what a question covers
 */

/**
 * The circumstances in which the lab shows an answer.
 * @typedef {Object} Manner
 * @property {Place} place
 * @property {?number} graphStep  that was asked for
 * @property {number} reset   counts how often the controls were set from the page
 * @property {boolean} newest  the answer is to the newest wish
 * @property {boolean} resting  and that answer is no preview
 */

export class View {
  /**
   * @param {HTMLElement} root
   * @param {string} name  of the lab
   * @param {Hears} lab
   */
  constructor(root, name, lab) {
    const part = (/** @type {string} */ name, attributes = {}) =>
      element("div", `gl-${name}`, attributes);
    const controls = part("controls");
    const folded = part("controls");
    const settings = part("settings");
    const trainer = part("trainer", { role: "group", "aria-label": phrase("training") });
    const notes = part("notes", { role: "status" });
    const status = part("status");
    const key = part("key", { role: "group", "aria-label": phrase("lines_of_charts") });
    const more = part("more");
    const views = new Views(more, lab.opened, lab.uncovered);
    const head = element("div", "gl-head", {}, trainer, controls, folded);
    const graph = views.box("graph");
    setAll(graph, { class: "gl-view gl-graph", role: "group", "aria-label": phrase("graph_of_run") });
    const scroll = element("div", "gl-scroll", { role: "region", tabindex: "0" });
    views.box("table").append(scroll);
    const { stage, below, tabs, drawers } = views;
    const sentence = element("p", "gl-both", { role: "status" });
    const links = element("p", "gl-links");
    if (name === "playground") root.replaceChildren(head, notes, stage, below, tabs, drawers); // its program comes first
    else if (name === "bench") root.replaceChildren(head, stage, notes, below, key, sentence, tabs, links, drawers);
    else root.replaceChildren(stage, head, notes, tabs, drawers);
    // On a narrow page the result follows the program, and the other controls come after it: for the
    // keyboard, too.
    this.narrow = matchMedia("(max-width: 999px)");
    this.place = () => (name === "playground" && this.narrow.matches ? below.after(folded) : head.append(folded));
    this.narrow.addEventListener("change", this.place);
    this.place();

    root.dataset.lab = name;
    this.root = root;
    this.sentence = sentence;
    this.links = links;
    /** @type {?Frame} */
    this.frame = null;
    /** @type {?Picture} */
    this.picture = null; // the last one of the frame's training
    this.seq = 0; // the number of the answer that is shown
    this.status = status;
    this.key = key;

    this.palette = new Palette(root);
    this.controls = new Controls(controls, folded, settings, {
      ...lab,
      wrong: (field) => views.reveal(field),
      asked: (name, wanted) => views.ask(name, wanted),
    });
    this.views = views;
    this.charts = new Charts(views, this.palette, this.controls, (trace) => this.linked.hover(trace));
    this.share = new Share(this.charts);
    more.append(settings, ...(name === "bench" ? [] : [key]), status, this.share.root);
    // Where the browser copies only what is selected, that has to be in sight.
    if (!navigator.clipboard) this.share.link.addEventListener("click", () => views.reveal(this.share.root), { capture: true });
    this.table = new Table(scroll);
    this.graph = new Graph(graph, {
      cut: lab.cut,
      put: (control, value) => this.controls.choose({ [control]: value }, false),
      moved: () => {
        lab.walked();
        this.linked.light(this.linked.source);
      },
      looked: (id) => this.linked.light(id === null ? null : { id }),
    });
    // In the playground, a click on an op chooses its type for a rule; elsewhere there is no such control.
    graph.addEventListener("click", ({ target }) => {
      const id = /** @type {Element} */ (target).closest(".gl-node")?.getAttribute("data-id");
      const type = this.frame?.graph?.nodes.find((node) => node.id === id)?.type ?? "";
      /** @type {?HTMLInputElement} */
      const choice = root.querySelector(`[data-control="rule.op"] [value="${CSS.escape(type)}"]`);
      choice?.click();
      if (type && name === "bench") this.controls.choose({ "a.op": type, "b.op": type }, false);
    });
    this.code = new CodeView(views.box("code"));
    this.notes = new Notes(notes);
    this.trainer = new Trainer(trainer, lab.trained);
    this.linked = new Linked(root, () => this.charts.all.values());
    this.numbers = new NumberHandles(this.controls);
    this.pageParts = new PageParts(this.numbers);
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.repaint = () => this.palette.refresh() && this.#drawCharts();
    this.scheme.addEventListener("change", this.repaint);
  }

  /**
   * Show all that there is.
   * @param {Frame} frame
   * @param {?Picture} picture  of its training
   * @param {Manner} manner
   */
  show(frame, picture, { place, graphStep, reset, newest, resting }) {
    // The link to another state hasn't been copied.
    if (frame.query !== this.frame?.query) setText(this.share.link, phrase("copy_link"));
    this.frame = frame;
    this.picture = picture;
    const { step } = place;
    const more = frame.groups.some(({ controls, area }, index) => index && !area && controls.some(({ hidden }) => !hidden));
    const views = [...(picture?.views ?? []), ...frame.views];
    this.views.uncover.hidden = !frame.covered;
    this.views.show(frame.stage, frame.below_stage, views, step, more ? phrase("more_settings") : phrase("more"));
    this.charts.frame([...(picture?.figures ?? []), ...frame.figures]);
    this.graph.show(frame.graph, graphStep, reset, newest, !resting, frame.query.startsWith("preset="));
    this.root.classList.toggle("gl-old", !frame.accepted && frame.stage !== "");
    setChildren(this.key, keyOf(picture ? [] : frame.key));
    this.showNotes();
    for (const group of frame.groups) {
      const formula = group.code === undefined ? null : this.root.querySelector(`[data-area="${group.area}"] .gl-formula`);
      if (formula) this.numbers.write(formula, group);
    }
    fit(this.sentence, frame.sentence.length, () => element("span", "")).forEach((part, place) => {
      const [role, text] = frame.sentence[place];
      setOrRemove(part, "data-role", role);
      setText(part, `${text} `);
    });
    const links = frame.links.map(({ label, address }) => element("a", "", { href: address }, label));
    if (links.length) setChildren(this.links, [...links, this.share.link]); // a preview has none
    setText(this.status, picture ? picture.status : frame.status);
    this.code.show(frame.code);
    this.table.show(picture?.table ?? frame.table);
    this.linked.show(frame.graph);
    const numbers = { ...frame.numbers, ...picture?.numbers };
    const isDone = frame.turn || picture?.turn || false;
    this.pageParts.show(numbers, `${place.name} ${step}`, isDone);
    this.root.toggleAttribute("data-done", isDone); // a phone says it on the stage, too
    this.root.toggleAttribute("data-untrained", picture?.training.done === 0);
    this.#drawCharts();
    const parts = { graph: frame.graph, table: picture?.table ?? frame.table, code: frame.code };
    const drawn = Object.entries(parts).flatMap(([name, part]) => (part ? [name] : []));
    this.views.bring([...drawn, ...this.charts.all.keys()]);
  }

  showNotes() {
    this.notes.show([...(this.frame?.notes ?? []), ...(this.picture?.notes ?? [])]);
  }

  stop() {
    this.controls.stop();
    this.scheme.removeEventListener("change", this.repaint);
    this.narrow.removeEventListener("change", this.place);
    this.charts.stop();
    this.graph.stop();
    this.linked.stop();
    this.pageParts.stop();
    this.numbers.stop();
  }

  /** Draw the charts, the first time once Plotly's script is there. */
  #drawCharts() {
    const { charts, root } = this;
    if (!this.frame) return;
    if (charts.all.size && !charts.Plotly) {
      void this.#loadPlotly();
      return;
    }
    charts.draw();
    root.dataset.seq = String(this.seq);
    root.dataset.ready = "true";
  }

  async #loadPlotly() {
    try {
      const found = await import(PLOTLY);
      this.charts.Plotly = found.default;
      this.#drawCharts();
    } catch (error) {
      console.error(error);
      this.notes.chartless = [{ level: "error", text: phrase("charts_missing") }];
      this.showNotes();
    }
  }
}
