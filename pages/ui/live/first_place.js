// Where a lab's first picture stands, and how long. Streamlit takes a while to mount the lab, and a
// browser to read Plotly's script; the page brings the first frame along as hidden text. From the
// moment that the text beside it is there it is drawn at the place and size that the lab will have;
// the lab that is ready takes it away, and takes over what Plotly has drawn.
//
// Who opens the same again sees it before there is any page: it was kept, with its place in the
// window. Once the page has come, it stands in the page if that says the same, and goes if not.

import { keepFirst, labHere } from "./first_kept.js";
import { FirstPicture } from "./first_picture.js";

/** @import { Charts } from "./charts.js" */
/** @import { KeptFirst, Theme } from "./first_kept.js" */

const PICTURE = ":is(.st-key-lab, .st-key-playground) > .stElementContainer > .stText";
const MOUNT = '[class*="st-key-lab_"]';
const WORDS = ".st-key-words";
const PIECE = ".st-key-search"; // the first of every page
const PATIENT = 6000; // ms from then on that a kept one stands without its page
const SETTLED = 1000; // ms after which the lab stands where it will stay

/** Streamlit's grey bar, where the script of a piece is on its way. */
export const BAR = "[data-testid=stSkeleton]";
/** A fault of ours, in place of the page. */
export const BROKEN = ".stException";

let isOver = false; // the lab is there
/** @type {?MutationObserver} */
let watching = null;
/** @type {?ResizeObserver} */
let following = null;
/** @type {?FirstPicture} */
let picture = null;
let isTrue = false; // the page says the same as the kept one
let patience = 0; // the timer, from the page's first piece on
let isUntouched = true;
const touch = () => void (isUntouched = false);
for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, touch, { capture: true, once: true });

/** Show what was kept, where it stood. @param {KeptFirst} kept */
export function showKept({ text, theme, left, top, width }) {
  const { whole } = document.documentElement.dataset;
  if (isOver || picture || whole === "true" || top > innerHeight) return; // on a phone it is below the text
  picture = new FirstPicture(text, theme);
  const { place } = picture;
  place.classList.add("gl-kept");
  Object.assign(place.style, { left: `${left}px`, top: `${top}px`, width: `${width}px` });
  document.body.append(place);
  paper(theme.background);
  draw();
  addEventListener("resize", leave, { once: true }); // nothing would be where it was
}

/**
 * Draw the first picture once the text beside it is there, unless the lab comes before.
 * @param {Promise<unknown>} [ready]  not before this
 */
export async function watchForFirst(ready) {
  await ready;
  watching = new MutationObserver(look);
  watching.observe(document.documentElement, { childList: true, subtree: true });
  look();
}

function look() {
  if (isKept()) {
    const isLeft = labHere() !== picture?.lab; // another page was gone to
    if (isLeft || document.querySelector(BROKEN)) leave();
    else if (!patience && document.querySelector(PIECE)) patience = setTimeout(leave, PATIENT);
  }
  if (isOver && !isKept()) watching?.disconnect();
  if (isOver || (isKept() && isTrue)) return;
  const { brought, mount } = there();
  const words = document.querySelector(WORDS);
  if (!brought || !mount || (words && !words.querySelector("p"))) return;
  // A page that is not hidden while it loads: what is seen may not be moved by what comes above.
  const isSeen = getComputedStyle(mount).visibility === "visible";
  if (isSeen && mount.parentElement?.querySelector(BAR)) return;
  const text = brought.textContent ?? "";
  isTrue = Boolean(picture?.isOf(text, theme()));
  if (isTrue && (!isSeen || entered(brought, mount))) return;
  watching?.disconnect();
  drop();
  picture = new FirstPicture(text, theme());
  brought.after(picture.place);
  stand(mount);
  draw();
  mount.style.minHeight = `${picture?.place.offsetHeight ?? 0}px`; // what is below does not stand in it
}

/** The page is shown that was hidden while it came: what was kept moves with it from now on. */
export function enter() {
  if (!isKept()) return;
  const { brought, mount } = there();
  if (isTrue && !isOver && brought && mount && entered(brought, mount)) return;
  leave();
  look();
}

/**
 * Put what was kept into the page, if it is as wide as the lab will be.
 * @param {Element} brought
 * @param {HTMLElement} mount
 */
function entered(brought, mount) {
  const place = picture?.place;
  if (!place || brought.textContent !== picture?.text || place.offsetWidth !== mount.offsetWidth) return false;
  watching?.disconnect();
  place.classList.remove("gl-kept");
  Object.assign(place.style, { left: "", width: "" });
  paper("");
  brought.after(place);
  stand(mount);
  mount.style.minHeight = `${place.offsetHeight}px`;
  return true;
}

/** What was kept goes, and the page's own may come. */
function leave() {
  if (!isKept()) return;
  isTrue = false;
  drop();
}

/** A lab has come, which has charts of its own. @param {Charts} charts */
export function giveFirst(charts) {
  if (!picture?.charts || isKept()) return; // the page is hidden still
  if (picture.place.isConnected) charts.adopt(picture.charts);
  else picture.charts.stop(); // of a page that was left
  picture.charts = null;
}

/** The lab is there. */
export function dropFirst() {
  isOver = true;
  following?.disconnect();
  const { mount } = there();
  if (mount) mount.style.minHeight = "";
  if (mount && picture && mount.matches(`.st-key-lab_${picture.lab}`)) setTimeout(keep, SETTLED, mount, picture);
  if (isKept()) return; // until the page is shown
  watching?.disconnect();
  drop();
}

/** For the next time. @param {HTMLElement} mount  @param {FirstPicture} shown */
function keep(mount, { lab, text, theme }) {
  if (!mount.isConnected) return;
  const { left, top, width } = mount.getBoundingClientRect();
  const scrolled = document.querySelector(".stMain")?.scrollTop ?? 0;
  keepFirst({ lab, text, theme, left, top: top + scrolled, width }, isUntouched);
}

/** Whether it stands in the window, without its page. */
function isKept() {
  return Boolean(picture?.place.matches(".gl-kept"));
}

function there() {
  const brought = document.querySelector(PICTURE);
  const mount = /** @type {?HTMLElement} */ (document.querySelector(MOUNT));
  return { brought, mount };
}

/** Stay where the lab will be. @param {HTMLElement} mount */
function stand(mount) {
  const follow = () => void (picture && (picture.place.style.top = `${mount.offsetTop}px`));
  // Pieces above it may still be Streamlit's grey bars, and go.
  following = new ResizeObserver(follow);
  const column = /** @type {HTMLElement} */ (mount.parentElement);
  for (const piece of [column, ...column.children]) following.observe(piece);
  follow();
}

function draw() {
  try {
    picture?.draw();
  } catch (error) {
    console.error("The first picture could not be drawn.", error); // the lab comes all the same
    drop();
  }
}

function drop() {
  if (isKept()) paper("");
  picture?.drop();
  picture = null;
}

/** Under what was kept, where Streamlit has another one until its script has run. @param {string} colour */
function paper(colour) {
  const { dataset, style } = document.documentElement;
  style.background = colour;
  dataset.kept = String(Boolean(colour));
}

/** @returns {Theme} Streamlit's, which a component has as variables and the page has not */
function theme() {
  const { color, fontFamily } = getComputedStyle(document.querySelector(".stApp") ?? document.body);
  // The app's own shows nothing of it where something kept stands.
  return { background: getComputedStyle(document.body).backgroundColor, color, font: fontFamily };
}
