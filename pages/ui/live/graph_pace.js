// When the graph may wait: while a hand drags nobody reads numbers faster than PACE, and where nobody
// sees it it need not follow at all. The server then neither makes nor sends it.

import { PACE } from "./pace.js";

export class GraphPace {
  /** @param {() => void} ask  for what waited, where the hand has stopped and not let go */
  constructor(ask) {
    this.ask = ask;
    this.waits = false; // the newest wish leaves it as it is
    this.askedAt = 0; // ms
    this.of = ""; // what the newest one asked for depends on, but for the values …
    this.from = 0; // … and from which wish on
    this.timer = 0;
  }

  /**
   * A wish is about to go. The graph waits in none before one came with these cuts and at this step:
   * the answer says what is cut.
   * @param {number} seq  of the wish
   * @param {boolean} live  while the hand still moves
   * @param {string} of  what the graph depends on, but for the values
   * @param {number} came  the number of the answer that is shown
   * @param {boolean} inSight
   */
  sends(seq, live, of, came, inSight) {
    const now = performance.now();
    if (of !== this.of) [this.of, this.from] = [of, seq];
    this.waits = live && came >= this.from && (!inSight || now - this.askedAt < PACE);
    if (!this.waits) this.askedAt = now;
    clearTimeout(this.timer);
  }

  /** Ask soon for what waits, unless another wish goes before. */
  askSoon() {
    clearTimeout(this.timer);
    if (this.waits) this.timer = setTimeout(this.ask, PACE);
  }

  stop() {
    clearTimeout(this.timer);
  }
}
