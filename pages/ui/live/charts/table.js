// The numbers behind the charts, as a real table. Between two answers only the cells whose text
// changed are written; rows and columns come and go as the payload says.

import { element, fit, setText } from "../dom.js";

/** @import { Column, TableSpec } from "../messages.d.ts" */

export class Table {
  /** @param {HTMLElement} box  scrolls sideways when the table is wider than the page */
  constructor(box) {
    this.box = box;
    this.caption = element("caption", "gl-caption");
    this.head = element("tr", "");
    this.body = element("tbody", "");
    const thead = element("thead", "", {}, this.head);
    this.table = element("table", "gl-table", { "data-table": "" }, this.caption, thead, this.body);
    this.text = "";
  }

  /** @param {TableSpec | null} spec */
  show(spec) {
    const text = JSON.stringify(spec);
    if (text === this.text) return;
    this.text = text;
    this.box.hidden = !spec;
    if (spec) this.#write(spec);
  }

  /** @param {TableSpec} spec */
  #write(spec) {
    if (!this.table.isConnected) this.box.append(this.table);
    setText(this.caption, spec.caption);
    // A box that scrolls must be reachable by keyboard, and then it needs a name.
    this.box.setAttribute("aria-label", spec.caption);
    this.#showColumns(spec.columns);
    fit(this.body, spec.rows.length, () => element("tr", "")).forEach((row, at) => {
      const texts = spec.rows[at];
      fit(row, texts.length, () => element("td", "")).forEach((cell, column) => setText(cell, texts[column]));
    });
  }

  /** @param {Column[]} columns */
  #showColumns(columns) {
    this.head.replaceChildren(
      ...columns.map(({ label, role }) => {
        const cell = element("th", "", { scope: "col" }, label);
        if (role) {
          cell.dataset.role = role;
          cell.style.setProperty("--gl-role", `var(--role-${role.replace(/[^\w-]/g, "")})`);
        }
        return cell;
      }),
    );
  }
}
