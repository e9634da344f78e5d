// The page of a trace: steps through the backward pass, links faults with their nodes, shows a node's
// whole tensor. The page has all of it already; the script fetches nothing.

const root = document.querySelector(".graph");
const rows = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".steps > li"))];
const buttons = [.../** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("[data-go]"))];
const count = rows.length;
/** @type {Map<string | null, Element>} */
const groups = new Map([...document.querySelectorAll(".graph [data-id]")].map((one) => [one.getAttribute("data-id"), one]));
const order = [...groups.values()];
const said = document.querySelector(".said");
const detail = document.querySelector(".detail");
let step = count; // steps taken so far; the page opens at the end
let tabbed = 0; // the place in `order` that Tab focuses
/** @type {Record<string, () => number>} */
const MOVES = { start: () => 0, back: () => step - 1, next: () => step + 1, end: () => count };

/** @param {number} to */
const within = (to) => Math.max(0, Math.min(count, to));

/** @param {number} to */
function go(to) {
  step = within(to);
  const taken = rows.slice(0, step).map((row) => row.dataset);
  const reached = new Set(taken.flatMap(({ edges }) => edges?.split(" ")));
  const passed = new Set(taken.map(({ node }) => node));
  const current = taken[step - 1]?.node;
  for (const [id, group] of groups) {
    if (group.classList.contains("edge")) group.toggleAttribute("data-ahead", !reached.has(id ?? ""));
    else if (id === current) group.setAttribute("data-step", "current");
    else if (passed.has(id ?? "")) group.setAttribute("data-step", "passed");
    else group.removeAttribute("data-step");
  }
  rows.forEach((row, place) => row.toggleAttribute("data-now", place === step - 1));
  if (said) said.textContent = step ? `Step ${step} of ${count}` : `Before the first of ${count} steps: nothing has flowed back yet.`;
  for (const one of buttons) one.disabled = within(MOVES[one.dataset.go ?? ""]()) === step;
}

/** @param {Element | null | undefined} group */
function showDetail(group) {
  document.querySelector("[data-detail]")?.removeAttribute("data-detail");
  if (!group || !detail) return;
  group.setAttribute("data-detail", "");
  const edge = group.classList.contains("edge") ? `${group.getAttribute("aria-label")}\nwhole: ` : "";
  detail.textContent = edge + group.getAttribute("data-told");
}

/** @param {number} place */
function stopAt(place) {
  order[tabbed]?.setAttribute("tabindex", "-1");
  tabbed = place;
  order[tabbed]?.setAttribute("tabindex", "0");
}

/** @param {Element | null | undefined} group */
function show(group) {
  if (!group) return;
  stopAt(order.indexOf(group));
  /** @type {SVGGElement} */ (group).focus({ preventScroll: true });
  group.scrollIntoView({ block: "center", inline: "center" });
  showDetail(group);
}

for (const one of buttons) one.addEventListener("click", () => go(MOVES[one.dataset.go ?? ""]()));
for (const link of document.querySelectorAll("a[data-node]")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    const node = link.getAttribute("data-node");
    const at = rows.findIndex((row) => row.dataset.node === node);
    if (at >= 0) go(at + 1);
    show(groups.get(node));
  });
}
root?.addEventListener("click", (event) => show(/** @type {Element} */ (event.target).closest("[data-id]")));
root?.addEventListener("focusin", (event) => showDetail(/** @type {Element} */ (event.target).closest("[data-id]")));
document.addEventListener("keydown", (event) => {
  const target = /** @type {Element} */ (event.target);
  if (event.altKey || event.ctrlKey || event.metaKey || target.matches(".scroll, .drawing")) return; // arrows scroll
  const along = root?.contains(target) ? { ArrowDown: 1, ArrowUp: -1 }[event.key] : 0;
  const by = count ? { ArrowRight: 1, ArrowLeft: -1 }[event.key] : 0;
  if (!along && !by) return;
  event.preventDefault();
  if (by) go(step + by);
  if (along) show(order[tabbed + along]);
});

if (count) document.querySelector(".side")?.classList.add("stepping");
document.querySelector("[data-scripted]")?.removeAttribute("hidden");
go(count);
stopAt(0);
