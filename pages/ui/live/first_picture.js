// What a lab will show at first: the frame that a page brings along, drawn without the lab, and
// without Plotly where that is not there. Nothing in it can be used.

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

/** @import { Theme } from "./first_kept.js" */
/** @import { Frame, TrainerSpec } from "./messages.d.ts" */

export class FirstPicture {
  /**
   * @param {string} text  the frame as base64, the lab, the figure that the text speaks of
   * @param {Theme} theme
   */
  constructor(text, theme) {
    this.text = text;
    this.theme = theme;
    this.lab = text.split(" ")[1];
    // Wherever it stands it needs the rules for what is in the lab's own container.
    const key = this.lab === "playground" ? "st-key-playground" : "st-key-lab";
    this.place = element("div", `gl-first ${key}`, { "data-lab": this.lab });
    /** @type {?Charts} */
    this.charts = null; // by Plotly
  }

  /** Whether it shows just this. @param {string} text  @param {Theme} theme */
  isOf(text, theme) {
    return this.text === text && JSON.stringify(this.theme) === JSON.stringify(theme);
  }

  /** Draw it, once its place is in the page. */
  draw() {
    const { place, theme } = this;
    const [encoded, , outlined] = this.text.split(" ");
    const bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
    /** @type {Frame & {training?: TrainerSpec}} */
    const frame = read(bytes.buffer).body;
    const part = (/** @type {string} */ name) => element("div", `gl-${name}`);
    const names = ["goals", "head", "hand", "controls", "notes", "status", "key", "figures"];
    const [goals, head, hand, controls, notes, status, key, figures] = names.map(part);
    const root = element("div", "gl-lab", { inert: "", "aria-hidden": "true" });
    head.append(hand, controls);
    root.append(goals, head, notes, status, key, figures);
    place.style.setProperty("--st-background-color", theme.background);
    place.style.setProperty("--st-text-color", theme.color);
    place.style.setProperty("--st-font", theme.font);
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
    const { Plotly } = window;
    if (Plotly) charts.drawFirst(Plotly);
    for (const { digest, plot, spec, width } of shown) {
      if (digest !== null || !spec.figure || !width) continue; // drawn, or hidden
      plot.append(draw(palette.paint(spec.figure), width, spec.height, theme.font));
    }
    for (const both of [charts, pinned.charts]) both.detach();
    if (Plotly) this.charts = charts;
  }

  /** Take it away; what Plotly has drawn may be another's by now. */
  drop() {
    this.place.remove();
    this.charts?.stop();
    this.charts = null;
  }
}
