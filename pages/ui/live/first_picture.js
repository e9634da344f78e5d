// What a lab will show at first, from the moment that its page's text is there. Streamlit takes a
// while to mount the lab, and a browser to read Plotly's script; the page brings the first frame
// along as hidden text, and here it is drawn without the lab, and without Plotly where that is not
// there, at the place and size that the lab will have. Nothing in it can be used yet. The lab that is
// ready takes it away, and takes over what Plotly has drawn.

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

const PICTURE = ":is(.st-key-lab, .st-key-playground) > .stElementContainer > .stText";
const MOUNT = '[class*="st-key-lab_"]';
const WORDS = ".st-key-words";

/** Streamlit's grey bar, where the script of a piece is on its way. */
export const BAR = "[data-testid=stSkeleton]";

let isOver = false; // the lab is there
/** @type {?MutationObserver} */
let watching = null;
/** @type {?ResizeObserver} */
let following = null;
/** @type {?HTMLElement} */
let place = null; // where it is drawn
/** @type {?Charts} */
let drawn = null; // by Plotly

/**
 * Draw it once the text beside it is there, unless the lab comes before.
 * @param {Promise<unknown>} [ready]  not before this
 */
export async function watchForFirst(ready) {
  await ready;
  const look = () => {
    const picture = document.querySelector(PICTURE);
    const mount = /** @type {?HTMLElement} */ (document.querySelector(MOUNT));
    const words = document.querySelector(WORDS);
    if (isOver || !picture || !mount || (words && !words.querySelector("p"))) return;
    // A page that is not hidden while it loads: what is seen may not be moved by what comes above.
    const isSeen = getComputedStyle(mount).visibility === "visible";
    if (isSeen && mount.parentElement?.querySelector(BAR)) return;
    watching?.disconnect();
    const [frame, lab, outlined] = (picture.textContent ?? "").split(" ");
    place = element("div", "gl-first", { "data-lab": lab });
    picture.after(place);
    try {
      show(frame, outlined, place, mount);
    } catch (error) {
      console.error("The first picture could not be drawn.", error); // the lab comes all the same
      place.remove();
    }
  };
  watching = new MutationObserver(look);
  watching.observe(document.documentElement, { childList: true, subtree: true });
  look();
}

/** A lab has come, which has charts of its own. @param {Charts} charts */
export function giveFirst(charts) {
  if (drawn?.box.isConnected) charts.adopt(drawn);
  else drawn?.stop(); // of a page that was left
  drawn = null;
}

/** The lab is there. */
export function dropFirst() {
  isOver = true;
  watching?.disconnect();
  following?.disconnect();
  place?.remove();
  const mount = /** @type {?HTMLElement} */ (document.querySelector(MOUNT));
  if (mount) mount.style.minHeight = "";
}

/**
 * @param {string} encoded  the frame, as base64
 * @param {string} outlined  the figure that the text speaks of
 * @param {HTMLElement} place
 * @param {HTMLElement} mount  where the lab will stand
 */
function show(encoded, outlined, place, mount) {
  const bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
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
  for (const { spec, root } of charts.all.values()) root.classList.toggle("gl-outlined", spec.id === outlined);
  const pinned = new Pinned(hand, "hand", palette, null, () => {});
  pinned.frame(handChanges(frame.figures, outlined));
  const shown = [charts, pinned.charts].flatMap(({ all }) => [...all.values()]);
  // All of them before the first is drawn: else the page is laid out again for each.
  for (const chart of shown) chart.width = chart.plot.clientWidth;
  const Plotly = plotlyFor(frame.figures);
  if (Plotly) charts.drawFirst(Plotly);
  for (const { digest, plot, spec, width } of shown) {
    if (digest !== null || !spec.figure || !width) continue; // drawn, or hidden
    plot.append(draw(palette.paint(spec.figure), width, spec.height, fontFamily));
  }
  for (const both of [charts, pinned.charts]) both.detach();
  if (Plotly) drawn = charts;
  mount.style.minHeight = `${root.offsetHeight}px`; // what is below does not stand in it
}
