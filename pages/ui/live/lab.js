// The live lab's entry: Streamlit calls `render` whenever its page was drawn, with what the page
// wants of the lab. Everything else, each drag and each picture, goes over the lab's own line.

import { loadPlotly, needWhole } from "./chart_script.js";
import { Charts } from "./charts.js";
import { Controls } from "./controls.js";
import { element, setChildren, setText } from "./dom.js";
import { dropFirst } from "./first_picture.js";
import { Flow } from "./flow.js";
import { Goals } from "./goals.js";
import { Graph } from "./graph.js";
import { Had } from "./had.js";
import { hearKey, keyOf } from "./key.js";
import { keep, kept } from "./kept.js";
import { Linked } from "./linked.js";
import { Outline } from "./outline.js";
import { NumberHandles } from "./number_handles.js";
import { PageParts } from "./page_parts.js";
import { Palette } from "./palette.js";
import { Pinned } from "./pinned.js";
import { remember } from "./remember.js";
import { Share } from "./share.js";
import { Line } from "./socket.js";
import * as tab from "./tab.js";
import { Table } from "./table.js";
import { Trainer } from "./trainer.js";
import { Undo } from "./undo.js";
import { goToVerdict } from "./verdict.js";
import { Work } from "./work.js";

/** @import { Aside, Frame, NoteSpec, Picture } from "./messages.d.ts" */

/**
 * What the page says.
 * @typedef {Object} Place
 * @property {string} lab      a lesson's slug, "home" or "playground"
 * @property {string} socket   the address of the labs' route
 * @property {Order[]} orders   in turn
 * @property {number} step
 * @property {string[]} answers
 * @property {string} committed  the answer to the step's question, as remembered; empty before
 * @property {string[]} hide
 * @property {string[]} fix
 * @property {string} note     until the learner changes something
 * @property {?{name: string, step: string}} show  the part of the lab that the text speaks of
 * @property {string[]} [goals]  those that were reached
 * @property {?import("./remember.js").Cookie} cookie  what to remember across reloads
 *
 * What the lab is to be set to. Each order is carried out once; a first one only where this tab has
 * nothing newer.
 * @typedef {Object} Order
 * @property {string} id
 * @property {boolean} first
 * @property {Record<string, string>} values
 * @property {?string} cuts  null leaves them as they are
 * @property {?number} graph_step  of the backward pass; null leaves it as it is
 *
 * @typedef {Object} Component
 * @property {Place} data
 * @property {HTMLElement} parentElement
 * @property {(name: string, value: unknown) => void} setTriggerValue
 * @property {(name: string, value: unknown) => void} [setStateValue]  tells the page; it is drawn anew
 */

const A_FRAME = 17; // ms in which the rest is painted before what takes long is drawn
const DELAY = 100; // ms for which a picture of a training waits for the frame that a hand has asked for
const QUIET = 150; // ms without a new picture before the slower half of drawing is caught up on
const TABLED = 200; // ms between two tables of a training, which say of which step: nobody reads faster
const PATIENT = 4000; // ms that the first picture of a training may take before the rest is shown
const ORDERS = 200; // orders that are remembered as done
const SOON = 100; // ms between two looks whether Streamlit is connected again
const MOST_OF_WINDOW = 0.36; // that the controls may cover
const CHARTLESS = "The charts' script could not be loaded. Reload the page to try again.";
const UNNOTED = 1000; // ms without a line before there is a note of it: most breaks are shorter
const LOST = "The connection to the server is lost. What you set stays; it is tried again.";

/** @type {WeakMap<Element, Lab>} */
const labs = new WeakMap();

/**
 * @param {Component} component
 * @returns {() => void} clean-up, for when the lab has left the page
 */
export function render({ data, parentElement, setStateValue, setTriggerValue }) {
  const root = /** @type {HTMLElement} */ (parentElement.querySelector(".gl-lab"));
  let lab = labs.get(root);
  if (!lab) labs.set(root, (lab = new Lab(root, data)));
  lab.tell = setStateValue;
  lab.go = (step) => setTriggerValue("go", step);
  lab.placed(data);
  // Streamlit also runs the clean-up of a render that a newer one overtook, with the lab still in
  // use: so wait, and look whether the lab is really gone.
  return () =>
    setTimeout(() => {
      if (root.isConnected) return;
      lab.stop();
      labs.delete(root);
    });
}

/** One lab on the page. */
class Lab {
  /** @param {HTMLElement} root  @param {Place} place */
  constructor(root, place) {
    this.root = root;
    const part = (/** @type {string} */ name, attributes = {}) =>
      element("div", `gl-${name}`, attributes);
    const goals = part("goals", { hidden: "" });
    const controls = part("controls");
    const figures = part("figures");
    this.key = part("key", { role: "group", "aria-label": "Lines of the charts" });
    const graph = part("graph", { role: "group", "aria-labelledby": "gl-graph-title" });
    const table = part("scroll", { role: "region", tabindex: "0" });
    this.notes = part("notes", { "aria-live": "polite" });
    this.status = part("status");
    const work = part("work");
    const trainer = part("trainer", { role: "group", "aria-label": "Training" });
    const { notes, status, key } = this;
    const head = part("head");
    head.append(controls, trainer);
    // In sight for as long as the charts are, unless they would take too much of the window. What is
    // opened there does not count: it would send all of them away, itself too. It scrolls instead.
    this.stays = new ResizeObserver(() => {
      const { offsetHeight } = head;
      const opened = [...head.querySelectorAll(".gl-group[open] > .gl-fields")];
      const folded = opened.reduce((height, { clientHeight }) => height - clientHeight, offsetHeight);
      const stays = folded <= innerHeight * MOST_OF_WINDOW;
      head.toggleAttribute("data-stays", stays);
      root.style.setProperty("--gl-stays", stays ? `${offsetHeight}px` : "0px"); // for what stays below it
    });
    for (const one of [head, document.documentElement]) this.stays.observe(one);
    root.replaceChildren(goals, head, notes, work, status, key, figures, graph, table);

    this.place = place;
    /** Ask the page for another step. @type {(step: number) => void} */
    this.go = () => {};
    const before = kept(place.lab);
    this.done = before?.done ?? []; // orders
    this.form = before?.form ?? {}; // what every control says, those out of sight too
    this.cuts = before?.cuts ?? "";
    /** @type {?number} */
    this.graphStep = before?.graphStep ?? null; // the step of the backward pass that was asked for
    this.undo = before?.undo ?? new Undo();
    this.reset = 0; // counts how often the controls were set from here
    this.forced = before ? 1 : 0; // from this answer on they say what the answer says
    /** @type {?Record<string, string>} */
    this.good = null; // what gave the last picture, while some text is refused
    this.snip = ""; // an edge to cut or mend; sent until it is answered
    this.snipSeq = 0;
    /** @type {?Frame} */
    this.frame = null;
    this.had = new Had();
    /** @type {?Picture} */
    this.picture = null;
    this.asked = ""; // what was asked last, as text
    /** @type {?number} */
    this.askedStep = null; // at which step
    this.rests = false; // the hand came to rest on it, and the answer may be a preview
    /** @type {NoteSpec[]} */
    this.asides = [];
    this.noted = this.keyed = "";
    this.broken = false; // the line was lost and is not open again

    this.palette = new Palette(root);
    this.flow = new Flow(
      (seq, live) => this.#send(seq, live),
      (busy) => root.setAttribute("aria-busy", String(busy)),
    );
    this.work = new Work(work, () => this.line.send(`${this.flow.seq} stop`));
    this.controls = new Controls(controls, {
      changed: (live) => this.#changed(live),
      went: (word) => this.#went(word),
    });
    this.charts = new Charts(figures, this.palette, this.controls);
    this.share = new Share(this.charts);
    this.status.after(this.share.root);
    /** @type {((name: string, value: unknown) => void) | undefined} */
    this.tell = undefined;
    this.goals = new Goals(goals, (names) => this.tell?.("goals", names));
    this.table = new Table(table);
    this.graph = new Graph(graph, {
      cut: () => this.#cut(),
      moved: () => {
        this.#showAddress();
        this.linked.light(this.linked.source);
      },
      looked: (id) => this.linked.light(id === null ? null : { id }),
      code: () => this.pageParts.lines("torch"),
    });
    this.pinned = new Pinned(this.graph.pinned, this.palette, this.controls, () => this.#draw());
    this.drawings = [this.charts, this.pinned.charts];
    this.linked = new Linked(root, () => this.drawings.flatMap(({ slots }) => [...slots.values()]));
    hearKey(key, (role) => this.linked.keep(role));
    this.outline = new Outline(root, { graph, table });
    this.trainer = new Trainer(trainer, () => this.#train());
    this.numbers = new NumberHandles(this.controls);
    this.pageParts = new PageParts({
      numbers: this.numbers,
      document: () => this.frame?.document ?? "",
      see: () => this.outline.see(),
      up: () => this.outline.up(),
      go: (step) => this.go(step),
    });
    this.line = new Line(place.socket, {
      opened: () => this.#opened(),
      frame: (seq, frame) => this.#take(seq, frame),
      picture: (picture) => this.#watch(picture),
      aside: (aside) => this.#hear(aside),
      lost: () => this.#lost(),
    });
    /** @type {?import("./plotly.d.ts").Plotly} */
    this.Plotly = null;
    this.recoloured = true; // until the charts have been drawn in the theme's colours
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.repaint = () => this.#repaint();
    this.scheme.addEventListener("change", this.repaint);
    this.later = this.waiting = this.waking = this.telling = this.holding = this.tabling = 0;
    /** @type {?Picture} */
    this.delayed = null; // a picture of a training that is to be shown soon
    /** @type {NoteSpec[]} */
    this.chartless = []; // a note, where the charts cannot be drawn
    this.whole = false; // whether the charts need Plotly's whole script
    this.#load();
  }

  #load() {
    const { whole } = this;
    loadPlotly(whole).then(
      (Plotly) => {
        if (whole !== this.whole) return; // the other one is on its way
        this.Plotly = Plotly;
        this.#draw();
      },
      (error) => {
        console.error(error);
        this.chartless = [{ level: "error", text: CHARTLESS }];
        dropFirst(); // whose controls are none
        this.#showNotes();
      },
    );
  }

  /** The page was drawn: at another step perhaps, or with something to set. @param {Place} place */
  placed(place) {
    const before = this.place;
    this.place = place;
    remember(place.cookie);
    this.goals.remember(place.goals ?? []);
    this.#repaint();
    for (const order of place.orders) this.#obey(order);
    this.outline.show(place.show);
    if (place.note && place.note !== before.note) this.#showNotes();
    const same = ["step", "answers", "hide", "fix"].every(
      (name) => String(Reflect.get(place, name)) === String(Reflect.get(before, name)),
    );
    if (this.asked && place.step !== before.step) showStep(place.step);
    else if (place.committed && place.committed !== before.committed) goToVerdict();
    if (!this.asked || !same) this.flow.offer(false);
    else this.pageParts.refresh();
  }

  /** @param {Order} order */
  #obey({ id, first, values, cuts, graph_step }) {
    if (this.done.includes(id)) return;
    const newer = first && this.done.length > 0; // what this tab has
    this.done = [...this.done, id].slice(-ORDERS);
    if (!newer) this.#set({ values, cuts, graph_step });
  }

  /** Set the lab from here. @param {Pick<Order, "values" | "cuts" | "graph_step">} what */
  #set({ values, cuts, graph_step }) {
    this.reset += 1;
    this.forced = this.flow.seq + 1;
    this.form = { ...this.form, ...values };
    this.cuts = cuts ?? this.cuts;
    this.graphStep = graph_step;
    this.controls.set(values);
    this.asides = [];
    this.flow.offer(false);
  }

  /** Something was set. @param {boolean} live */
  #changed(live) {
    this.place = { ...this.place, note: "" };
    this.form = { ...this.form, ...this.controls.values() };
    // Resting on what was sent already asks nothing of the server, unless that was a preview. In the
    // playground a wish at rest brings the document, and a step for undo.
    const playing = this.place.lab === "playground";
    this.rests = !live && !playing && !this.snip && JSON.stringify(this.#asking()) === this.asked;
    if (!this.rests) this.flow.offer(live);
    else if (this.flow.isQuiet()) this.#rest();
  }

  /** The hand rests and the newest answer is here: unless that is a preview, all is done. */
  #rest() {
    this.rests = false;
    if (!this.frame?.settled) this.flow.offer(false);
    else {
      this.flow.resting = true;
      for (const charts of this.drawings) charts.rest();
      this.#showAddress();
    }
  }

  /** Undo or redo. @param {"undo"|"redo"} word */
  #went(word) {
    const { shown } = this.undo;
    if (shown && !this.flow.isQuiet()) {
      // What was typed a moment ago, and not answered yet, is a step as well.
      const typed = { ...this.form, ...this.controls.values() };
      const names = Object.keys(shown);
      this.undo.remember(Object.fromEntries(names.map((name) => [name, typed[name] ?? shown[name]])));
    }
    const form = this.undo.go(word);
    if (form) this.#set({ values: form, cuts: null, graph_step: null });
  }

  #cut() {
    if (this.frame?.graph?.scissors === "snip") this.snip = this.graph.snip ?? "";
    else this.cuts = [...this.graph.cuts].sort().join(",");
    this.place = { ...this.place, note: "" };
    this.flow.offer(false);
  }

  #train() {
    this.line.send(`${this.flow.seq} train ${this.#wish(false)}\n${this.trainer.wish()}`);
  }

  /** What is to be seen. */
  #asking() {
    const { lab, step, answers, hide, fix } = this.place;
    const { form, good, cuts } = this;
    return { lab, values: form, good, cuts, step, answers, hide, fix };
  }

  /** The same as text: the same text has the same answer. @param {boolean} live */
  #wish(live) {
    const touched = this.place.lab === "playground" ? [...this.controls.since] : [];
    const snip = this.snip && `snip ${this.snip}`;
    const have = this.charts.digests(this.frame);
    const text = JSON.stringify({ ...this.#asking(), live, touched, do: snip, have });
    // Half a character, as a slip of the keyboard leaves one, is no text: it stands as an escape.
    return text.replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, "$1\ufffd");
  }

  /** @param {number} seq  @param {boolean} live  @returns {boolean} whether it went */
  #send(seq, live) {
    if (!this.line.isOpen) return false;
    const wish = this.#wish(live);
    this.asked = JSON.stringify(this.#asking());
    this.askedStep = this.place.step;
    this.snipSeq = seq;
    const training = this.trainer.shown ? `\n${this.trainer.wish()}` : "";
    this.line.expect();
    return this.line.send(`${seq} ask ${wish}${training}`);
  }

  #opened() {
    clearTimeout(this.telling);
    this.asides = [];
    this.#showNotes();
    this.flow.begin();
    if (this.broken) this.#wakeSoon();
    this.broken = false;
  }

  /**
   * A server that was started meanwhile does not know the page before it has drawn it, and would
   * miss what is pressed there. Streamlit connects by itself, but draws nothing then.
   */
  #wakeSoon() {
    clearTimeout(this.waking);
    const state = document.querySelector(".stApp")?.getAttribute("data-test-connection-state");
    if (state === "CONNECTED") tab.comeBack();
    else this.waking = setTimeout(() => this.#wakeSoon(), SOON);
  }

  #lost() {
    this.broken = true;
    tab.leave();
    clearTimeout(this.waking);
    this.flow.lose();
    this.work.hide();
    clearTimeout(this.telling);
    this.telling = setTimeout(() => {
      this.asides = [{ level: "warning", text: LOST }];
      this.#showNotes();
    }, UNNOTED);
  }

  /** @param {Aside} aside */
  #hear({ seq, kind, text = "", share = 0 }) {
    if (kind === "progress") {
      if (seq === this.flow.seq) this.work.show(share, text);
      return;
    }
    const newest = this.flow.isNewest(seq);
    this.flow.answered(seq);
    this.work.hide();
    if (!newest && kind !== "refused") return;
    if (kind === "again") {
      this.good = this.frame?.form ?? {};
      this.flow.offer(!this.flow.resting);
      return;
    }
    this.snip = this.graph.snip = "";
    this.asides = [{ level: kind === "stopped" ? "info" : "error", text }];
    this.#showNotes();
    if (kind === "stopped" && !this.frame) this.flow.offer(true); // something cheaper
  }

  /** An answer. @param {number} seq  @param {Frame} frame */
  #take(seq, frame) {
    if (seq < this.flow.answeredSeq) return;
    const newest = this.flow.isNewest(seq);
    // Before drawing: the server works on the next value while this one is drawn.
    this.flow.answered(seq);
    this.work.hide();
    this.asides = [];
    const before = this.frame;
    this.had.complete(frame);
    this.frame = frame;
    this.seq = seq;
    const forced = Boolean(this.forced) && seq >= this.forced;
    if (forced) this.forced = 0;
    if (newest) {
      const program = frame.form.program ?? "";
      this.graph.tell((this.snip && before?.form.program) || program, program);
      if (seq >= this.snipSeq) this.snip = this.graph.snip = "";
      this.controls.since.clear();
      this.form = frame.form;
      this.good = frame.accepted ? null : (this.good ?? before?.form ?? {});
      if (frame.graph?.scissors === "cuts") this.cuts = frame.graph.cuts.join(",");
      const change = JSON.stringify([this.form, this.cuts]);
      for (const charts of this.drawings) Object.assign(charts, { step: this.askedStep, change });
    }
    if (newest && this.flow.resting && this.place.lab === "playground") {
      this.undo.remember(frame.form);
    }
    this.controls.allow({
      undo: this.undo.past.length > 0,
      redo: this.undo.future.length > 0,
    });
    this.controls.show(frame.groups, forced, newest);
    clearTimeout(this.waiting);
    if (frame.trains && !this.trainer.shown) {
      this.trainer.expect();
      this.#train();
    }
    if (frame.trains && !this.picture) {
      this.waiting = setTimeout(() => this.#show(newest), PATIENT);
    } else this.#show(newest);
    if (this.delayed) this.#watchLater(this.delayed, A_FRAME);
  }

  /** How a training stands. @param {Picture} picture */
  #watch(picture) {
    // What a hand has just set comes first: its frame is there within milliseconds, and a picture
    // of a training takes longer to paint than that.
    if (this.picture && !this.flow.isQuiet()) this.#watchLater(picture, DELAY);
    else this.#watchNow(picture);
  }

  /** @param {Picture} picture  @param {number} ms */
  #watchLater(picture, ms) {
    if (this.delayed && this.delayed !== picture) this.line.send("0 taken");
    this.delayed = picture;
    clearTimeout(this.holding);
    this.holding = setTimeout(() => this.#watchNow(picture), ms);
  }

  /** @param {Picture} picture */
  #watchNow(picture) {
    clearTimeout(this.holding);
    this.delayed = null;
    const first = !this.picture;
    this.picture = picture;
    this.trainer.show(picture.training);
    if (!this.frame) return;
    clearTimeout(this.waiting);
    if (first || !this.trainer.goesOn || !this.frame.trains) this.#show(first && this.flow.resting);
    else this.#showMoved();
    this.line.send("0 taken");
  }

  /** What each picture of a training moves: the charts, and the text with them. The table follows. */
  #showMoved() {
    this.#showCharts();
    this.#showText();
    this.tabling ||= setTimeout(() => this.#showTable(), TABLED);
    this.#draw();
  }

  #showCharts() {
    const { frame, picture } = this;
    if (!frame) return;
    const trained = frame.trains ? picture : null;
    const own = this.charts.kept(frame.figures);
    const others = this.charts.kept(trained?.figures ?? []);
    const figures = trained?.leads ? [...others, ...own] : [...own, ...others];
    this.charts.frame(figures);
    this.pinned.frame(figures, Boolean(frame.graph));
  }

  #showText() {
    const { frame, picture } = this;
    if (!frame) return;
    const trained = frame.trains ? picture : null;
    this.#showNotes();
    setText(this.status, trained ? trained.status : frame.status);
    const numbers = trained ? { ...frame.numbers, ...trained.numbers } : frame.numbers;
    this.pageParts.show(numbers, frame.code, frame.query);
  }

  #showTable() {
    clearTimeout(this.tabling);
    this.tabling = 0;
    const { frame, picture } = this;
    if (!frame) return;
    const trained = frame.trains ? picture : null;
    const table = trained ? trained.table : frame.table;
    this.table.show(table);
    // A training's own table has none of the graph's numbers.
    this.linked.show(frame.graph, table, !trained);
  }

  /** All that there is, drawn. @param {boolean} newest */
  #show(newest) {
    const { frame, picture } = this;
    if (!frame) return;
    const trained = frame.trains ? picture : null;
    this.#showCharts();
    this.graph.show(frame.graph && { ...frame.graph, graphStep: this.graphStep }, this.reset, newest);
    this.outline.show(this.place.show);
    this.trainer.offer(this.#emptyChart());
    this.goals.show(frame.goals, newest && this.flow.resting, frame.accepted);
    this.root.classList.toggle("gl-old", !frame.accepted && frame.figures.length > 0);
    this.#showKey(trained ? [] : frame.key);
    this.#showText();
    if (newest && this.rests) this.#rest();
    if (newest && this.flow.resting) this.#showAddress();
    this.#draw();
    this.#showTable();
  }

  /** The chart that the text speaks of, while there is no line in it. */
  #emptyChart() {
    const { part } = this.outline;
    const spec = this.charts.specs.get(part?.getAttribute("data-figure") ?? "");
    const isPoint = (/** @type {ArrayLike<unknown>} */ x = []) =>
      Array.prototype.every.call(x, (one) => one === x[0] || Number.isNaN(one));
    return spec?.figure?.data.every(({ x }) => isPoint(x)) ? part : null;
  }

  /** The server's canonical query, and the step of the backward pass, which only we know. */
  #showAddress() {
    const query = this.frame?.query ?? "";
    const step = this.frame?.graph ? this.graph.graphStep : null;
    const whole = step === null || !query ? query : `${query}&at=${step}`;
    this.#keep(whole);
    showAddress(whole);
  }

  /** For who comes back to this lab in this tab. @param {string} query */
  #keep(query) {
    const { cuts, done, undo } = this;
    const form = { ...this.form, ...this.controls.values() };
    keep(this.place.lab, { form, cuts, graphStep: this.frame?.graph ? this.graph.graphStep : null, done, query, undo });
  }

  #repaint() {
    if (!this.palette.refresh()) return;
    this.recoloured = true;
    this.#draw();
  }

  /** What is in sight now; the rest once the hand and the server give it time. */
  #draw() {
    if (!this.whole && needWhole(this.charts.specs.values())) {
      this.whole = true;
      this.Plotly = null;
      this.#load();
    }
    if (!this.Plotly || !this.charts.framed) return;
    const { root, seq } = this;
    const { Plotly, recoloured } = this;
    const rests = this.trainer.runs ? null : Boolean(this.frame?.settled && this.flow.resting);
    const rest = this.drawings.map((charts) => charts.draw(Plotly, recoloured, rests)).some(Boolean);
    this.recoloured = false;
    this.linked.hear();
    root.dataset.seq = String(seq);
    if (!root.dataset.ready) dropFirst();
    root.dataset.ready = "true";
    clearTimeout(this.later);
    const { dataset } = root;
    if (rest && dataset.whole) this.later = setTimeout(() => this.#drawSpace(), A_FRAME);
    else if (rest) this.later = setTimeout(() => this.#drawRest(), 0);
    else dataset.caughtUp = String(seq);
    if (this.charts.areAllShown()) dataset.whole = String(seq);
  }

  /** Once the others are painted, and unless the hand is already further: charts in space. */
  #drawSpace() {
    const drawn = this.flow.isQuiet() && this.charts.drawSpace();
    if (drawn && this.charts.areAllShown()) this.root.dataset.whole = String(this.seq);
    this.later = setTimeout(() => this.#drawRest(), QUIET);
  }

  #drawRest() {
    if (!this.flow.isQuiet() || this.trainer.runs) {
      // The next answer comes by here again; a training's pictures leave no quiet moment.
      if (this.trainer.runs) this.charts.drawUnseen();
      return;
    }
    this.charts.drawRest();
    this.pinned.drawRest();
    this.root.dataset.whole = this.root.dataset.caughtUp = String(this.seq);
  }

  #showNotes() {
    /** @type {NoteSpec[]} */
    const noted = this.place.note ? [{ level: "warning", text: this.place.note }] : [];
    const trained = (this.frame?.trains && this.picture?.notes) || [];
    const notes = [...this.chartless, ...this.asides, ...noted, ...(this.frame?.notes ?? []), ...trained];
    const text = JSON.stringify(notes);
    if (text === this.noted) return;
    this.noted = text;
    setChildren(
      this.notes,
      notes.map((note) => element("p", "gl-note", { "data-level": note.level }, note.text)),
    );
  }

  /** @param {import("./messages.d.ts").KeyEntry[]} entries */
  #showKey(entries) {
    const text = JSON.stringify(entries);
    if (text === this.keyed) return;
    this.keyed = text;
    setChildren(this.key, keyOf(entries, this.linked.kept));
  }

  stop() {
    if (this.frame) this.#keep(kept(this.place.lab)?.query ?? this.frame.query);
    clearTimeout(this.later);
    clearTimeout(this.waiting);
    clearTimeout(this.holding);
    clearTimeout(this.tabling);
    clearTimeout(this.waking);
    clearTimeout(this.telling);
    if (this.broken) tab.stay();
    this.stays.disconnect();
    this.line.stop();
    this.flow.stop();
    this.controls.stop();
    for (const charts of this.drawings) charts.stop();
    this.graph.stop();
    this.linked.stop();
    this.outline.stop();
    this.pageParts.stop();
    this.numbers.stop();
    this.share.stop();
    this.scheme.removeEventListener("change", this.repaint);
  }
}

/**
 * At once: should the server go before the lab has answered, the address is what is left.
 * @param {number} step
 */
function showStep(step) {
  const search = location.search.replace(/([?&]step=)[^&]*/, `$1${step}`);
  if (search !== location.search) history.replaceState(history.state, "", location.pathname + search + location.hash);
}

/**
 * Replaced, never added: the Back button leaves the page instead of replaying a drag.
 * @param {string} query
 */
function showAddress(query) {
  // Inside a teacher's page the address also says that it may be there.
  const words = new URLSearchParams(location.search);
  const frame = ["embed", "embed_options", "only"].flatMap((name) => words.getAll(name).map((value) => `${name}=${value}`));
  const whole = [query, ...frame].filter(Boolean).join("&");
  const search = whole ? `?${whole}` : "";
  if (search === location.search) return;
  history.replaceState(history.state, "", location.pathname + search + location.hash);
}
