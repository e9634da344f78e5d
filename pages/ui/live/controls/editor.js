// A program's field: several lines, their numbers beside them, and a mark where an error is. What
// is typed counts once the learner says so: Ctrl or Cmd with Enter, the button, or leaving.

import { button, element } from "../dom.js";
import { phrase } from "../phrase.js";

const LEAST_LINES = 5;
const MOST_LINES = 18;

/** A program without its numbers, which a slider moves. @param {string} text */
const wordsOf = (text) => text.replace(/[-\d.]+/g, "");

/**
 * One of the inputs that `makeField` in fields.js puts into a control.
 * @type {import("./fields.js").MakeInput}
 */
export function code(spec, id, notify, { body }) {
  const numbers = element("div", "gl-numbers", { "aria-hidden": "true" });
  const mark = element("div", "gl-caret", { "aria-hidden": "true" });
  const area = element("textarea", "gl-code", {
    id,
    spellcheck: "false",
    autocapitalize: "off",
    autocomplete: "off",
    wrap: "off",
  });
  const run = button(phrase("run"), () => apply());
  const sheet = element("div", "gl-sheet", {}, numbers, area, mark);
  const see = button(phrase("computed_below"), () => look(), { class: "gl-button gl-ran", hidden: "" });
  const feet = element("div", "gl-feet", { role: "status" }, see, run);
  body.append(sheet, feet);
  let applied = "";
  let waits = false; // for the answer to what was run
  /** @type {?number[]} */
  let marked = null; // line and column of the error, from 1

  const follow = () => {
    const count = area.value.split("\n").length;
    area.rows = Math.min(Math.max(count, LEAST_LINES), MOST_LINES);
    numbers.replaceChildren(
      ...Array.from({ length: count }, (_, index) => {
        const wrong = marked && marked[0] === index + 1;
        return element("div", wrong ? "gl-wrong" : "", {}, String(index + 1));
      }),
    );
    const edited = area.value !== applied;
    run.disabled = !edited;
    mark.hidden = !marked || edited; // once edited, it no longer points at what it meant
    place();
  };
  const place = () => {
    numbers.style.transform = `translateY(${-area.scrollTop}px)`;
    if (!marked) return;
    mark.style.setProperty("--gl-line", String(marked[0] - 1));
    const column = Math.max(marked[1] - 1, 0);
    mark.style.setProperty("--gl-column", String(column));
    const rest = area.value.split("\n")[marked[0] - 1]?.slice(column) ?? "";
    mark.style.setProperty("--gl-length", String(/^\w+/.exec(rest)?.[0].length ?? 1));
    mark.style.transform = `translate(${-area.scrollLeft}px, ${-area.scrollTop}px)`;
  };
  const stage = () => body.closest(".gl-lab")?.querySelector(".gl-stage");
  const apply = () => {
    waits ||= area.value !== applied;
    applied = area.value;
    follow();
    notify("left");
  };
  const edited = () => {
    notify("editing");
    see.hidden = true;
    follow();
  };
  area.addEventListener("input", edited);
  area.addEventListener("scroll", place);
  area.addEventListener("blur", apply);
  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    apply();
  });
  const look = () => {
    see.hidden = true;
    // The run's notes are above the stage.
    const notes = body.closest(".gl-lab")?.querySelector(".gl-notes");
    (notes?.clientHeight ? notes : stage())?.scrollIntoView();
  };

  return {
    get: () => area.value,
    set: (value) => {
      const moved = wordsOf(value) === wordsOf(area.value);
      area.value = applied = value;
      if (!moved) area.scrollLeft = 0;
      follow();
    },
    write: (value) => {
      area.value = value;
      area.scrollLeft = 0;
      edited();
    },
    nodes: () => [area],
    describe(next) {
      marked = next.mark ?? null;
      if (waits) {
        const top = stage()?.getBoundingClientRect().top ?? 0;
        see.hidden = Boolean(next.error) || top < innerHeight; // in sight one sees it change
        waits = false;
      }
      follow();
    },
  };
}

/**
 * Buttons that ask for something, undo or redo; `allow` says which of them there is anything for.
 * @type {import("./fields.js").MakeInput}
 */
export function actions(spec, id, notify, { body }) {
  const buttons = (spec.options ?? []).map(({ value, label }) => {
    const made = button(label, () => {
      if (made.getAttribute("aria-disabled") !== "true") notify(/** @type {"undo"|"redo"} */ (value));
    });
    made.dataset.does = value;
    return made;
  });
  body.append(...buttons);
  return {
    get: () => "",
    set: () => {},
    nodes: () => buttons,
    describe: () => {},
    allow(which) {
      for (const one of buttons) {
        // Not `disabled`: it keeps the focus.
        const can = which[one.dataset.does ?? ""];
        one.setAttribute("aria-disabled", String(!can));
        one.tabIndex = can ? 0 : -1;
      }
    },
  };
}
