// A list over the page to choose from, under headings. Each option has a sentence.
// They come when the list is opened first.

import { element, setText } from "../dom.js";
import { phrase } from "../phrase.js";

/** @import { Option } from "../messages.d.ts" */

/**
 * One of the inputs that `makeField` in fields.js puts into a control.
 * @type {import("./fields.js").MakeInput}
 */
export function gallery(spec, id, notify, { body, help }) {
  /** @type {Option[]} */
  let options = [];
  let value = "";
  const opener = element("button", "gl-field", { type: "button", id, popovertarget: `${id}-list` });
  const groups = element("div", "gl-groups", { role: "radiogroup", "aria-label": spec.label });
  const list = element("ul", "gl-presets");
  const close = element("button", "gl-button", { type: "button", popovertarget: `${id}-list` }, phrase("close"));
  const panel = element("div", "gl-gallery-list", { popover: "", id: `${id}-list`, role: "dialog", "aria-label": spec.label });
  panel.append(groups, list, close);
  body.append(opener, panel);

  const show = () => {
    const chosen = /** @type {?HTMLInputElement} */ (groups.querySelector(":checked"))?.value;
    const found = options.filter(({ group }) => !group || group === chosen);
    list.replaceChildren(...found.map((one) => element("li", "", {}, choose(one))));
    list.scrollTop = 0;
  };
  /** @param {Option} option */
  function choose(option) {
    const title = element("strong", "", {}, option.label);
    const made = element("button", "gl-preset", { type: "button" }, title, ` ${option.help}`);
    if (option.value === value) made.setAttribute("aria-current", "true");
    made.addEventListener("click", () => {
      ({ value } = option);
      panel.hidePopover();
      notify("done");
    });
    return made;
  }
  /** The headings; the first open one is that of the option that was chosen last. */
  const fill = () => {
    const now = options.find((one) => one.value === value)?.group || options[0].group;
    const names = [...new Set(options.map(({ group }) => group))].filter(Boolean);
    groups.replaceChildren(
      ...names.map((name = "") => {
        const radio = element("input", "gl-radio", { type: "radio", name: `${id}-group`, value: name });
        radio.checked = name === now;
        return element("label", "gl-option", {}, radio, element("span", "", {}, name));
      }),
    );
    show();
    /** @type {?HTMLElement} */ (groups.querySelector(":checked"))?.focus();
  };
  groups.addEventListener("change", show);
  panel.addEventListener("toggle", ({ newState }) => {
    if (newState !== "open") return;
    if (options.length) fill();
    else notify("opened");
  });

  return {
    get: () => value,
    set: (name) => {
      value = name;
    },
    nodes: () => [opener],
    describe(next) {
      setText(opener, next.placeholder);
      // An edit of what was chosen is none of them: what it says instead takes as much room.
      help.style.minHeight = next.value ? "" : `${help.getBoundingClientRect().height}px`;
      if (!next.options?.length || options.length) return;
      options = next.options;
      fill();
      notify("closed");
    },
  };
}
