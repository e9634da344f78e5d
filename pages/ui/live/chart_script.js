// Plotly's script, loaded once for the page: a small one for lines and bars, which nearly all
// charts are; where one is made of colours, the whole one, four times as large.

import { element } from "./dom.js";
import { BASIC, WHOLE } from "./addresses.js";

/** @import { FigureSpec } from "./messages.d.ts" */
/** @import { Plotly } from "./plotly.d.ts" */

const IN_BASIC = ["scatter", "bar", "pie"];

/** @type {Map<boolean, Promise<Plotly>>} */
const asked = new Map(); // by whether it is the whole one

/**
 * Whether a chart needs the whole script.
 * @param {Iterable<FigureSpec>} specs
 */
export function needWhole(specs) {
  for (const { figure } of specs) {
    if (figure?.data.some(({ type = "scatter" }) => !IN_BASIC.includes(type))) return true;
  }
  return false;
}

/**
 * What can draw these at once, if its script is there.
 * @param {Iterable<FigureSpec>} specs
 */
export function plotlyFor(specs) {
  return window.Plotly && !needWhole(specs) ? window.Plotly : null;
}

/**
 * Plotly; where its script did not come, who asks next tries again.
 * @param {boolean} whole  or else what there is
 * @returns {Promise<Plotly>}
 */
export function loadPlotly(whole) {
  const found = asked.get(true) ?? asked.get(whole);
  if (found) return found;
  const coming = load(whole ? WHOLE : BASIC);
  asked.set(whole, coming);
  coming.catch(() => asked.delete(whole));
  return coming;
}

/**
 * @param {string} address
 * @returns {Promise<Plotly>}
 */
function load(address) {
  return new Promise((resolve, reject) => {
    const script = element("script", "", { src: new URL(address, import.meta.url).href });
    const fail = () => {
      script.remove();
      reject(new Error("Plotly's script could not be loaded."));
    };
    script.onload = () => (window.Plotly ? resolve(window.Plotly) : fail());
    script.onerror = fail;
    document.head.append(script);
  });
}
