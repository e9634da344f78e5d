// Search over the course, in a dialog that any page opens. The index is fetched once, when the
// dialog first opens. Text from it only ever goes in as text. Results and the page's own links with
// `data-inside` are followed in the session, so that what is set in the labs stays.

import { button, element } from "../live/dom.js";
import { counted, phrase } from "../live/phrase.js";

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
 * @property {string} body
 */

const MOST_RESULTS = 12; // results that the list shows
/** @type {Promise<Index> | undefined} */
let index; // shared by all pages
let address = ""; // the address of the index's file
/** @type {((link: HTMLAnchorElement) => void) | undefined} */
let go; // opens a page in the session

/** For pages/ui/search/__init__.py. @param {Component<{index: string}>} component */
export function render({ parentElement, data, setTriggerValue }) {
  const root = /** @type {Element} */ (parentElement.querySelector(".gt-search"));
  if (!root.querySelector("dialog")) build(root);
  if (!go) hearPage();
  address = data.index;
  go = ({ pathname, search }) => {
    const query = Object.fromEntries(new URLSearchParams(search));
    setTriggerValue("go", { page: pathname.split("/").pop(), query });
  };
}

/** Open with a slash, and follow links in the session: wherever on the page. */
function hearPage() {
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    const { target } = event;
    if (target instanceof Element && target.closest("input, textarea, select, [contenteditable], dialog")) return;
    event.preventDefault();
    /** @type {?HTMLElement} */ (document.querySelector(".gt-search-open"))?.click();
  });
  document.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || !(event.target instanceof Element)) return;
    const link = event.target.closest("a[data-inside]");
    if (!(link instanceof HTMLAnchorElement)) return;
    event.preventDefault();
    link.closest("dialog")?.close();
    go?.(link);
  });
}

/** @param {Element} root */
function build(root) {
  const input = element("input", "gl-field", {
    type: "search",
    "aria-label": phrase("search_course"),
    placeholder: phrase("search_hint"),
    autocomplete: "off",
    maxlength: "100",
  });
  const close = button(phrase("close"), () => dialog.close());
  const status = element("p", "", { role: "status" });
  const list = element("ul", "");
  const dialog = element(
    "dialog",
    "gt-search-dialog",
    { "aria-label": phrase("search_course") },
    element("div", "gt-search-head", {}, input, close),
    status,
    list,
  );
  root.append(dialog);

  const find = async () => {
    index ??= fetch(new URL(address, document.baseURI)).then((answer) => {
      if (!answer.ok) throw new Error(`the index could not be fetched: ${answer.status}`);
      return answer.json().then(prepared);
    });
    try {
      const question = input.value.trim();
      const found = ranked(await index, question);
      list.replaceChildren(...found.slice(0, MOST_RESULTS).map(row));
      const count = found.length;
      const said = count > MOST_RESULTS ? phrase("results_shown", { shown: MOST_RESULTS, count }) : counted("results", count);
      status.textContent = question ? said : "";
    } catch (error) {
      console.error(error);
      index = undefined; // the next letter tries again
      status.textContent = phrase("search_failed");
    }
  };
  root.querySelector(".gt-search-open")?.addEventListener("click", () => {
    if (!dialog.open) dialog.showModal();
    input.select();
    void find();
  });
  input.addEventListener("input", find);
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close(); // beside it
  });
  dialog.addEventListener("keydown", (event) => {
    event.stopPropagation(); // Streamlit has single-letter shortcuts of its own
    const links = [...list.querySelectorAll("a")];
    const focused = links.findIndex((link) => link === document.activeElement);
    if (event.key === "Enter" && document.activeElement === input) links[0]?.click();
    else if (event.key === "ArrowDown") links[Math.min(focused + 1, links.length - 1)]?.focus();
    else if (event.key === "ArrowUp") (links[focused - 1] ?? input).focus();
    else return;
    event.preventDefault();
  });
}

// Words of a question that the search ignores.
const STOP_WORDS = new Set(phrase("words_not_searched").split(/[; ]+/));
const WEIGHTS = { title: 5, also: 4, text: 2, body: 1, kind: 1 };
// The weight of a part of a word, where the whole word has 1:
const PREFIX_WEIGHT = 0.5; // its beginning, while the learner types it
const UNDERSCORE_PART_WEIGHT = 0.4; // a part between underscores, as in stop_gradient
const MIN_SHARE_OF_BEST = 0.15; // of the best result's points: the search lists no result with less

/**
 * An entry as it is searched: what each word in it counts.
 * @typedef {{entry: Entry, names: string[], words: Map<string, number>}} Known
 * @typedef {{known: Known[], rarity: (word: string) => number}} Index
 */
/**
 * Entries that hold any of the words, the best first: a rare word counts more than a frequent one, a
 * word of the title more than one of the text. Words that any question has are left out.
 * @param {Index} index
 * @param {string} question
 * @returns {Entry[]}
 */
export function ranked({ known, rarity }, question) {
  const words = [...new Set(telling(wordsOf(question)))];
  const last = /[\p{L}\p{N}]$/u.test(question) ? words.at(-1) : undefined; // it may be half typed
  const asked = bare(question);
  const whole = words.reduce((sum, word) => sum + rarity(word), 0);
  const score = (/** @type {Known} */ { names, words: here }) => {
    let points = 0;
    let found = 0;
    for (const word of words) {
      const counts = here.get(word) ?? (word === last ? begun(here, word) : 0);
      points += counts * rarity(word);
      if (counts) found += rarity(word);
    }
    if (!points) return 0;
    const named = names.includes(asked) ? 4 : names.some((name) => name.startsWith(asked)) ? 1.3 : 1;
    return points * named * (0.2 + found / whole);
  };
  const scored = known.map((one) => ({ entry: one.entry, points: score(one) }));
  scored.sort((a, b) => b.points - a.points);
  const least = (scored[0]?.points ?? 0) * MIN_SHARE_OF_BEST;
  return scored.filter(({ points }) => points > least).map(({ entry }) => entry);
}

/** Reduce a question or a name to its telling words. @param {string} text */
function bare(text) {
  return telling(wordsOf(text.replace(/_/g, " "))).join(" ");
}

/** Leave out words that any question has, unless all are such. @param {string[]} words */
function telling(words) {
  const some = words.filter((word) => !STOP_WORDS.has(word));
  return some.length ? some : words;
}

/** @param {Entry[]} entries  @returns {Index} */
export function prepared(entries) {
  /** @type {Map<string, number>} */
  const held = new Map(); // by word: how many entries have it
  const known = entries.map((entry) => {
    /** @type {Map<string, number>} */
    const words = new Map();
    for (const [field, weight] of Object.entries(WEIGHTS)) {
      const text = String(Reflect.get(entry, field));
      for (const word of wordsOf(text)) words.set(word, Math.max(words.get(word) ?? 0, weight));
      for (const word of wordsOf(text.replace(/_/g, " "))) {
        if (!words.has(word)) words.set(word, weight * UNDERSCORE_PART_WEIGHT);
      }
    }
    for (const word of words.keys()) held.set(word, (held.get(word) ?? 0) + 1);
    const names = [entry.title, ...entry.also.split(/[,;]/)];
    return { entry, names: names.map(bare), words };
  });
  return { known, rarity: (word) => Math.log(1 + entries.length / (1 + (held.get(word) ?? 0))) };
}

/** The largest weight of a word with this beginning. @param {Map<string, number>} words  @param {string} start */
function begun(words, start) {
  const weights = [...words].flatMap(([word, weight]) => (word.startsWith(start) ? weight : []));
  return start.length < 2 ? 0 : PREFIX_WEIGHT * Math.max(0, ...weights);
}

/** The words of a text by their stems. @param {string} text */
function wordsOf(text) {
  return (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).map(stem).filter(Boolean);
}

/** "zeros" and "0" are "zero", "clipped" and "clips" are "clip". @param {string} word */
function stem(word) {
  if (word === "0") return "zero";
  if (word.includes("_")) return word.replace(/^_+|_+$/g, "");
  if (word.length < 4) return word;
  const short = word.replace(/(?<=.{3})(?:ing|ed|es|s)$/, "").replace(/(?<=..)e$/, "");
  return short.replace(/([bdfgmnprt])\1$/, "$1");
}

/** @param {Entry} entry */
function row({ page, lesson, step, kind, title, text }) {
  const query = new URLSearchParams(
    page === "glossary" ? { term: lesson } : { lesson, step: String(step) },
  );
  const link = element(
    "a",
    "",
    { href: `${page}?${query}`, "data-inside": "" },
    element("b", "", {}, title),
    element("small", "", {}, kind),
    element("span", "", {}, text),
  );
  return element("li", "", {}, link);
}
