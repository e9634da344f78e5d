// Files to download, and a learner's results as a message to the page that frames a lesson. The
// server keeps none of them.

import { element, save, setChildren } from "../dom.js";
import { phrase } from "../phrase.js";

/** @import { Component } from "../../component.d.ts" */

/**
 * @typedef {Object} Results
 * @property {Record<string, string>} files  contents by name
 * @property {?{type: string}} message  for a framing page
 */

let told = ""; // the message sent last

/** For pages/ui/results.py. @param {Component<Results>} component */
export function render({ data: { files, message }, parentElement }) {
  const root = /** @type {HTMLElement} */ (parentElement.querySelector(".gt-buttons"));
  const links = Object.entries(files).map(([name, content]) => {
    const link = element("a", "gt-button", { href: "#", role: "button", "aria-label": phrase("download", { name }) }, `↓ ${name}`);
    link.addEventListener("click", (event) => {
      event.preventDefault();
      save(content, name);
    });
    return link;
  });
  setChildren(root, links);
  const text = JSON.stringify(message);
  if (!message || window.parent === window || text === told) return;
  told = text;
  window.parent.postMessage(message, framedBy());
}

/** The origin of the framing page, or "*" if the browser does not say. */
function framedBy() {
  const [origin] = location.ancestorOrigins ?? []; // not in every Firefox
  if (origin) return origin === "null" ? "*" : origin; // "null", a sandbox's, cannot be addressed
  const referrer = URL.canParse(document.referrer) ? new URL(document.referrer).origin : location.origin;
  return referrer === location.origin ? "*" : referrer; // ours if the frame itself was reloaded
}
