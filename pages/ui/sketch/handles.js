// The chart to draw in: a handle for each x, moved up and down. Press or drag anywhere in the chart, or
// reach a handle by Tab and use the arrow keys.

import { button, element, setAll, svg } from "../live/dom.js";
import { STEPS } from "../live/controls/scale.js";
import { phrase } from "../live/phrase.js";
import { HEIGHT, WIDTH, key, path } from "./axes.js";

/** @import { Places } from "./axes.js" */
/** @import { Sketch } from "./sketch.js" */

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const TOLERANCE = 6; // px: a stroke this close to a handle's x moves it, too; a finger that moves less is a tap

/**
 * The handles, their line, and the button.
 * @param {SVGSVGElement} drawing
 * @param {Sketch} data
 * @param {Places} at
 * @param {(text: string) => void} commit
 */
export function moving(drawing, data, at, commit) {
  const step = (data.high - data.low) / data.levels;
  const zero = Math.round(-data.low / step);
  const levels = data.x.map(() => zero);
  const line = svg("path", "");
  const says = svg("text", "gt-says", { "text-anchor": "middle", "aria-hidden": "true" });
  const send = () => commit(levels.map((level) => DIGITS[level]).join(""));
  const about = { class: "gl-button gt-commit", disabled: "", "aria-describedby": "gt-why" };
  const done = button(phrase("commit_sketch"), send, about);
  const why = element("span", "", { id: "gt-why" }, phrase("draw_first"));
  const range = { "aria-orientation": "vertical", "aria-valuemin": data.low, "aria-valuemax": data.high };
  const handles = data.names.map((name) =>
    svg(
      "g", "gt-knob", { role: "slider", tabindex: "0", ...range, "aria-label": phrase("handle_at", { label: data.label, x: name }) },
      svg("ellipse", "gt-reach", { rx: 24, ry: 24 }),
      svg("circle", "", { r: 9 }),
    ), // prettier-ignore
  );
  const value = (/** @type {number} */ level) => Number((data.low + level * step).toPrecision(10));
  const show = () => {
    handles.forEach((handle, index) => {
      const y = value(levels[index]);
      const spoken = String(Number(y.toPrecision(3))).replace("-", "−");
      const transform = `translate(${at.across(data.x[index])} ${at.up(y)})`;
      setAll(handle, { transform, "aria-valuenow": y, "aria-valuetext": spoken });
    });
    line.setAttribute("d", path(levels.map((level, i) => [at.across(data.x[i]), at.up(value(level))])));
  };
  const put = (/** @type {number} */ index, /** @type {number} */ level) => {
    levels[index] = Math.min(Math.max(Math.round(level), 0), data.levels);
    done.disabled = false;
    why.style.visibility = "hidden"; // its room stays, so that nothing below it moves
    show();
    const y = at.up(value(levels[index]));
    setAll(says, { x: at.across(data.x[index]), y: y < 50 ? y + 34 : y - 18 });
    says.textContent = handles[index].getAttribute("aria-valuetext");
  };

  hearStrokes(drawing, data, at, handles, put);
  handles.forEach((handle, index) =>
    handle.addEventListener("keydown", (event) => {
      const steps = STEPS[event.key];
      if (!steps || event.altKey || event.ctrlKey || event.metaKey) return;
      put(index, levels[index] + steps);
      event.preventDefault();
    }),
  );
  const { label, x } = data;
  setAll(drawing, { role: "group", "aria-label": phrase("sketch_of", { label, count: x.length }) });
  drawing.append(line, ...handles, says);
  show();
  const help = element("p", "gt-sketch-help", {}, phrase("sketch_help"));
  const foot = element("p", "gt-foot", {}, done, why);
  return data.lines.length ? [foot, key(data), help] : [foot, help];
}

/**
 * A press moves the nearest handle. Once the pointer crosses another handle's x, it draws: each handle
 * that it passes moves to the line.
 * @param {SVGSVGElement} drawing
 * @param {Sketch} data
 * @param {Places} at
 * @param {SVGElement[]} handles
 * @param {(index: number, level: number) => void} put
 */
function hearStrokes(drawing, data, at, handles, put) {
  const across = data.x.map((x) => at.across(x));
  /** @type {{x: number, level: number, held: number | null} | null} */
  let last = null; // where the pointer was, and the handle it has hold of
  /** @type {PointerEvent | null} */
  let from = null; // a finger next to the handles: it draws if it goes across, or taps
  const where = (/** @type {PointerEvent} */ event) => {
    const box = drawing.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * WIDTH;
    const y = ((event.clientY - box.top) / box.height) * HEIGHT;
    return { x, level: ((at.value(y) - data.low) / (data.high - data.low)) * data.levels };
  };
  const nearest = (/** @type {number} */ x) => {
    const apart = across.map((place) => Math.abs(place - x));
    return apart.indexOf(Math.min(...apart));
  };
  const onHandle = (/** @type {Event} */ { target }) => /** @type {Element} */ (target).closest(".gt-knob");
  drawing.addEventListener("touchstart", (event) => onHandle(event) && event.preventDefault(), { passive: false });
  drawing.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    drawing.setPointerCapture(event.pointerId);
    const now = where(event);
    const held = nearest(now.x);
    last = { ...now, held };
    from = event.pointerType === "touch" && !onHandle(event) ? event : null;
    if (!from) put(held, now.level);
    handles[held].focus({ preventScroll: true, focusVisible: false });
  });
  drawing.addEventListener("pointermove", (event) => {
    const before = last;
    if (!before) return;
    if (from) {
      const [x, y] = [event.clientX - from.clientX, event.clientY - from.clientY].map(Math.abs);
      if (x <= y) {
        if (y > TOLERANCE) last = null; // no tap any more
        return;
      }
      if (before.held !== null) put(before.held, before.level);
      from = null;
    }
    const now = where(event);
    let { held } = before;
    across.forEach((x, index) => {
      const crossed = (before.x - x) * (now.x - x) < 0;
      if (index === held || (!crossed && Math.abs(now.x - x) > TOLERANCE)) return;
      const share = crossed ? (x - before.x) / (now.x - before.x) : 1;
      put(index, before.level + share * (now.level - before.level));
      held = null;
    });
    if (held !== null && nearest(now.x) === held) put(held, now.level);
    last = { ...now, held };
  });
  drawing.addEventListener("pointerup", () => {
    if (last && last.held !== null) put(last.held, last.level);
    last = null;
  });
  drawing.addEventListener("pointercancel", () => (last = null));
}
