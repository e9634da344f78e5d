// Named in the page itself, so that the lab's modules and the charts' script are there when
// Streamlit has begun: it waits for the network meanwhile, and a script takes long to read.

import { loadPlotly } from "./chart_script.js";
import { watchForFirst } from "./first_picture.js";
import "./lab.js";

watchForFirst();

const begin = () => void loadPlotly(false).catch(() => {}); // the lab says so where it shows
if ("requestIdleCallback" in window) requestIdleCallback(begin, { timeout: 1000 });
else setTimeout(begin, 200); // Safari
