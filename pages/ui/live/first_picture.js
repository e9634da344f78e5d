// What a lab will show at first, from the moment that its page's text is there. Streamlit takes a
// while to mount the lab, and a browser to read Plotly's script; the page brings the first frame
// along, and here it is drawn without the lab, and without Plotly where that is not there, at the
// place and size that the lab will have. Nothing in it can be used yet. The lab that is ready takes
// it away, and takes over what Plotly has drawn.

import { plotlyFor } from "./chart_script.js";
import { Charts } from "./charts.js";
import { Controls } from "./controls.js";
import { element } from "./dom.js";
import { draw } from "./first_drawing.js";
import { Goals } from "./goals.js";
import { keyOf } from "./key.js";
import { Palette } from "./palette.js";
import { Pinned, handChanges } from "./pinned.js";
import { read } from "./socket.js";
import { Trainer } from "./trainer.js";

/** @import { Frame, TrainerSpec } from "./messages.d.ts" */

const PLACE = ".gl-first[data-frame]";
const MOUNT = '[class*="st-key-lab_"]';

/** @type {?MutationObserver} */
let watching = null;
/** @type {?ResizeObserver} */
let following = null;
/** @type {?Charts} */
let drawn = null; // by Plotly

/** Draw it when its place comes, unless the lab comes before. */
export function watchForFirst() {
  const look = () => {
    const place = /** @type {?HTMLElement} */ (document.querySelector(PLACE));
    const mount = /** @type {?HTMLElement} */ (document.querySelector(MOUNT));
    if (!place || !mount) return;
    watching?.disconnect();
    try {
      show(place, mount);
    } catch (error) {
      console.error("The first picture could not be drawn.", error); // the lab comes all the same
      place.remove();
    }
  };
  watching = new MutationObserver(look);
  watching.observe(document.documentElement, { childList: true, subtree: true });
}

/** A lab has come, which has charts of its own. @param {Charts} charts */
export function giveFirst(charts) {
  if (drawn?.box.isConnected) charts.adopt(drawn);
  else drawn?.stop(); // of a page that was left
  drawn = null;
}

/** The lab is there. */
export function dropFirst() {
  watching?.disconnect();
  following?.disconnect();
  document.querySelector(PLACE)?.replaceChildren();
  const mount = /** @type {?HTMLElement} */ (document.querySelector(MOUNT));
  if (mount) mount.style.minHeight = "";
}

/**
 * @param {HTMLElement} place
 * @param {HTMLElement} mount  where the lab will stand
 */
function show(place, mount) {
  const bytes = Uint8Array.from(atob(place.dataset.frame ?? ""), (letter) => letter.charCodeAt(0));
  /** @type {Frame & {training?: TrainerSpec}} */
  const frame = read(bytes.buffer).body;
  const part = (/** @type {string} */ name) => element("div", `gl-${name}`);
  const names = ["goals", "head", "hand", "controls", "notes", "status", "key", "figures"];
  const [goals, head, hand, controls, notes, status, key, figures] = names.map(part);
  const root = element("div", "gl-lab", { inert: "", "aria-hidden": "true" });
  head.append(hand, controls);
  root.append(goals, head, notes, status, key, figures);
  // Pieces above it may still be Streamlit's grey bars, and go.
  following = new ResizeObserver(() => void (place.style.top = `${mount.offsetTop}px`));
  const column = /** @type {HTMLElement} */ (mount.parentElement);
  for (const piece of [column, ...column.children]) following.observe(piece);
  place.style.top = `${mount.offsetTop}px`;
  // Streamlit's theme, which a component has as variables and the page has not.
  const { backgroundColor, color, fontFamily } = getComputedStyle(document.querySelector(".stApp") ?? document.body);
  const theme = { "background-color": backgroundColor, "text-color": color, font: fontFamily };
  for (const [name, value] of Object.entries(theme)) place.style.setProperty(`--st-${name}`, value);
  place.append(root);
  const palette = new Palette(root);
  palette.refresh();
  const built = new Controls(controls, { changed() {}, went() {} });
  built.show(frame.groups, true, true);
  built.stop();
  new Goals(goals, () => {}).show(frame.goals, false, frame.accepted);
  for (const { level, text } of frame.notes) notes.append(element("p", "gl-note", { "data-level": level }, text));
  status.textContent = frame.status;
  if (frame.training) {
    const bar = part("trainer");
    head.append(bar);
    new Trainer(bar, () => {}).show(frame.training);
  } else key.append(...keyOf(frame.key));
  const charts = new Charts(figures, palette, null);
  charts.frame(frame.figures);
  for (const { spec, root } of charts.all.values()) root.classList.toggle("gl-outlined", spec.id === place.dataset.part);
  const pinned = new Pinned(hand, "hand", palette, null, () => {});
  pinned.frame(handChanges(frame.figures, place.dataset.part));
  const Plotly = plotlyFor(frame.figures);
  if (Plotly) charts.drawFirst(Plotly);
  const shown = [...(Plotly ? [] : [charts]), pinned.charts].flatMap(({ all }) => [...all.values()]);
  const widths = shown.map(({ plot }) => plot.clientWidth);
  shown.forEach(({ plot, spec }, index) => {
    if (spec.figure && widths[index]) plot.append(draw(palette.paint(spec.figure), widths[index], spec.height, fontFamily));
  });
  pinned.charts.detach();
  if (Plotly) drawn = charts;
  else charts.detach();
  mount.style.minHeight = `${root.offsetHeight}px`; // what is below does not stand in it
}
