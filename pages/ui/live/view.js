// All that a lab shows, part by part: goals, controls, notes, charts, graph and table, and the marks
// in the page's text.

import { Charts } from "./charts.js";
import { Controls } from "./controls.js";
import { element, setChildren, setText } from "./dom.js";
import { Drawing } from "./drawing.js";
import { giveFirst } from "./first_place.js";
import { Goals } from "./goals.js";
import { Graph } from "./graph.js";
import { keepInSight } from "./head.js";
import { hearKey, keyOf } from "./key.js";
import { Linked } from "./linked.js";
import { Notes } from "./notes.js";
import { NumberHandles } from "./number_handles.js";
import { Outline } from "./outline.js";
import { PACE } from "./pace.js";
import { PageParts } from "./page_parts.js";
import { Palette } from "./palette.js";
import { Pinned, cutChanges, handChanges } from "./pinned.js";
import { Share } from "./share.js";
import { small } from "./small.js";
import { Table } from "./table.js";
import { Trainer } from "./trainer.js";

/** @import { Frame, KeyEntry, Picture } from "./messages.d.ts" */
/** @import { Place } from "./place.d.ts" */

const TABLED = 2 * PACE; // between two tables of a training: its pictures leave little time
const CHARTLESS = "The charts' script could not be loaded. Reload the page to try again.";

/**
 * What the parts tell the lab, and what they ask it.
 * @typedef {Object} Hears
 * @property {(live: boolean) => void} changed  a control was moved
 * @property {(word: "undo"|"redo") => void} went
 * @property {() => void} trained  something else is wanted of the training
 * @property {(names: string[]) => void} reached  goals
 * @property {() => void} cut      an edge of the graph
 * @property {() => void} walked   to another step of the backward pass
 * @property {(step: number) => void} go  to another step of the lesson
 * @property {() => string} document  the playground's
 * @property {() => boolean} isQuiet  nothing is awaited from the server
 * @property {() => boolean} rests    nothing moves, and what is shown is final
 * @property {() => void} seen     the graph has come into sight
 * @property {() => void} noted    there is another note to show
 */

/**
 * How an answer is to be shown.
 * @typedef {Object} Manner
 * @property {Place} place
 * @property {?number} graphStep  that was asked for
 * @property {number} reset   counts how often the controls were set from the page
 * @property {boolean} newest  the answer is to the newest wish
 * @property {boolean} resting  and that was no preview
 */

export class View {
  /** @param {HTMLElement} root  @param {Hears} lab */
  constructor(root, lab) {
    const part = (/** @type {string} */ name, attributes = {}) =>
      element("div", `gl-${name}`, attributes);
    const goals = part("goals", { hidden: "" });
    const controls = part("controls");
    const trainer = part("trainer", { role: "group", "aria-label": "Training" });
    const head = part("head");
    const hand = part("hand");
    head.append(hand, controls, trainer);
    const notes = part("notes", { "aria-live": "polite" });
    const status = part("status");
    const key = part("key", { role: "group", "aria-label": "Lines of the charts" });
    const figures = part("figures");
    const graph = part("graph", { role: "group", "aria-labelledby": "gl-graph-title" });
    const table = part("scroll", { role: "region", tabindex: "0" });
    this.stays = keepInSight(head, root);
    root.replaceChildren(goals, head, notes, status, key, figures, graph, table);

    this.root = root;
    /** @type {?Frame} */
    this.frame = null;
    /** @type {?Picture} */
    this.picture = null; // of the frame's training
    this.tabling = 0;
    this.tabledAt = 0;
    this.status = status;
    this.key = key;
    this.keyed = "";

    this.palette = new Palette(root);
    this.controls = new Controls(controls, lab);
    this.charts = new Charts(figures, this.palette, this.controls);
    giveFirst(this.charts);
    this.share = new Share(this.charts);
    status.after(this.share.root);
    this.goals = new Goals(goals, lab.reached);
    this.table = new Table(table);
    this.graph = new Graph(graph, {
      cut: lab.cut,
      moved: () => {
        lab.walked();
        this.linked.light(this.linked.source);
      },
      looked: (id) => this.linked.light(id === null ? null : { id }),
      seen: lab.seen,
      code: () => this.pageParts.lines("torch"),
    });
    const pinned = (/** @type {HTMLElement} */ box, /** @type {string} */ name) =>
      new Pinned(box, name, this.palette, this.controls, () => this.drawing.draw());
    this.pinned = pinned(this.graph.pinned, "pinned");
    this.hand = pinned(hand, "hand");
    this.notes = new Notes(notes);
    this.trainer = new Trainer(trainer, lab.trained);
    this.drawing = new Drawing(root, this.charts, [this.hand, this.pinned], this.palette, {
      isQuiet: lab.isQuiet,
      trains: () => this.trainer.runs,
      rests: lab.rests,
      drawn: () => this.linked.hear(),
      failed: () => {
        this.notes.chartless = [{ level: "error", text: CHARTLESS }];
        lab.noted();
      },
    });
    this.linked = new Linked(root, () => this.drawing.all.flatMap(({ all }) => [...all.values()]));
    hearKey(key, (role) => this.linked.keep(role));
    this.outline = new Outline(root, { graph, table });
    this.numbers = new NumberHandles(this.controls);
    this.pageParts = new PageParts({
      numbers: this.numbers,
      document: lab.document,
      see: () => this.outline.see(),
      up: () => this.outline.up(),
      go: lab.go,
    });
  }

  /**
   * All that there is, but for what `draw` does.
   * @param {Frame} frame
   * @param {?Picture} picture  of its training
   * @param {Manner} manner
   */
  show(frame, picture, { place, graphStep, reset, newest, resting }) {
    this.frame = frame;
    this.picture = picture;
    this.#frameCharts(frame, place);
    this.graph.show(frame.graph && { ...frame.graph, graphStep }, reset, newest, !resting);
    this.outline.show(place.show);
    this.goals.show(frame.goals, newest && resting, frame.accepted);
    this.root.classList.toggle("gl-old", !frame.accepted && frame.figures.length > 0);
    this.#showKey(picture ? [] : frame.key);
    this.#showText(frame, place);
  }

  /** @param {boolean} resting  whether the hand lies still */
  draw(resting) {
    this.drawing.draw();
    this.#showTableInTime(resting ? 0 : PACE);
  }

  /**
   * What each picture of a training moves: the charts, and the text with them. The table follows.
   * @param {Frame} frame
   * @param {Picture} picture
   * @param {Place} place
   */
  move(frame, picture, place) {
    this.frame = frame;
    this.picture = picture;
    this.#frameCharts(frame, place);
    this.#showText(frame, place);
    this.#showTableInTime(TABLED);
    this.drawing.draw();
  }

  /** @param {Place} place */
  showNotes({ note }) {
    this.notes.show(note, [...(this.frame?.notes ?? []), ...(this.picture?.notes ?? [])]);
  }

  /** The hand came to rest on what is shown. */
  rest() {
    for (const charts of this.drawing.all) charts.rest();
  }

  stop() {
    clearTimeout(this.tabling);
    this.stays.disconnect();
    this.controls.stop();
    this.drawing.stop();
    this.graph.stop();
    this.linked.stop();
    this.outline.stop();
    this.pageParts.stop();
    this.numbers.stop();
    this.share.stop();
  }

  /** @param {Frame} frame  @param {Place} place */
  #frameCharts(frame, { show }) {
    const own = this.charts.kept(frame.figures);
    const others = this.charts.kept(this.picture?.figures ?? []);
    const figures = this.picture?.leads ? [...others, ...own] : [...own, ...others];
    this.charts.frame(figures);
    const copied = frame.graph ? cutChanges(figures) : undefined;
    this.pinned.frame(copied ? [small(copied, "pinned")] : [], copied && this.charts.all.get(copied.id)?.root);
    this.hand.frame(handChanges(figures, show?.name));
  }

  /** @param {Frame} frame  @param {Place} place */
  #showText(frame, place) {
    const { picture } = this;
    this.showNotes(place);
    setText(this.status, picture ? picture.status : frame.status);
    const numbers = picture ? { ...frame.numbers, ...picture.numbers } : frame.numbers;
    this.pageParts.show(numbers, frame.code, frame.query);
  }

  /** @param {number} pace  ms from one to the next */
  #showTableInTime(pace) {
    const wait = this.tabledAt + pace - performance.now();
    if (wait <= 0) this.#showTable();
    else this.tabling ||= setTimeout(() => this.#showTable(), wait);
  }

  #showTable() {
    clearTimeout(this.tabling);
    this.tabling = 0;
    const { frame, picture } = this;
    if (!frame) return;
    const table = picture ? picture.table : frame.table;
    if (this.table.show(table)) this.tabledAt = performance.now();
    // A training's own table has none of the graph's numbers.
    this.linked.show(frame.graph, table, !picture);
  }

  /** @param {KeyEntry[]} entries */
  #showKey(entries) {
    const text = JSON.stringify(entries);
    if (text === this.keyed) return;
    this.keyed = text;
    setChildren(this.key, keyOf(entries, this.linked.kept));
  }
}
