// Which line of the charts is which: an entry that is pointed at lights its lines, a press keeps them
// lit until the next.

import { element, setOrRemove } from "./dom.js";

/**
 * @param {import("./messages.d.ts").KeyEntry[]} entries
 * @param {string} [kept]  the role that is kept lit
 */
export function keyOf(entries, kept) {
  return entries.map(({ role, label, dash }) => {
    const line = element("span", "gl-line", { "data-dash": dash });
    line.style.setProperty("--gl-role", `var(--role-${role.replace(/[^\w-]/g, "")})`);
    return element("button", "gl-entry", { type: "button", "data-role": role, "aria-pressed": String(role === kept) }, line, label);
  });
}

/**
 * @param {HTMLElement} box  the entries'
 * @param {(role: string) => string} press  gives the role that is kept lit now
 */
export function hearKey(box, press) {
  box.addEventListener("click", ({ target }) => {
    const entry = target instanceof Element ? target.closest(".gl-entry") : null;
    if (!entry) return;
    const kept = press(entry.getAttribute("data-role") ?? "");
    for (const one of box.children) setOrRemove(one, "aria-pressed", String(one.getAttribute("data-role") === kept));
  });
}
