// The charts' key: which line is which. `links/` highlights an entry's lines.

import { element } from "../dom.js";

/** @param {import("../messages.d.ts").KeyEntry[]} entries */
export function keyOf(entries) {
  return entries.map(({ role, label, dash }) => {
    const line = element("span", "gl-line", { "data-dash": dash });
    line.style.setProperty("--gl-role", `var(--role-${role.replace(/[^\w-]/g, "")})`);
    return element("span", "gl-entry", { "data-role": role }, line, label);
  });
}
