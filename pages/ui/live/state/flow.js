// When to send what the learner set. Knows neither the page nor the socket.
//
// One request is under way, or two while answers come quickly: then the server computes one picture
// while the browser takes in another. The lab looks up what to ask in the moment it sends it: so the
// server is never asked for a picture nobody will see, and the last value is never lost.

const BUSY_AFTER = 330; // ms before the lab says it is computing
const QUICK_ANSWER = 200; // ms: after an answer in less, two requests may be under way

export class Flow {
  /**
   * @param {(seq: number, moving: boolean) => void} send
   * @param {(busy: boolean) => void} showBusy
   */
  constructor(send, showBusy) {
    this.send = send;
    this.showBusy = showBusy;
    this.seq = 0; // the newest request's number
    this.answeredSeq = 0; // the newest answer's number
    this.room = 1; // requests that may be under way
    this.resting = true; // the newest request was not moving
    /** @type {?{moving: boolean}} */
    this.pending = null; // the next request
    this.open = false;
    this.sentAt = 0;
    this.busyTimer = 0;
  }

  /** There is something to ask. @param {boolean} moving  while the hand still moves */
  offer(moving) {
    this.pending = { moving };
    this.#pump();
  }

  /** The socket is open: send the waiting request or, if none waits, the last one again. */
  begin() {
    this.open = true;
    this.pending ??= { moving: false };
    this.#pump();
  }

  /** The socket is lost, with every answer under way: ask for the newest again. */
  lose() {
    this.open = false;
    clearTimeout(this.busyTimer);
    this.showBusy(false);
    if (this.#underWay()) this.pending ??= { moving: !this.resting };
    this.answeredSeq = this.seq;
  }

  /** An answer has come, or word that there will be none. @param {number} seq */
  answered(seq) {
    if (seq < this.answeredSeq || seq > this.seq) return;
    if (seq === this.seq) this.room = performance.now() - this.sentAt < QUICK_ANSWER ? 2 : 1;
    this.answeredSeq = seq;
    clearTimeout(this.busyTimer);
    this.showBusy(false);
    if (this.#underWay()) this.#busySoon();
    this.#pump();
  }

  /** Whether an answer numbered `seq` is to the newest thing the learner did. @param {number} seq */
  isNewest(seq) {
    return this.pending === null && seq >= this.seq;
  }

  /** Whether nothing is under way and nothing waits. */
  isQuiet() {
    return this.pending === null && !this.#underWay();
  }

  stop() {
    this.pending = null;
    this.open = false;
    clearTimeout(this.busyTimer);
  }

  #underWay() {
    return this.seq - this.answeredSeq;
  }

  #busySoon() {
    clearTimeout(this.busyTimer);
    this.busyTimer = setTimeout(() => this.showBusy(true), BUSY_AFTER);
  }

  #pump() {
    if (this.pending === null || !this.open || this.#underWay() >= this.room) return;
    if (!this.#underWay()) this.#busySoon();
    const { moving } = this.pending;
    this.pending = null;
    this.resting = !moving;
    this.sentAt = performance.now();
    this.seq += 1;
    this.send(this.seq, moving);
  }
}
