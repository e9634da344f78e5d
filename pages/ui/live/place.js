// A chart on which a place is chosen: two controls are set to where the learner clicks, and follow
// a mouse that is held down. A finger taps; dragging with it scrolls the page, as everywhere. The
// two controls are there for the keyboard.

/**
 * @param {any} plot  the node Plotly drew into
 * @param {() => ?[string, string]} controls  the names of the two; null where none is chosen
 * @param {(values: Record<string, string>, moving: boolean) => void} choose
 */
export function choosePlaces(plot, controls, choose) {
  let held = false;
  const tell = (event, moving) => {
    const at = place(plot, event);
    const names = controls();
    if (at && names) choose({ [names[0]]: at[0], [names[1]]: at[1] }, moving);
  };
  plot.addEventListener(
    "pointerdown",
    (event) => {
      if (!controls() || event.button !== 0 || event.pointerType === "touch") return;
      if (!event.target.closest?.(".nsewdrag")) return;
      event.preventDefault(); // Plotly would begin a box to zoom into
      plot.setPointerCapture(event.pointerId);
      held = true;
      tell(event, true);
    },
    { capture: true },
  );
  plot.addEventListener("pointermove", (event) => held && tell(event, true));
  const release = (event) => {
    if (!held) return;
    held = false;
    tell(event, false);
  };
  plot.addEventListener("pointerup", release);
  plot.addEventListener("pointercancel", release);
  plot.addEventListener("click", (event) => {
    if (event.target.closest?.(".nsewdrag")) tell(event, false);
  });
}

/** Where a pointer is on the axes, as text of no more digits than there are pixels for. */
function place(plot, { clientX, clientY }) {
  const { xaxis, yaxis } = plot._fullLayout ?? {};
  if (!xaxis || !yaxis) return null;
  const { left, top } = plot.getBoundingClientRect();
  return [
    [xaxis, clientX - left - xaxis._offset],
    [yaxis, clientY - top - yaxis._offset],
  ].map(([axis, pixel]) => {
    const [low, high] = axis.range;
    const value = axis.p2d(Math.min(Math.max(pixel, 0), axis._length));
    const digits = Math.max(0, Math.ceil(-Math.log10(Math.abs(high - low) / axis._length)));
    return String(Number(value.toFixed(Math.min(digits, 12))));
  });
}
