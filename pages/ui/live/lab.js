// The live lab's entry: Streamlit calls `render` with every answer and at every change of theme.
// A lab is built once a place in the page; after that each answer only changes what differs.
//
// What comes from Python:
/**
 * @typedef {Object} Payload
 * @property {number} seq      the newest change the server had seen
 * @property {number} reset    another number: the controls take the payload's values, come what may
 * @property {{title: ?string, open: boolean, controls: Control[]}[]} groups
 * @property {Figure[]} figures
 * @property {?{caption: string, columns: {label: string, role: ?string}[], rows: string[][]}} table
 * @property {{level: "info"|"warning"|"error", text: string}[]} notes
 * @property {string} status
 * @property {boolean} [settled] this is the whole picture: a resting hand changes nothing in it
 * @property {string} query    the address's canonical query, without "?"
 * @property {?import("./remember.js").Cookie} cookie  what to remember across reloads
 * @property {{role: string, label: string, dash: string}[]} key  which line is which
 * @property {?import("./graph.js").GraphSpec} [graph]
 * @property {{name: string, step: string}} [show]  the part of the lab that the text speaks of:
 *   a figure's id, "graph" or "table"; `step` says whose text, so that a new one is noticed
 * @property {?import("./trainer.js").TrainerSpec} [training]  in a lab that trains: how far it is
 *
 * @typedef {Object} Control
 * @property {string} name
 * @property {string} label
 * @property {"slider"|"integer"|"text"|"choice"|"select"|"code"|"actions"} kind
 * @property {string} value
 * @property {number} [min]
 * @property {number} [max]
 * @property {number} [step]
 * @property {"linear"|"log"} [scale]
 * @property {{value: string, label: string, disabled?: boolean}[]} [options]  of a text: offers
 * @property {?[number, number]} [mark]  of code: line and column of the error, from 1
 * @property {string} [help]
 * @property {?string} [error]  shown beside the field, which keeps what the learner typed
 * @property {boolean} [hidden]
 * @property {boolean} [disabled]  shown, and not to be moved
 * @property {string} [placeholder]
 *
 * @typedef {Object} Figure
 * @property {string} id
 * @property {string} digest    the same digest: the same figure
 * @property {string} title
 * @property {string} caption
 * @property {string} alt
 * @property {number} height
 * @property {boolean} wide
 * @property {{data: any[], layout: any}} figure
 * @property {?(string|[string, string])} selects  the control that a click on a point with
 *   customdata sets; or the two that a click or drag sets to the place where it is
 */

import { Charts, loadPlotly } from "./charts.js";
import { Controls } from "./controls.js";
import { element, setChildren, setText } from "./dom.js";
import { Flow } from "./flow.js";
import { Graph } from "./graph.js";
import { Outline } from "./outline.js";
import { Palette } from "./palette.js";
import { remember } from "./remember.js";
import { Table } from "./table.js";
import { Trainer } from "./trainer.js";

const QUIET = 150; // ms without a new picture before the slower half of drawing is caught up on
const CHARTLESS = "The charts' script could not be loaded. Reload the page to try again.";

const labs = new WeakMap();
const decoder = new TextDecoder();

/** @returns {() => void} clean-up, for when the lab has left the page */
export function render({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".gl-lab");
  if (!labs.has(root)) labs.set(root, new Lab(root));
  const lab = labs.get(root);
  lab.setStateValue = setStateValue; // each render brings its own
  lab.receive(data);
  // Streamlit also runs the clean-up of a render that a newer one overtook, with the lab still in
  // use: so wait, and look whether the lab is really gone.
  return () =>
    setTimeout(() => {
      if (!root.isConnected) lab.stop();
    });
}

class Lab {
  constructor(root) {
    this.root = root;
    const part = (name, attributes) => element("div", `gl-${name}`, attributes);
    const controls = part("controls");
    const figures = part("figures");
    this.key = part("key", { "aria-hidden": "true" }); // the charts' descriptions name the roles
    const graph = part("graph", { role: "group", "aria-labelledby": "gl-graph-title" });
    const table = part("scroll", { role: "region", tabindex: "0" });
    this.notes = part("notes", { "aria-live": "polite" });
    this.status = part("status");
    const trainer = part("trainer", { role: "group", "aria-label": "Training" });
    const { notes, status, key } = this;
    root.replaceChildren(controls, trainer, notes, status, key, figures, graph, table);

    this.palette = new Palette(root);
    this.flow = new Flow(
      (change) => {
        this.graph.sent(change.values);
        this.setStateValue("input", change);
      },
      (busy) => root.setAttribute("aria-busy", String(busy)),
    );
    this.controls = new Controls(controls, (values, live) => this.#offer(values, live));
    this.charts = new Charts(figures, this.palette, (values, moving) =>
      this.controls.choose(values, moving),
    );
    this.table = new Table(table);
    this.graph = new Graph(graph, {
      cut: () => this.#offer(this.controls.values(), false),
      moved: () => this.#showAddress(),
    });
    this.outline = new Outline(root, { graph, table });
    this.trainer = new Trainer(trainer, (live) => this.#offer(this.controls.values(), live));
    this.bytes = null;
    this.offered = ""; // the values last sent, as text
    this.rests = false; // the hand came to rest on them, and the server has not been told
    this.Plotly = null;
    this.recoloured = true; // until the charts have been drawn in the theme's colours
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.repaint = () => this.receive(this.bytes);
    this.scheme.addEventListener("change", this.repaint);
    this.chartless = []; // a note, where the charts cannot be drawn
    loadPlotly().then(
      (Plotly) => {
        this.Plotly = Plotly;
        this.receive(this.bytes);
      },
      (error) => {
        console.error(error);
        this.chartless = [{ level: "error", text: CHARTLESS }];
        this.#showNotes();
      },
    );
  }

  /** @param {Uint8Array} bytes  a payload; the same one again when only the theme changed */
  receive(bytes) {
    if (this.palette.refresh()) this.recoloured = true;
    if (bytes !== this.bytes) this.#take(bytes);
    if (this.Plotly) this.#draw();
  }

  /** A new payload: everything but the charts. */
  #take(bytes) {
    this.bytes = bytes;
    /** @type {Payload} */
    const payload = JSON.parse(decoder.decode(bytes));
    const { seq } = (this.payload = payload);
    const newest = this.flow.isNewest(seq);
    // Before drawing: the server works on the next value while this one is drawn.
    this.flow.answered(seq);
    this.controls.show(payload.groups, payload.reset, newest);
    this.charts.frame(payload.figures);
    this.table.show(payload.table);
    this.graph.show(payload.graph ?? null, payload.reset, newest);
    this.outline.show(payload.show ?? null);
    this.#showNotes();
    this.#showKey(payload.key ?? []);
    remember(payload.cookie);
    setText(this.status, payload.status ?? "");
    if (newest && this.rests) this.#rest();
    // A training's messages never rest, and the learner may turn to the next step meanwhile.
    const step = payload.show?.step;
    if ((newest && this.flow.resting) || step !== this.step) this.#showAddress();
    this.step = step;
    this.trainer.show(payload.training ?? null, newest);
  }

  /** Send what the learner set. Resting on what was sent already asks nothing of the server. */
  #offer(values, live) {
    values = { ...values, ...this.graph.values(), ...this.trainer.values() };
    const text = JSON.stringify(values);
    this.rests = !live && text === this.offered;
    this.offered = text;
    if (!this.rests) this.flow.offer(values, live);
    else if (this.flow.isQuiet()) this.#rest();
  }

  /** The hand rests and the newest answer is here: unless that is a preview, all is said. */
  #rest() {
    this.rests = false;
    if (!this.payload.settled) this.flow.offer(JSON.parse(this.offered), false);
    else {
      this.flow.resting = true;
      this.#showAddress();
    }
  }

  /** The server's canonical query, and the step of the backward pass, which only we know. */
  #showAddress() {
    const { query } = this.payload;
    const { at } = this.graph;
    showAddress(at === null || !query ? query : `${query}&at=${at}`);
  }

  /** What is in sight now; the rest once the hand and the server give it time. */
  #draw() {
    const { seq } = this.payload;
    const rest = this.charts.draw(this.Plotly, this.recoloured);
    this.recoloured = false;
    this.root.dataset.seq = seq;
    this.root.dataset.ready = "true";
    clearTimeout(this.later);
    const { dataset } = this.root;
    if (rest) this.later = setTimeout(() => this.#drawRest(seq), dataset.whole ? QUIET : 0);
    else dataset.caughtUp = seq;
    if (this.charts.areAllShown()) dataset.whole = seq;
  }

  #drawRest(seq) {
    if (!this.flow.isQuiet()) return; // the next answer comes by here again
    this.charts.drawRest();
    this.root.dataset.whole = this.root.dataset.caughtUp = seq;
  }

  #showNotes() {
    const notes = [...this.chartless, ...this.payload.notes];
    const text = JSON.stringify(notes);
    if (text === this.noted) return;
    this.noted = text;
    setChildren(
      this.notes,
      notes.map((note) => element("p", "gl-note", { "data-level": note.level }, note.text)),
    );
  }

  #showKey(entries) {
    const text = JSON.stringify(entries);
    if (text === this.keyed) return;
    this.keyed = text;
    setChildren(
      this.key,
      entries.map(({ role, label, dash }) => {
        const line = element("span", "gl-line", { "data-dash": dash });
        line.style.setProperty("--gl-role", `var(--role-${role.replace(/[^\w-]/g, "")})`);
        return element("span", "gl-entry", {}, line, label);
      }),
    );
  }

  stop() {
    clearTimeout(this.later);
    this.flow.stop();
    this.controls.stop();
    this.charts.stop();
    this.graph.stop();
    this.trainer.stop();
    this.scheme.removeEventListener("change", this.repaint);
    labs.delete(this.root);
  }
}

/** Replaced, never added: the Back button leaves the page instead of replaying a drag. */
function showAddress(query) {
  const search = query ? `?${query}` : "";
  if (search === location.search) return;
  history.replaceState(history.state, "", location.pathname + search + location.hash);
}
