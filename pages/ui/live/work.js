// Long work, while it goes on: how far it is, and a button that stops it.

import { element, setText } from "./dom.js";

export class Work {
  /** @param {HTMLElement} box  @param {() => void} stop */
  constructor(box, stop) {
    this.box = box;
    this.bar = element("progress", "gl-progress", { max: "1", "aria-label": "Computing" });
    this.text = element("span", "gl-trained");
    const button = element("button", "gl-button", { type: "button" }, "Stop");
    button.addEventListener("click", stop);
    box.append(this.bar, this.text, button);
    box.hidden = true;
  }

  /** @param {number} share  @param {string} text */
  show(share, text) {
    this.bar.value = share;
    setText(this.text, text);
    this.box.hidden = false;
  }

  hide() {
    if (!this.box.hidden) this.box.hidden = true;
  }
}
