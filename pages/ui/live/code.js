// The program as code, in a drawer: one pane at a time, and files to take away.

import { button, element, save, setChildren } from "./dom.js";
import { phrase } from "./phrase.js";
import { equal } from "./state/equal.js";

/** @import { Code, CodeFile } from "./messages.d.ts" */

const NOT_SETTINGS = ["lesson", "step", "hide", "fix", "at"];

export class CodeView {
  /** @param {HTMLElement} box  @param {() => string} document  the playground's program as a document */
  constructor(box, document) {
    this.document = document;
    /** @type {Code} */
    this.shown = { panes: {}, files: [] };
    this.query = "";
    this.chosen = "";
    this.names = element("div", "gl-buttons", { role: "group", "aria-label": phrase("which_code") });
    this.code = element("code", "");
    this.pane = element("pre", "gt-code", { tabindex: "0", role: "region" }, this.code);
    this.remarks = element("div", "gl-caption");
    this.links = element("p", "gl-buttons");
    box.append(this.names, this.pane, this.remarks, this.links);
  }

  /** @param {?Code} code  @param {string} query  of the lab's address */
  show(code, query) {
    this.query = query;
    if (!code || equal(code, this.shown)) return;
    this.shown = code;
    this.#show();
  }

  #show() {
    const { panes, files } = this.shown;
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
    const { lines, marks, remarks } = panes[this.chosen];
    const rows = lines.map((pieces, line) => {
      const tag = /** @type {keyof HTMLElementTagNameMap} */ (marks[line] ?? "span");
      const row = element(tag, "gt-row");
      for (const [kind, text] of pieces) row.append(kind ? element("span", kind, {}, text) : text);
      row.append(pieces.length ? "\n" : " \n");
      return row;
    });
    this.pane.setAttribute("aria-label", phrase("code_of", { name: this.chosen }));
    this.pane.toggleAttribute("data-ran", this.chosen === names[0]);
    this.code.replaceChildren(...rows);
    this.remarks.replaceChildren(...remarks.map((sentence) => element("p", "", {}, sentence)));
    setChildren(this.links, files.map((file) => this.#link(file)));
  }

  /** @param {CodeFile} file */
  #link({ name, address, how }) {
    const link = element("a", "gl-button", { href: address || "#", download: name }, phrase("download", { name }));
    link.addEventListener("click", (event) => {
      if (how === "get") {
        const settings = new URLSearchParams(this.query);
        for (const word of NOT_SETTINGS) settings.delete(word);
        link.href = `${address}?${settings}`;
        return;
      }
      event.preventDefault();
      if (how === "here") save(this.document(), name);
      else void this.#fetch(link, name, address);
    });
    return link;
  }

  /** @param {Element} link  @param {string} name  @param {string} address */
  async #fetch(link, name, address) {
    const answer = await fetch(new URL(address, document.baseURI), { method: "POST", body: this.document() });
    if (answer.ok) save(await answer.text(), name);
    else link.after(element("span", "gl-error", { role: "alert" }, (await answer.json()).error));
  }
}
