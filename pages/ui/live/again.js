// Runs while the browser still reads Streamlit's script, and shows who was here before what they
// will see.

import { loadPlotly } from "./chart_script.js";
import { keptFirst } from "./first_kept.js";

const kept = keptFirst();
if (kept) {
  const font = document.fonts.load(`16px ${kept.theme.font}`); // else all is measured in another one
  const wanted = Promise.allSettled([loadPlotly(), font]); // it can do without
  const [{ showKept }] = await Promise.all([import("./first_place.js"), wanted]);
  showKept(kept);
}
