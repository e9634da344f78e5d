// One control each: a slider with its exact number or with two handles, a number, a text, a choice, a
// select. A field shows what it is told and says when the learner changes it; what that leads to is not
// its matter.

import { button, element, setOrRemove, setText } from "../dom.js";
import { actions, code } from "./editor.js";
import { gallery } from "./gallery.js";
import { interval } from "./interval.js";
import { nearest, rounded, withEntry } from "./scale.js";
import { slider } from "./slider.js";
import { typed } from "./typing.js";

/** @import { Control, Option } from "../messages.d.ts" */

/**
 * @typedef {Object} Field
 * @property {HTMLElement} root
 * @property {() => string} get          what the control says now
 * @property {(text: string) => void} set
 * @property {(spec: Control) => void} describe  take over label, bounds, options, error
 * @property {(text: string) => void} [write]  as the learner would, who has yet to run it
 * @property {(which: Record<string, boolean>) => void} [allow]  of buttons: which may be pressed
 * @property {(value: number, unit: number, entry?: number) => string} [near]  what it would say of a
 *   number that is dragged, an entry of a list perhaps, with `unit` to a pixel
 */

/**
 * "moving": a value under the hand · "typing": half a text · "editing": half a program, which
 * waits · "left": typing has ended · "done": chosen in one go · "undo", "redo": a button ·
 * "opened": it needs its options, "closed": it has them
 * @typedef {"moving"|"typing"|"editing"|"left"|"done"|"undo"|"redo"|"opened"|"closed"} What
 * @typedef {(what: What) => void} Notify
 */

/**
 * The part of a field that differs by its kind.
 * @typedef {Omit<Field, "root"> & {
 *   nodes: () => (HTMLInputElement|HTMLTextAreaElement|HTMLSelectElement|HTMLButtonElement)[]}} Input
 * @typedef {ReturnType<typeof makeShell>} Shell
 * @typedef {(spec: Control, id: string, notify: Notify, shell: Shell) => Input} MakeInput
 */

/** @type {Record<Control["kind"], MakeInput>} */
const FIELDS = { slider, interval, integer: text, text, choice, select, code, actions, gallery };
const SEEDS = 10_000; // seeds that a button draws from
const GROUPS = ["choice", "actions"]; // several controls under one label

let ids = 0;

/**
 * @param {Control} spec
 * @param {Notify} notify
 * @returns {Field}
 */
export function makeField(spec, notify) {
  const id = `gl-${++ids}`;
  const shell = makeShell(spec, id);
  const input = FIELDS[spec.kind](spec, id, notify, shell);
  return {
    ...input,
    root: shell.root,
    describe(next) {
      input.describe(next);
      shell.describe(next);
      for (const node of input.nodes()) {
        const described = [next.help && `${id}-help`, next.error && `${id}-error`].filter(Boolean);
        setOrRemove(node, "aria-describedby", described.join(" "));
        node.disabled = Boolean(next.disabled);
        // A radio cannot be invalid by itself; the group is, and says so through its description.
        if (!GROUPS.includes(spec.kind)) setOrRemove(node, "aria-invalid", next.error && "true");
      }
    },
  };
}

/**
 * What every control has: a label, a help line, a place for the error.
 * @param {Control} spec
 * @param {string} id
 */
function makeShell(spec, id) {
  const group = GROUPS.includes(spec.kind);
  const label = group
    ? element("legend", "gl-label")
    : element("label", "gl-label", { for: id });
  const body = element("div", "gl-body");
  const help = element("p", "gl-help", { id: `${id}-help` });
  const error = element("p", "gl-error", { id: `${id}-error`, role: "alert" });
  const root = element(group ? "fieldset" : "div", `gl-control gl-${spec.kind}`, {
    "data-control": spec.name,
  });
  root.append(label, body, help, error);
  return {
    root,
    body,
    help,
    describe(/** @type {Control} */ next) {
      setText(label, next.label);
      setText(help, next.help ?? "");
      setText(error, next.error ?? "");
      root.hidden = Boolean(next.hidden);
      root.classList.toggle("gl-invalid", Boolean(next.error));
    },
  };
}

/** @type {MakeInput} */
function text(spec, id, notify, { body }) {
  let range = spec;
  const input = element("input", "gl-field", { type: "text", id, autocomplete: "off" });
  const draw = () => {
    input.value = String(Math.floor(Math.random() * SEEDS));
    notify("done");
  };
  const buttons = spec.button ? [button(spec.button, draw)] : [];
  body.append(input, ...buttons);
  typed(input, notify, { range: () => (spec.kind === "integer" ? range : null) });
  return {
    get: () => input.value,
    set: (value) => {
      input.value = value;
    },
    near: (value, unit, entry) =>
      spec.kind === "integer" ? nearest(range, value) : withEntry(input.value, entry ?? 0, rounded(value, unit)),
    nodes: () => [input, ...buttons],
    describe(next) {
      range = next;
      input.spellcheck = false;
      const natural = next.min !== undefined && next.min >= 0;
      if (spec.kind === "integer") input.inputMode = natural ? "numeric" : "text";
      setOrRemove(input, "placeholder", next.placeholder);
    },
  };
}

/** @type {MakeInput} */
function choice(spec, id, notify, { body }) {
  /** @type {HTMLInputElement[]} */
  let radios = [];
  const fill = choices(spec, (options) => {
    const chosen = radios.find((radio) => radio.checked)?.value;
    radios = options.map(({ value }) =>
      element("input", "gl-radio", { type: "radio", name: id, value }),
    );
    for (const radio of radios) radio.checked = radio.value === chosen; // the same option may have a new label
    body.replaceChildren(
      ...options.map(({ label }, index) =>
        element("label", "gl-option", {}, radios[index], element("span", "", {}, label)),
      ),
    );
  });
  body.addEventListener("change", () => notify("done"));
  return {
    get: () => radios.find((radio) => radio.checked)?.value ?? "",
    set: (value) => {
      for (const radio of radios) radio.checked = radio.value === value;
    },
    nodes: () => radios,
    describe: fill,
  };
}

/** @type {MakeInput} */
function select(spec, id, notify, { body }) {
  const list = element("select", "gl-field", { id });
  body.append(list);
  const fill = choices(spec, (options) => {
    const { value: chosen } = list;
    list.replaceChildren();
    for (const { value, label } of options) list.append(element("option", "", { value }, label));
    // With other words for them the options are the same: an answer that comes too late sets nothing.
    if (options.some(({ value }) => value === chosen)) list.value = chosen;
  });
  list.addEventListener("change", () => notify("done"));
  return {
    get: () => list.value,
    set: (value) => {
      list.value = value;
    },
    nodes: () => [list],
    describe: fill,
  };
}

/**
 * Calls `fill` now and whenever the options differ, so that an unchanged list is left alone.
 * @param {Control} spec
 * @param {(options: Option[]) => void} fill
 */
function choices(spec, fill) {
  let known = "";
  const describe = (/** @type {Control} */ next) => {
    const options = next.options ?? [];
    const text = JSON.stringify(options);
    if (text === known) return;
    known = text;
    fill(options);
  };
  describe(spec);
  return describe;
}
