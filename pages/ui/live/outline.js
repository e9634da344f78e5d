// Points at the part of the lab that the text beside it speaks of: a frame round it, and when a
// new text asks for it, into view if it is out of sight.

export class Outline {
  /**
   * @param {HTMLElement} root
   * @param {Record<string, HTMLElement>} parts  those that are no figures, by name
   */
  constructor(root, parts) {
    this.root = root;
    this.parts = parts;
    /** @type {Element | null} */
    this.part = null;
    /** @type {string | null} */
    this.step = null;
  }

  /** @param {{name: string, step: string} | null} show */
  show(show) {
    const name = show?.name ?? "";
    const figure = name && this.root.querySelector(`[data-figure="${CSS.escape(name)}"]`);
    const part = (this.parts[name] ?? figure) || null;
    if (part !== this.part) {
      this.part?.classList.remove("gl-outlined");
      part?.classList.add("gl-outlined");
      this.part = part;
    }
    const step = show?.step ?? "";
    if (part && this.step !== null && this.step !== step) scrollIntoSight(part);
    this.step = step; // a page that is just opened stays at its top
  }
}

/** @param {Element} part */
function scrollIntoSight(part) {
  const { top, bottom } = part.getBoundingClientRect();
  const seen = Math.min(bottom, innerHeight) - Math.max(top, 0);
  if (seen >= Math.min(bottom - top, innerHeight) * 0.6) return;
  const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
  part.scrollIntoView({ block: "center", behavior });
}
