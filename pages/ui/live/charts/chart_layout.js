// What all charts of the course share: axes, margins and colours, under a figure's own layout; and where
// Plotly puts a number.

/** @import { Palette } from "./palette.js" */
/** @import { Axis, Layout, Plot, Trace } from "../plotly.d.ts" */

const AXIS = {
  gridcolor: "ink:grid",
  linecolor: "ink:axis",
  zerolinecolor: "ink:axis",
  tickangle: 0, // these two spare Plotly measuring every label at every step
  ticklabeloverflow: "allow",
};

/**
 * @param {Layout} layout  the figure's own
 * @param {{width: ?number, height: number, family: string}} page  what the page gives it
 * @param {number} views  how often the whole was asked for: the learner's zoom outlives every new answer
 * @param {Palette} palette
 */
export function fullLayout(layout, { width, height, family }, views, palette) {
  const text = "ink:text";
  /** @type {Record<string, any>} */
  const full = {
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    hovermode: "closest",
    dragmode: false,
    margin: { l: 48, r: 16, t: 16, b: 40 },
    ...layout,
    font: { family, size: 12, color: text, ...layout.font },
    hoverlabel: { bgcolor: "ink:paper", bordercolor: "ink:axis", font: { color: text } },
    modebar: { bgcolor: "ink:paper", color: "ink:muted", activecolor: text },
    uirevision: `lab ${views}`,
    width,
    height,
    autosize: false, // the size is known; measuring it at every step costs a layout
  };
  for (const name of ["xaxis", "yaxis"]) full[name] ??= {};
  for (const name of axes(full)) {
    full[name] = { ...AXIS, ...full[name] };
    if (full[name].range) full[name].range = [...full[name].range]; // a zoom is written into it
  }
  return palette.paint(full);
}

/** The ranges of a layout's axes, by name. @param {Layout} layout */
export function rangesOf(layout) {
  return Object.fromEntries(axes(layout).map((name) => [name, /** @type {Layout["xaxis"]} */ (layout[name])?.range]));
}

/** The names of a layout's axes. @param {Layout} layout */
function axes(layout) {
  return Object.keys(layout).filter((name) => /^[xy]axis\d*$/.test(name));
}

/** Both axes of a trace, once Plotly has drawn. @param {Plot} plot  @param {Trace} trace  @returns {?Axis[]} */
export function axesOf(plot, { xaxis = "x", yaxis = "y" }) {
  const layout = /** @type {Record<string, Axis>} */ (/** @type {unknown} */ (plot._fullLayout ?? {}));
  const axes = [xaxis, yaxis].map((id) => layout[`${id[0]}axis${id.slice(1)}`]);
  return axes.every(Boolean) ? axes : null;
}

/**
 * Where a trace's points are, in pixels from the upper left end of its axes.
 * @param {Trace} trace
 * @param {Axis[]} axes
 * @returns {[number, number][]}
 */
export function places({ x = [], y = [] }, [across, down]) {
  return x.map((value, index) => [across.c2p(value ?? NaN), down.c2p(y[index] ?? NaN)]);
}
