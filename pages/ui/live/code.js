// The program as code, in a drawer: one pane at a time, and files to take away.

import { button, element, save, setChildren } from "./dom.js";
import { phrase } from "./phrase.js";
import { equal } from "./state/equal.js";

/** @import { Code } from "./messages.d.ts" */

export class CodeView {
  /** @param {HTMLElement} box */
  constructor(box) {
    /** @type {Code} */
    this.code = { panes: {}, files: {} };
    this.chosen = "";
    this.names = element("div", "gl-buttons", { role: "group", "aria-label": phrase("which_code") });
    this.lines = element("code", "");
    this.pane = element("pre", "gt-code", { tabindex: "0", role: "region" }, this.lines);
    this.links = element("p", "gl-buttons");
    box.append(this.names, this.pane, this.links);
  }

  /** @param {?Code} code */
  show(code) {
    if (!code) return;
    const same = equal(code.panes, this.code.panes);
    this.code = code;
    if (!same) this.#show();
  }

  #show() {
    const { panes, files } = this.code;
    const names = Object.keys(panes);
    if (!names.includes(this.chosen)) this.chosen = names[0];
    const buttons = names.map((name) => {
      const choose = () => {
        this.chosen = name;
        this.#show();
        /** @type {HTMLElement} */ (this.names.querySelector("[aria-pressed=true]"))?.focus();
      };
      return button(name, choose, { "aria-pressed": String(name === this.chosen) });
    });
    setChildren(this.names, names.length > 1 ? buttons : []);
    const { lines, marks } = panes[this.chosen];
    const rows = lines.map((pieces, line) => {
      const row = element(marks.includes(line) ? "mark" : "span", "gt-row");
      for (const [kind, text] of pieces) row.append(kind ? element("span", kind, {}, text) : text);
      row.append(pieces.length ? "\n" : " \n");
      return row;
    });
    this.pane.setAttribute("aria-label", phrase("code_of", { name: this.chosen }));
    this.pane.toggleAttribute("data-ran", this.chosen === names[0]);
    this.lines.replaceChildren(...rows);
    setChildren(this.links, Object.keys(files).map((name) => this.#link(name)));
  }

  /** @param {string} name  of a file */
  #link(name) {
    const link = element("a", "gl-button", { href: "#", download: name }, phrase("download", { name }));
    link.addEventListener("click", (event) => {
      event.preventDefault();
      save(this.code.files[name], name);
    });
    return link;
  }
}
