// The live lab's entry, for pages/ui/live/__init__.py: Streamlit calls `render` whenever its page was
// drawn, with what the page wants of the lab. Everything else, each drag and each picture, goes over the
// lab's own socket: the lab says what it wants when something was set, and has the view show the answer.

import { showAddress } from "./page/address_bar.js";
import { goToStep, goToVerdict } from "./page/verdict.js";
import { phrase } from "./phrase.js";
import { Flow } from "./state/flow.js";
import { Undo } from "./state/undo.js";
import { Wish, sameSetting } from "./state/wish.js";
import { View } from "./view.js";
import { LabSocket } from "./wire/socket.js";

/** @import { Aside, Frame, Picture } from "./messages.d.ts" */
/** @import { Component } from "../component.d.ts" */
/** @import { Order, Place } from "./place.d.ts" */

const MOST_ORDERS = 200; // orders that are remembered as done
const NOTE_AFTER = 1000; // ms without a socket before a note says so: most breaks are shorter
const MOST_TOUCHED = 16; // controls that the server reads, as pages/labs/messages.py has it

/**
 * The state of a lab that the learner left in this tab, restored when they return. Nothing of it reaches
 * the server.
 * @typedef {Object} Left
 * @property {Record<string, string>} form
 * @property {string} cuts
 * @property {?number} graphStep
 * @property {string[]} done  the orders of the page that were carried out
 * @property {Undo} undo
 */

/** @type {Map<string, Left>} */
const labsLeft = new Map();
/** @type {WeakMap<Element, Lab>} */
const labs = new WeakMap();
let quizzed = false; // whether the last lab was that of a question in a quiz, and the learner answered it

/**
 * @param {Component<Place>} component
 * @returns {() => void} clean-up, for when the lab has left the page
 */
export function render({ data, parentElement, setTriggerValue }) {
  const root = /** @type {HTMLElement} */ (parentElement.querySelector(".gl-lab"));
  let lab = labs.get(root);
  if (!lab) labs.set(root, (lab = new Lab(root, data)));
  lab.tell = (given) => setTriggerValue("reached", given);
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
    this.place = place;
    if (quizzed && this.#apart) goToStep();
    quizzed = false;
    const before = labsLeft.get(place.name);
    this.done = before?.done ?? []; // orders that were carried out
    this.wish = new Wish(before);
    /** @type {?number} */
    this.graphStep = before?.graphStep ?? null; // the step of the backward pass that was asked for
    this.undo = before?.undo ?? new Undo();
    this.reset = 0; // counts how often the controls were set from here
    this.forced = before ? 1 : 0; // the first answer whose values the controls must take; 0: none
    /** @type {?Frame} */
    this.frame = null;
    /** @type {?Picture} */
    this.picture = null; // the last one of its training
    this.noting = 0; // a timer
    this.rests = false; // the hand came to rest on what was asked, and the answer may be a preview
    /** @type {(given: Record<string, string>) => void} */
    this.tell = () => {}; // the page, that the goal is reached

    this.flow = new Flow(
      (seq, moving) => this.#send(seq, moving),
      (busy) => root.setAttribute("aria-busy", String(busy)),
    );
    this.view = new View(root, place.lab, {
      changed: (moving) => this.#changed(moving),
      went: (word) => this.#went(word),
      trained: () => this.#train(),
      cut: () => this.#cut(),
      walked: () => this.#showAddress(),
      opened: () => this.flow.offer(false),
      uncovered: () => {
        this.wish.uncovered = true;
        this.flow.offer(false);
      },
    });
    this.view.notes.page = place.note;
    this.controls = this.view.controls;
    this.graph = this.view.graph;
    this.trainer = this.view.trainer;
    this.socket = new LabSocket(place.socket, {
      opened: () => this.#opened(),
      frame: (seq, frame) => this.#take(seq, frame),
      picture: (picture) => this.#watch(picture),
      aside: (aside) => this.#hear(aside),
      lost: () => this.#lost(),
    });
    for (const text of before ? [] : (place.first ?? [])) this.socket.read(text);
  }

  /** The page was drawn: at another step perhaps, or with something to set. @param {Place} place */
  placed(place) {
    const before = this.place;
    this.place = place;
    const { asked } = this.wish;
    if (place.step !== before.step) this.wish.uncovered = false;
    this.view.repaint();
    let obeyed = false;
    for (const order of place.orders) obeyed = this.#obey(order) || obeyed;
    if (place.note !== before.note) this.view.notes.page = place.note;
    this.view.showNotes();
    const same = ["step", "answers", "hide", "fix", "goal"].every(
      (name) => String(Reflect.get(place, name)) === String(Reflect.get(before, name)),
    );
    const over = before.goal && !place.goal; // a task
    if (this.#apart && (over || place.answers.length > before.answers.length)) {
      quizzed = true;
      goToVerdict();
    }
    // All orders in one wish: the page passes through none of the settings in between.
    if (!asked || !same || obeyed) this.flow.offer(false);
    else this.view.pageParts.refresh();
  }

  stop() {
    if (this.frame) this.#keep();
    clearTimeout(this.noting);
    this.socket.stop();
    this.flow.stop();
    this.view.stop();
  }

  /** @param {Order} order  @returns {boolean} whether it set anything */
  #obey({ id, first, values, cuts, graph_step }) {
    if (this.done.includes(id)) return false;
    const newer = first && this.done.length > 0; // what this tab has
    this.done = [...this.done, id].slice(-MOST_ORDERS);
    if (newer) return false;
    const now = { ...this.wish.form, ...this.controls.values() };
    const set = Object.keys(values).filter((name) => !sameSetting(values[name], now[name] ?? ""));
    if ((cuts ?? this.wish.cuts) !== this.wish.cuts) set.push("cuts");
    const trained = this.frame?.trained ?? set; // what is only looked at leaves a run as it is
    if (set.some((name) => trained.includes(name))) this.trainer.rest();
    this.#set({ values, cuts, graph_step });
    return true;
  }

  /** Set the lab from here; the caller then offers the wish. @param {Pick<Order, "values" | "cuts" | "graph_step">} what */
  #set({ values, cuts, graph_step }) {
    const { wish } = this;
    this.reset += 1;
    this.forced = this.flow.seq + 1;
    wish.form = { ...wish.form, ...values };
    wish.cuts = cuts ?? wish.cuts;
    this.graphStep = graph_step;
    this.controls.set(values);
    this.view.notes.asides = [];
  }

  /** Something was set. @param {boolean} moving */
  #changed(moving) {
    this.view.notes.page = "";
    const { trick } = this.wish.form;
    this.wish.form = { ...this.wish.form, ...this.controls.values() };
    if (this.wish.form.trick !== trick) this.#comeBack(this.wish.form.trick);
    // Resting on what was sent already asks nothing of the server, unless that was a preview. In the
    // playground a wish at rest brings a step for undo.
    this.rests = !moving && !this.#playing && this.wish.isAsked(this.place);
    if (!this.rests) this.flow.offer(moving);
    else if (this.flow.isQuiet()) this.#rest();
  }

  /** Restore a trick's settings as they were left; the inputs, which all tricks share, stay. @param {string} trick */
  #comeBack(trick) {
    const left = this.undo.past.filter((one) => one.trick === trick).at(-1);
    if (!left) return;
    const own = Object.entries(left).filter(([name]) => !/^(in\.x|point|device|dtype)/.test(name));
    this.#set({ values: Object.fromEntries(own), cuts: null, graph_step: null });
  }

  /** The hand rests and the newest answer is here: unless that is a preview, all is done. */
  #rest() {
    this.rests = false;
    if (!this.frame?.settled) this.flow.offer(false);
    else {
      this.flow.resting = true;
      this.#showAddress();
    }
  }

  /** Undo or redo. @param {"undo"|"redo"} word */
  #went(word) {
    const { shown } = this.undo;
    if (shown && (this.controls.unsettled || !this.flow.isQuiet())) {
      // What was set a moment ago, and has no answer at rest yet, is a step as well.
      const typed = { ...this.wish.form, ...this.controls.values() };
      const names = Object.keys(shown);
      const form = Object.fromEntries(names.map((name) => [name, typed[name] ?? shown[name]]));
      this.undo.remember(this.#pasted(typed.program) ?? form);
    }
    const form = this.undo.go(word);
    if (!form) return;
    if (Object.keys(form).length > 1) {
      this.#set({ values: form, cuts: null, graph_step: null });
      this.flow.offer(false);
    } else this.controls.known.get("program")?.field.write?.(form.program);
    this.#allow();
  }

  #allow() {
    const { past, future } = this.undo;
    this.controls.allow({ undo: past.length > 0, redo: future.length > 0 });
  }

  /**
   * The undo step for code that the learner has pasted; null for a program. It holds the code alone, which
   * undo brings back as it was before the playground translated it.
   * @param {string | undefined} text
   */
  #pasted(text) {
    return text && this.controls.since.has("program") && !/^show\b/m.test(text) ? { program: text } : null;
  }

  #cut() {
    if (this.frame?.graph?.scissors === "snip") this.wish.snip = this.graph.snip ?? "";
    else this.wish.cuts = [...this.graph.cuts].sort().join(",");
    this.view.notes.page = "";
    this.flow.offer(false);
  }

  #train() {
    this.view.notes.asides = [];
    this.view.showNotes();
    this.socket.send(`${this.flow.seq} train ${this.#asking(false)}\n${this.trainer.wish()}`);
  }

  /** Whether a page holds it apart from its lesson, as a quiz does. */
  get #apart() {
    return this.place.name !== this.place.lab;
  }

  /** Whether what is set belongs together, so that undo goes over it and the order in which it was set counts. */
  get #playing() {
    return ["playground", "bench"].includes(this.place.lab);
  }

  /** The wish as text. @param {boolean} moving */
  #asking(moving) {
    const touched = this.#playing ? [...this.controls.since].slice(-MOST_TOUCHED) : [];
    return this.wish.text(this.place, moving, touched, this.view.views.open);
  }

  /** @param {number} seq  @param {boolean} moving */
  #send(seq, moving) {
    const wish = this.#asking(moving);
    this.wish.sent(seq, this.place);
    const training = this.trainer.shown ? `\n${this.trainer.wish()}` : "";
    this.socket.expect();
    this.socket.send(`${seq} ask ${wish}${training}`);
  }

  #opened() {
    this.view.notes.asides = [];
    this.view.showNotes();
    this.flow.begin();
    clearTimeout(this.noting);
    this.noting = 0;
  }

  #lost() {
    this.noting ||= setTimeout(() => this.#say("warning", phrase("connection_lost")), NOTE_AFTER);
    this.flow.lose();
  }

  /** Instead of an answer, or beside it. @param {Aside} aside */
  #hear({ seq, kind, text = "" }) {
    if (kind === "failed") {
      this.trainer.fail();
      this.#say("error", text);
      if (!this.picture) this.#show(true);
      return;
    }
    const newest = this.flow.isNewest(seq);
    this.flow.answered(seq);
    if (newest) this.wish.refused = true; // a hand that sets the same asks once more; a page does not
    if (kind === "refused") {
      this.wish.snip = this.graph.snip = "";
      this.#say("error", text);
    } else if (newest) {
      this.wish.good = this.frame?.form ?? {};
      this.flow.offer(!this.flow.resting);
    }
  }

  /** @param {import("./messages.d.ts").NoteSpec["level"]} level  @param {string} text */
  #say(level, text) {
    this.view.notes.asides = [{ level, text }];
    this.view.showNotes();
  }

  /** An answer. @param {number} seq  @param {Frame} frame */
  #take(seq, frame) {
    if (seq < this.flow.answeredSeq) return;
    const { flow, trainer, undo, view, wish } = this;
    const newest = flow.isNewest(seq);
    // Before drawing: the server works on the next value while this one is drawn.
    flow.answered(seq);
    view.notes.asides = [];
    const before = this.frame;
    this.frame = frame;
    view.seq = seq;
    const forced = Boolean(this.forced) && seq >= this.forced;
    if (forced) this.forced = 0;
    if (newest) {
      const program = frame.form.program ?? "";
      this.graph.tell((wish.snip && before?.form.program) || program, program);
      const pasted = this.#pasted(wish.form.program);
      wish.answered(seq, frame, before);
      this.graph.snip = wish.snip;
      this.controls.since.clear();
      if (pasted && frame.accepted) undo.remember(pasted);
    }
    if (newest && flow.resting && this.#playing) undo.remember(frame.form);
    this.controls.show(frame.groups, forced, newest);
    this.#allow();
    const trains = frame.trained.length > 0;
    if (trains && !trainer.shown) {
      trainer.shown = true;
      this.#train();
    }
    if (!trains || this.picture) this.#show(newest); // else with the picture, so that nothing moves twice
  }

  /** Show a training's picture. @param {Picture} picture */
  #watch(picture) {
    const first = !this.picture;
    this.picture = picture;
    this.trainer.show(picture.training);
    this.#show(first && this.flow.resting);
    this.socket.send("0 taken");
    if (this.trainer.goesOn) this.socket.expect();
  }

  /** Show the frame and the training's picture. @param {boolean} newest */
  #show(newest) {
    const { frame, place, graphStep, reset } = this;
    if (!frame) return;
    const { resting } = this.flow;
    const picture = frame.trained.length ? this.picture : null;
    this.view.show(frame, picture, { place, graphStep, reset, newest, resting });
    if (newest && this.rests) this.#rest();
    if (newest && this.flow.resting) this.#showAddress();
  }

  /**
   * The server's canonical query, and the step of the backward pass, which only we know. A page that
   * holds the lab apart has an address of its own, and hears when the goal is reached.
   */
  #showAddress() {
    const query = this.frame?.query ?? "";
    const step = this.#keep();
    if (this.place.goal && this.frame?.turn) this.tell({ ...this.frame.form, cuts: this.wish.cuts });
    if (this.#apart || this.place.looks_back) return;
    showAddress(step === null || !query ? query : `${query}&at=${step}`);
  }

  /** Keep the lab's state for a learner who returns to it in this tab. @returns the step of the backward pass, if there is one */
  #keep() {
    const { done, undo, wish, graph } = this;
    const form = { ...wish.form, ...this.controls.values() };
    const graphStep = this.frame?.graph ? graph.graphStep : null;
    labsLeft.set(this.place.name, { form, cuts: wish.cuts, graphStep, done, undo });
    return graphStep;
  }
}
