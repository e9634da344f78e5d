// The page of a trace: steps through the backward pass, links faults with their nodes, shows a node's
// whole tensor. The page has all of it already; the script fetches nothing.

/**
 * @typedef {{node: string, edges: string[]}} Moment
 * @typedef {{steps: Moment[], details: Record<string, (string | number)[]>, texts: string[]}} Told
 */

/** @type {Told} */
const told = JSON.parse(document.getElementById("told")?.textContent || '{"steps":[],"details":{},"texts":[]}');
const root = document.querySelector(".graph");
const count = told.steps.length;
/** @type {Map<string | null, Element>} */
const groups = new Map([...document.querySelectorAll(".graph [data-id]")].map((one) => [one.getAttribute("data-id"), one]));
const order = [...groups.values()];
const rows = [...document.querySelectorAll(".steps > li")];
const said = document.querySelector(".said");
const detail = document.querySelector(".detail");
let step = count; // so many steps have been taken; the page opens at the end
let tabbed = 0; // the place in `order` that Tab comes to

/** @param {number} to */
function go(to) {
  step = Math.max(0, Math.min(count, to));
  const reached = new Set(told.steps.slice(0, step).flatMap(({ edges }) => edges));
  const passed = new Set(told.steps.slice(0, step).map(({ node }) => node));
  const current = told.steps[step - 1]?.node;
  for (const [id, group] of groups) {
    if (group.classList.contains("edge")) group.toggleAttribute("data-ahead", !reached.has(id ?? ""));
    else if (id === current) group.setAttribute("data-step", "current");
    else if (passed.has(id ?? "")) group.setAttribute("data-step", "passed");
    else group.removeAttribute("data-step");
  }
  rows.forEach((row, place) => row.toggleAttribute("data-now", place === step - 1));
  if (said) said.textContent = step ? `Step ${step} of ${count}` : `Before the first of ${count} steps: nothing has flowed back yet.`;
  button("start", step === 0);
  button("back", step === 0);
  button("next", step === count);
  button("end", step === count);
}

/**
 * @param {string} name
 * @param {boolean} off
 */
function button(name, off) {
  const found = /** @type {HTMLButtonElement | null} */ (document.querySelector(`[data-go="${name}"]`));
  if (found) found.disabled = off;
}

/** @param {Element | null | undefined} group */
function look(group) {
  document.querySelector("[data-looked]")?.removeAttribute("data-looked");
  if (!group || !detail) return;
  group.setAttribute("data-looked", "");
  const pieces = told.details[group.getAttribute("data-id") ?? ""] ?? [];
  const whole = pieces.map((one) => (typeof one === "number" ? told.texts[one] : one)).join("");
  detail.textContent = group.classList.contains("edge") ? `${group.getAttribute("aria-label")}\n${whole}` : whole;
}

/** @param {number} place */
function stopAt(place) {
  order[tabbed]?.setAttribute("tabindex", "-1");
  tabbed = Math.max(0, Math.min(order.length - 1, place));
  order[tabbed]?.setAttribute("tabindex", "0");
}

/** @param {Element} group */
function show(group) {
  stopAt(order.indexOf(group));
  /** @type {SVGGElement} */ (group).focus({ preventScroll: true });
  group.scrollIntoView({ block: "center", inline: "center" });
  look(group);
}

/** @type {Record<string, () => number>} */
const MOVES = { start: () => 0, back: () => step - 1, next: () => step + 1, end: () => count };
for (const one of document.querySelectorAll("[data-go]")) {
  one.addEventListener("click", () => go(MOVES[one.getAttribute("data-go") ?? ""]()));
}
for (const link of document.querySelectorAll("a[data-node]")) {
  link.addEventListener("click", (event) => {
    const group = groups.get(link.getAttribute("data-node"));
    if (!group) return;
    event.preventDefault();
    const at = told.steps.findIndex(({ node }) => node === link.getAttribute("data-node"));
    if (at >= 0) go(at + 1);
    show(group);
  });
}
root?.addEventListener("click", (event) => {
  const group = /** @type {Element} */ (event.target).closest("[data-id]");
  if (group) show(group);
});
root?.addEventListener("focusin", (event) => look(/** @type {Element} */ (event.target).closest("[data-id]")));
root?.addEventListener("keydown", (event) => {
  const by = { ArrowDown: 1, ArrowUp: -1 }[/** @type {KeyboardEvent} */ (event).key];
  const group = by && order[tabbed + by];
  if (!group) return;
  event.preventDefault();
  show(group);
});
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const { target } = event;
  if (/** @type {Element} */ (target).closest(".scroll") || /** @type {Element} */ (target).matches(".drawing")) return; // arrows scroll
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by || !count) return;
  event.preventDefault();
  go(step + by);
});

if (count) document.querySelector(".side")?.classList.add("stepping");
for (const one of document.querySelectorAll("[hidden][data-scripted]")) one.removeAttribute("hidden");
go(count);
stopAt(0);
