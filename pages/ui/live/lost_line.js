// While the line to the server is lost: the lab says so when it lasts, and once the line is open
// again the page is drawn anew, by a server that may not know it.

import * as tab from "./tab.js";

const SOON = 100; // ms between two looks whether Streamlit is connected again
const UNNOTED = 1000; // ms without a line before there is a note of it: most breaks are shorter
const LOST = "The connection to the server is lost. What you set stays; it is tried again.";

export class LostLine {
  /** @param {(text: string) => void} note */
  constructor(note) {
    this.note = note;
    this.lost = false; // and not open again
    this.noting = this.waking = 0;
  }

  begin() {
    this.lost = true;
    tab.leave();
    clearTimeout(this.waking);
    clearTimeout(this.noting);
    this.noting = setTimeout(() => this.note(LOST), UNNOTED);
  }

  /** A line is open: the first one, or one again. */
  end() {
    clearTimeout(this.noting);
    if (this.lost) this.#wakeSoon();
    this.lost = false;
  }

  /** The lab has left the page. */
  stop() {
    clearTimeout(this.noting);
    clearTimeout(this.waking);
    if (this.lost) tab.stay();
  }

  /**
   * A server that was started meanwhile does not know the page before it has drawn it, and would
   * miss what is pressed there. Streamlit connects by itself, but draws nothing then.
   */
  #wakeSoon() {
    clearTimeout(this.waking);
    const state = document.querySelector(".stApp")?.getAttribute("data-test-connection-state");
    if (state === "CONNECTED") tab.comeBack();
    else this.waking = setTimeout(() => this.#wakeSoon(), SOON);
  }
}
