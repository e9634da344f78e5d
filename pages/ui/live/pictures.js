// The pictures of a training, each shown when it is its turn. What a hand has just set comes first:
// its frame is there within milliseconds, and a picture of a training takes longer to paint than that.

/** @import { Picture } from "./messages.d.ts" */

const A_FRAME = 17; // ms in which a frame is painted before a picture is drawn
const DELAY = 100; // ms for which a picture waits for the frame that a hand has asked for
const PATIENT = 4000; // ms that the first picture may take before the rest is shown

export class Pictures {
  /**
   * @param {Object} lab
   * @param {() => boolean} lab.isQuiet  whether no frame is awaited
   * @param {(picture: Picture, first: boolean) => void} lab.show
   * @param {(picture: Picture) => void} lab.taken  it is the newest now, and about to be shown
   * @param {() => void} lab.done  a picture was shown, or a newer one has come before that
   */
  constructor(lab) {
    this.lab = lab;
    /** @type {?Picture} */
    this.newest = null; // of those shown
    /** @type {?Picture} */
    this.delayed = null;
    this.holding = this.waiting = 0;
  }

  /** How a training stands. @param {Picture} picture */
  take(picture) {
    if (this.newest && !this.lab.isQuiet()) this.#showLater(picture, DELAY);
    else this.#show(picture);
  }

  /**
   * Show a frame, and soon after it the picture that it has overtaken: with it, if no other follows.
   * The frame of a lab that trains waits for the first picture.
   * @param {boolean} trains
   * @param {() => void} show
   */
  showFrame(trains, show) {
    clearTimeout(this.waiting);
    const { delayed } = this;
    if (trains && delayed && delayed.training.state !== "running") {
      this.#take(delayed);
      this.lab.done();
    }
    if (trains && !this.newest) this.waiting = setTimeout(show, PATIENT);
    else show();
    if (this.delayed) this.#showLater(this.delayed, A_FRAME);
  }

  /** Show none that waits: its run is over. */
  drop() {
    clearTimeout(this.holding);
    if (this.delayed) this.lab.done();
    this.delayed = null;
  }

  stop() {
    clearTimeout(this.waiting);
    clearTimeout(this.holding);
  }

  /** @param {Picture} picture  @param {number} ms */
  #showLater(picture, ms) {
    if (this.delayed && this.delayed !== picture) this.lab.done();
    this.delayed = picture;
    clearTimeout(this.holding);
    this.holding = setTimeout(() => this.#show(picture), ms);
  }

  /** @param {Picture} picture */
  #show(picture) {
    clearTimeout(this.waiting);
    const first = !this.newest;
    this.#take(picture);
    this.lab.show(picture, first);
    this.lab.done();
  }

  /** @param {Picture} picture */
  #take(picture) {
    clearTimeout(this.holding);
    this.delayed = null;
    this.newest = picture;
    this.lab.taken(picture);
  }
}
