// The slider with two handles: two native range inputs on one track and, beside the label, both
// numbers as text, which are the control's value. With `spread`, the second number is the distance
// of the second handle from the first, and the band lies on both sides of the first. The inputs
// give keyboard and screen reader their handles; pointers are followed here, on the whole track.

import { element, setAll } from "../dom.js";
import { entries, nearest } from "./scale.js";
import { typed } from "./typing.js";

/**
 * One of the inputs that `makeField` in fields.js puts into a control.
 * @type {import("./fields.js").MakeInput}
 */
export function interval(spec, id, notify, { body }) {
  let { min = 0, max = 1, step = 0.01, spread = false } = spec;
  const bars = [0, 1].map(() => element("input", "gl-range", { type: "range" }));
  const ends = element("div", "gl-ends", {}, ...bars);
  const exact = element("input", "gl-exact", { type: "text", autocomplete: "off", id, size: "7" });
  body.append(ends, exact);

  /** Both numbers, and where their handles are; null while the text is something else. */
  const read = () => {
    const [first, second, ...more] = entries(exact.value).map(Number);
    const isRead = Number.isFinite(first) && Number.isFinite(second) && !more.length;
    return isRead ? { first, second, places: [first, spread ? first + second : second] } : null;
  };
  const share = (/** @type {number} */ place) => Math.min(Math.max((place - min) / (max - min), 0), 1);
  const show = () => {
    const now = read();
    if (!now) return;
    const { first, second, places } = now;
    bars.forEach((bar, which) => {
      bar.value = String(places[which]);
      bar.setAttribute("aria-valuetext", String(which ? second : first));
    });
    ends.style.setProperty("--gl-from", share(spread ? first - second : first).toFixed(4));
    ends.style.setProperty("--gl-to", share(places[1]).toFixed(4));
  };
  /** Put a handle at a place of the track, as near as the other one lets it. @param {number} which  @param {number} place */
  const put = (which, place) => {
    const now = read();
    if (!now) return;
    const { first, second } = now;
    const before = exact.value;
    if (!which) exact.value = `${nearest({ min, max: spread ? max - second : second, step }, place)}, ${second}`;
    else if (spread) exact.value = `${first}, ${nearest({ min: 0, max: max - first, step }, place - first)}`;
    else exact.value = `${first}, ${nearest({ min: first, max, step }, place)}`;
    show();
    if (exact.value !== before) notify("moving");
  };
  bars.forEach((bar, which) => bar.addEventListener("input", () => put(which, bar.valueAsNumber)));
  typed(exact, notify, { changed: show });

  /** @type {?{pointer: number, which: ?number, from: number, offset: number, left: number, length: number}} */
  let grip = null;
  ends.addEventListener("pointerdown", (event) => {
    const now = read();
    if (event.button !== 0 || bars[0].disabled || !now) return;
    // Measured once: to read a place while the page changes makes the browser lay it out again.
    const radius = parseFloat(getComputedStyle(ends).getPropertyValue("--gl-thumb")) / 2;
    const left = ends.getBoundingClientRect().left + radius;
    const length = ends.clientWidth - 2 * radius;
    const x = event.clientX - left;
    const away = now.places.map((place) => x - length * share(place));
    const [first, second] = away.map(Math.abs);
    const held = Math.min(first, second) <= radius;
    // A finger moves a handle alone: one that scrolls may begin anywhere on the track.
    if (event.pointerType === "touch" && !held) return;
    // If two handles are at one place, the first movement chooses.
    const together = Math.abs(away[0] - away[1]) < 1;
    const which = together ? (held ? null : Number(away[0] > 0)) : Number(second < first);
    grip = { pointer: event.pointerId, which, from: x, offset: held ? away[which ?? 0] : 0, left, length };
    ends.setPointerCapture(event.pointerId);
    event.preventDefault();
    if (which !== null) hold(which);
    if (!held) follow(grip, x);
  });
  ends.addEventListener("pointermove", ({ clientX, pointerId }) => {
    if (grip?.pointer !== pointerId) return;
    const x = clientX - grip.left;
    if (grip.which === null && x !== grip.from) hold((grip.which = Number(x > grip.from)));
    follow(grip, x - grip.offset);
  });
  ends.addEventListener("lostpointercapture", () => {
    grip = null;
    for (const bar of bars) delete bar.dataset.held;
  });
  /** @param {NonNullable<typeof grip>} hand  @param {number} x */
  function follow({ which, length }, x) {
    if (which !== null) put(which, min + Math.min(Math.max(x / length, 0), 1) * (max - min));
  }
  /** @param {number} which */
  function hold(which) {
    bars[which].focus({ preventScroll: true });
    bars[which].dataset.held = "";
  }

  return {
    get: () => exact.value,
    set: (value) => {
      exact.value = value;
      show();
    },
    nodes: () => [...bars, exact],
    describe(next) {
      ({ min = 0, max = 1, step = 0.01, spread = false } = next);
      bars.forEach((bar, which) => setAll(bar, { min, max, step, "aria-label": next.ends?.[which] }));
      show();
    },
  };
}
