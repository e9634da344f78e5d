// One control each: a slider with its exact number, a number, a text, a choice, a select. A field
// shows what it is told and says when the learner changes it; what that leads to is not its matter.

import { element, setOrRemove, setText } from "./dom.js";
import { actions, code } from "./editor.js";
import { slider } from "./slider.js";
import { step, typed } from "./typing.js";

/**
 * @typedef {Object} Field
 * @property {HTMLElement} root
 * @property {() => string} get          what the control says now
 * @property {(text: string) => void} set
 * @property {(spec: any) => void} describe  take over label, bounds, options, error
 *
 * @callback Tell  "moving": a value under the hand · "typing": half a text · "editing": half a
 *                 program, which waits · "left": typing has ended · "done": chosen in one go
 * @param {"moving"|"typing"|"editing"|"left"|"done"} what
 */

const FIELDS = { slider, integer: text, text, choice, select, code, actions };
const GROUPS = ["choice", "actions"]; // several controls under one label

let ids = 0;

/** @param {any} spec  @param {Tell} tell  @returns {Field} */
export function makeField(spec, tell) {
  const id = `gl-${++ids}`;
  const shell = makeShell(spec, id);
  const input = FIELDS[spec.kind](spec, id, tell, shell);
  return {
    root: shell.root,
    get: input.get,
    set: input.set,
    describe(next) {
      shell.describe(next);
      input.describe?.(next);
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

/** What every control has: a label, a help line, a place for the error. */
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
    describe(next) {
      setText(label, next.label);
      setText(help, next.help ?? "");
      setText(error, next.error ?? "");
      root.hidden = Boolean(next.hidden);
      root.classList.toggle("gl-invalid", Boolean(next.error));
    },
  };
}

function text(spec, id, tell, { body }) {
  let range = spec;
  const input = element("input", "gl-field", { type: "text", id, autocomplete: "off" });
  body.append(input);
  // What may be chosen as well as typed; the browser offers what fits.
  const list = element("datalist", "", { id: `${id}-offers` });
  const offer = choices({}, (options) => {
    list.replaceChildren(
      ...options.map(({ value, label }) => element("option", "", { value, label })),
    );
    if (options.length) body.append(list);
    setOrRemove(input, "list", options.length ? list.id : "");
  });
  const take = (value, what) => {
    input.value = value;
    tell(what);
  };
  const stepping = (steps) => step(input, range, steps, take);
  typed(input, tell, { step: spec.kind === "integer" ? stepping : null });
  return {
    get: () => input.value,
    set: (value) => {
      input.value = value;
    },
    nodes: () => [input],
    describe(next) {
      range = next;
      input.spellcheck = false;
      if (spec.kind === "integer") input.inputMode = next.min >= 0 ? "numeric" : "text";
      setOrRemove(input, "placeholder", next.placeholder);
      offer(next);
    },
  };
}

function choice(spec, id, tell, { body }) {
  let radios = [];
  const fill = choices(spec, (options) => {
    radios = options.map(({ value }) =>
      element("input", "gl-radio", { type: "radio", name: id, value }),
    );
    body.replaceChildren(
      ...options.map(({ label }, index) =>
        element("label", "gl-option", {}, radios[index], element("span", "", {}, label)),
      ),
    );
  });
  body.addEventListener("change", () => tell("done"));
  return {
    get: () => radios.find((radio) => radio.checked)?.value ?? "",
    set: (value) => {
      for (const radio of radios) radio.checked = radio.value === value;
    },
    nodes: () => radios,
    describe: fill,
  };
}

function select(spec, id, tell, { body }) {
  const list = element("select", "gl-field", { id });
  body.append(list);
  const fill = choices(spec, (options) => {
    list.replaceChildren(
      ...options.map(({ value, label }) => element("option", "", { value }, label)),
    );
  });
  list.addEventListener("change", () => tell("done"));
  return {
    get: () => list.value,
    set: (value) => {
      list.value = value;
    },
    nodes: () => [list],
    describe: fill,
  };
}

/** Calls `fill` now and whenever the options differ, so that an unchanged list is left alone. */
function choices(spec, fill) {
  let known = "";
  const describe = (next) => {
    const options = next.options ?? [];
    const text = JSON.stringify(options);
    if (text === known) return;
    known = text;
    fill(options);
  };
  describe(spec);
  return describe;
}
