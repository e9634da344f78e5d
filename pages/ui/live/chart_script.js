// Plotly's script, loaded once for the page: a build with lines, bars and maps alone.

import { element } from "./dom.js";
import { PLOTLY } from "./addresses.js";

/** @import { Plotly } from "./plotly.d.ts" */

/** @type {?Promise<Plotly>} */
let asked = null;

/**
 * Load Plotly; after a failure, the next call tries again.
 * @returns {Promise<Plotly>}
 */
export function loadPlotly() {
  if (!asked) {
    asked = load();
    asked.catch(() => (asked = null));
  }
  return asked;
}

/** @returns {Promise<Plotly>} */
function load() {
  return new Promise((resolve, reject) => {
    const script = element("script", "", { src: new URL(PLOTLY, import.meta.url).href });
    const fail = () => {
      script.remove();
      reject(new Error("Plotly's script could not be loaded."));
    };
    script.onload = () => (window.Plotly ? resolve(window.Plotly) : fail());
    script.onerror = fail;
    document.head.append(script);
  });
}
