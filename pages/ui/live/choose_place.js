// A chart on which a place is chosen: two controls are set to where the learner clicks, and follow
// a mouse that is held down. A finger taps; dragging with it scrolls the page, as everywhere. The
// two controls are there for the keyboard.

/** @import { Axis, Plot } from "./plotly.d.ts" */

/**
 * @param {Plot} plot  the node Plotly drew into
 * @param {() => [string, string] | null} controls  the names of the two; null where none is chosen
 * @param {(values: Record<string, string>, moving: boolean) => void} choose
 */
export function choosePlaces(plot, controls, choose) {
  let pressed = false;
  const report = (/** @type {MouseEvent} */ event, /** @type {boolean} */ moving) => {
    const chosen = place(plot, event);
    const names = controls();
    if (chosen && names) choose({ [names[0]]: chosen[0], [names[1]]: chosen[1] }, moving);
  };
  plot.addEventListener(
    "pointerdown",
    (event) => {
      if (!controls() || event.button !== 0 || event.pointerType === "touch") return;
      if (!isOnAxes(event)) return;
      event.preventDefault(); // Plotly would begin a box to zoom into
      plot.setPointerCapture(event.pointerId);
      pressed = true;
      report(event, true);
    },
    { capture: true },
  );
  plot.addEventListener("pointermove", (event) => pressed && report(event, true));
  const release = (/** @type {PointerEvent} */ event) => {
    if (!pressed) return;
    pressed = false;
    report(event, false);
  };
  plot.addEventListener("pointerup", release);
  plot.addEventListener("pointercancel", release);
  plot.addEventListener("click", (event) => {
    if (isOnAxes(event)) report(event, false);
  });
}

/** @param {MouseEvent} event */
function isOnAxes({ target }) {
  return target instanceof Element && target.closest(".nsewdrag") !== null;
}

/**
 * Where a pointer is on the axes, as text of no more digits than there are pixels for.
 * @param {Plot} plot
 * @param {MouseEvent} event
 * @returns {[string, string] | null}
 */
function place(plot, { clientX, clientY }) {
  const { xaxis, yaxis } = plot._fullLayout ?? {};
  if (!xaxis || !yaxis) return null;
  const { left, top } = plot.getBoundingClientRect();
  return [
    written(xaxis, clientX - left - xaxis._offset),
    written(yaxis, clientY - top - yaxis._offset),
  ];
}

/**
 * @param {Axis} axis
 * @param {number} pixel  along it
 */
function written(axis, pixel) {
  const [low, high] = axis.range;
  const value = axis.p2d(Math.min(Math.max(pixel, 0), axis._length));
  const digits = Math.max(0, Math.ceil(-Math.log10(Math.abs(high - low) / axis._length)));
  return String(Number(value.toFixed(Math.min(digits, 12))));
}
