// Search over the course, in a dialog that any page opens. The index is fetched once, when the
// dialog first opens. Text from it only ever goes in as text.

/** @import { Component } from "../component.d.ts" */

/**
 * What lessons/outputs/search.py lists.
 * @typedef {Object} Entry
 * @property {string} kind
 * @property {string} title
 * @property {string} text
 * @property {string} page
 * @property {string} lesson
 * @property {number} step
 * @property {string} also
 *
 * @typedef {Object} Box
 * @property {string} address  the index's file
 * @property {(to: {page: string, lesson: string, step: number}) => void} go
 * @property {AbortController} listeners
 */

const MOST = 12; // results shown
/** @type {WeakMap<Element, Box>} */
const boxes = new WeakMap();
/** @type {Promise<Entry[]> | undefined} */
let index; // shared by all pages

/** @param {Component<{index: string}>} component */
export default function (component) {
  const { parentElement, data, setTriggerValue } = component;
  const root = /** @type {Element} */ (parentElement.querySelector(".gt-search"));
  let box = boxes.get(root);
  if (!box) boxes.set(root, (box = build(root)));
  const { listeners } = box;
  box.address = data.index;
  box.go = (entry) => setTriggerValue("go", entry);
  return () =>
    setTimeout(() => {
      if (root.isConnected) return;
      listeners.abort();
      boxes.delete(root);
    });
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string>} attributes
 * @param {...(Node|string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
function element(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** @param {Element} root */
function build(root) {
  /** @type {Box} */
  const box = { address: "", go: () => {}, listeners: new AbortController() };
  const open = element("button", { type: "button", class: "gt-search-open", "aria-keyshortcuts": "/" });
  open.append(element("span", {}, "Search"), element("kbd", { "aria-hidden": "true" }, "/"));
  const input = element("input", {
    type: "search",
    "aria-label": "Search the course",
    placeholder: "a question, a term, a step",
    autocomplete: "off",
    maxlength: "100",
  });
  const close = element("button", { type: "button", class: "gt-search-close" }, "Close");
  const said = element("p", { role: "status" });
  const list = element("ul", {});
  const dialog = element(
    "dialog",
    { class: "gt-search-dialog", "aria-label": "Search the course" },
    element("div", { class: "gt-search-head" }, input, close),
    said,
    list,
  );
  root.replaceChildren(open, dialog);

  const show = () => {
    if (!dialog.open) dialog.showModal();
    input.select();
    index ??= fetch(new URL(box.address, document.baseURI)).then((answer) => {
      if (!answer.ok) throw new Error(`the index could not be fetched: ${answer.status}`);
      return answer.json();
    });
    find();
  };
  const find = async () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let entries;
    try {
      entries = await index;
    } catch (error) {
      index = undefined; // the next opening tries again
      said.textContent = "The index could not be loaded. Close this and try again.";
      return;
    }
    if (!entries) return; // it said so when it could not be loaded
    const found = words.length ? ranked(entries, words) : [];
    list.replaceChildren(...found.slice(0, MOST).map((entry) => row(entry, box, dialog)));
    const count = found.length > MOST ? `${MOST} of ${found.length}` : String(found.length);
    said.textContent = words.length ? `${count} ${found.length === 1 ? "result" : "results"}` : "";
  };
  open.addEventListener("click", show);
  close.addEventListener("click", () => dialog.close());
  input.addEventListener("input", find);
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close(); // beside it
  });
  dialog.addEventListener("keydown", (event) => {
    event.stopPropagation(); // Streamlit has single-letter shortcuts of its own
    const links = [...list.querySelectorAll("a")];
    const at = links.findIndex((link) => link === document.activeElement);
    if (event.key === "Enter" && document.activeElement === input) links[0]?.click();
    else if (event.key === "ArrowDown") links[Math.min(at + 1, links.length - 1)]?.focus();
    else if (event.key === "ArrowUp") (links[at - 1] ?? input).focus();
    else return;
    event.preventDefault();
  });
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
      const { target } = event;
      const busy = "input, textarea, select, [contenteditable], dialog";
      if (target instanceof Element && target.closest(busy)) return;
      event.preventDefault();
      show();
    },
    { signal: box.listeners.signal },
  );
  return box;
}

/**
 * Those that hold every word, those with the words in the title first.
 * @param {Entry[]} entries
 * @param {string[]} words
 */
function ranked(entries, words) {
  const score = (/** @type {Entry} */ { title, text, also, kind }) => {
    const name = title.toLowerCase();
    const all = `${name} ${text} ${also} ${kind}`.toLowerCase();
    if (!words.every((word) => all.includes(word))) return 0;
    if (name === words.join(" ")) return 4;
    if (name.startsWith(words.join(" "))) return 3;
    return words.every((word) => name.includes(word)) ? 2 : 1;
  };
  return entries
    .map((entry) => ({ entry, points: score(entry) }))
    .filter(({ points }) => points)
    .sort((a, b) => b.points - a.points)
    .map(({ entry }) => entry);
}

/**
 * @param {Entry} entry
 * @param {Box} box
 * @param {HTMLDialogElement} dialog
 */
function row(entry, box, dialog) {
  const { page, lesson, step, kind, title, text } = entry;
  const query = new URLSearchParams(
    page === "glossary" ? { term: lesson } : { lesson, step: String(step) },
  );
  const link = element("a", { href: `${page}?${query}` });
  link.append(element("b", {}, title), element("small", {}, kind), element("span", {}, text));
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // a tab of its own
    event.preventDefault();
    dialog.close();
    box.go({ page, lesson, step });
  });
  return element("li", {}, link);
}
