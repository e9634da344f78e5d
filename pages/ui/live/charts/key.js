// Which line of the charts is which: an entry that is pointed at lights its lines.

import { element } from "../dom.js";

/** @param {import("../messages.d.ts").KeyEntry[]} entries */
export function keyOf(entries) {
  return entries.map(({ role, label, dash }) => {
    const line = element("span", "gl-line", { "data-dash": dash });
    line.style.setProperty("--gl-role", `var(--role-${role.replace(/[^\w-]/g, "")})`);
    return element("span", "gl-entry", { "data-role": role }, line, label);
  });
}
