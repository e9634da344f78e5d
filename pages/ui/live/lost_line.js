// While the lab's line to the server is lost: the lab says so when it lasts.

const UNNOTED = 1000; // ms without a line before there is a note of it: most breaks are shorter
const LOST = "The connection to the server is lost. What you set stays; it is tried again.";

export class LostLine {
  /** @param {(text: string) => void} note */
  constructor(note) {
    this.note = note;
    this.noting = 0;
  }

  begin() {
    this.end();
    this.noting = setTimeout(() => this.note(LOST), UNNOTED);
  }

  /** A line is open, or the lab has left the page. */
  end() {
    clearTimeout(this.noting);
  }
}
