// Moves a chart's curves, areas and points without Plotly's whole pipeline. Plotly.react costs
// about 20 ms a chart, most of it spent finding out that only numbers changed. Where only numbers
// changed, writing them into the SVG that Plotly made costs about 1 ms. The chart is then the same
// picture, but Plotly itself holds the old numbers until `charts.js` calls react in a quiet moment.
// Whatever is not a plain scatter trace is left to Plotly.

/** Everything of a figure but its numbers: equal for two figures, only numbers differ. */
export function styleOf({ data, layout }) {
  return JSON.stringify([data.map(({ x, y, ...style }) => style), layout]);
}

/**
 * Write new numbers into a drawn chart.
 * @param {any} plot  the node Plotly drew into, with the same style
 * @param {any[]} data  traces
 * @returns {boolean} false: nothing was changed, Plotly has to draw
 */
export function quickDraw(plot, data) {
  const { xaxis, yaxis } = plot._fullLayout;
  const changes = [];
  for (const [index, trace] of data.entries()) {
    if (trace.visible === false) continue;
    // A map that says where it lies by a corner and steps is all style, which is the same.
    if (trace.type === "heatmap" && trace.x === undefined && trace.y === undefined) continue;
    if (trace.type !== "scatter" || (trace.line?.shape ?? "linear") !== "linear") return false;
    const node = plot.querySelector(`.scatterlayer .trace${plot._fullData[index].uid}`);
    const at = pixels(numbers(trace.x), numbers(trace.y), xaxis, yaxis);
    const found = node && (trace.mode === "markers" ? points(node, at) : lines(node, at, trace));
    if (!found) return false;
    changes.push(...found);
  }
  for (const [node, name, value] of changes) {
    // What stands still costs the browser as much as what moves, unless it is left alone.
    if (node.getAttribute(name) !== value) node.setAttribute(name, value);
  }
  return true;
}

/** As Plotly takes them: a list, or base64 of little-endian floats. */
function numbers(values) {
  if (Array.isArray(values)) return values;
  const bytes = Uint8Array.from(atob(values.bdata), (character) => character.charCodeAt(0));
  return values.dtype === "f8" ? new Float64Array(bytes.buffer) : new Float32Array(bytes.buffer);
}

/** Places in the plot's own pixels; null where a number is not finite. */
function pixels(xs, ys, xaxis, yaxis) {
  return Array.from(xs, (x, index) => {
    const y = ys[index];
    if (x === null || y === null || !Number.isFinite(x) || !Number.isFinite(y)) return null;
    return `${round(xaxis.c2p(x))},${round(yaxis.c2p(y))}`;
  });
}

function points(node, at) {
  const marks = node.querySelectorAll(".points > .point");
  const places = at.filter(Boolean);
  if (marks.length !== places.length) return null;
  return places.map((place, index) => [marks[index], "transform", `translate(${place})`]);
}

/** A line or area: one path a stretch for lines as long as there are enough, one for an area. */
function lines(node, at, trace) {
  const parts = stretches(at).map((part) => part.join("L"));
  if (trace.fill === "toself") {
    const area = node.querySelector(".js-fill");
    return area && [[area, "d", parts.map((part) => `M${part}Z`).join("")]];
  }
  if (trace.fill && trace.fill !== "none") return null;
  const paths = [...node.querySelectorAll(".lines > .js-line")];
  if (trace.mode !== "lines" || !paths.length) return null;
  // A boundary that falls apart or closes has other stretches at every step: the last path takes
  // all that are left, and where there are fewer the others are empty.
  const last = paths.length - 1;
  return paths.map((path, index) => {
    const drawn = index < last ? parts.slice(index, index + 1) : parts.slice(last);
    return [path, "d", drawn.map((part) => `M${part}`).join("")];
  });
}

/** Unbroken runs of two places or more: Plotly draws no line through a single one. */
function stretches(at) {
  const found = [[]];
  for (const place of at) {
    if (place === null) found.push([]);
    else found.at(-1).push(place);
  }
  return found.filter((part) => part.length > 1);
}

function round(value) {
  return Math.round(value * 100) / 100;
}
