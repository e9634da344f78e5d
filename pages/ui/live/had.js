// The parts of the last frames, by what they are: the server leaves out of an answer what the
// browser said that it has. That need not be the last frame's: while two requests are under way,
// the second answer may go back to what was there before the first.

/** @import { Frame } from "./messages.d.ts" */

const MOST = 3; // frames: what two requests under way may bring, and the one before them

export class Had {
  constructor() {
    /** @type {Frame[]} */
    this.frames = [];
  }

  /** Put in what was left out. @param {Frame} frame */
  complete(frame) {
    for (const spec of frame.figures) {
      if (spec.figure) continue;
      const same = this.#find(({ figures }) =>
        figures.find(({ id, digest }) => id === spec.id && digest === spec.digest),
      );
      spec.figure = same?.figure;
    }
    const { graph, code } = frame;
    if (graph && !graph.nodes) {
      const same = this.#find((past) => past.graph?.digest === graph.digest && past.graph);
      frame.graph = same || null;
    }
    if (code && !code.panes) {
      const same = this.#find((past) => past.code?.digest === code.digest && past.code);
      frame.code = same || null;
    }
    this.frames = [frame, ...this.frames].slice(0, MOST);
  }

  /**
   * @template Part
   * @param {(frame: Frame) => Part} part
   */
  #find(part) {
    for (const frame of this.frames) {
      const found = part(frame);
      if (found) return found;
    }
    return undefined;
  }
}

/**
 * What the next answer need not bring again.
 * @param {?Frame} frame  the last one
 * @returns {Record<string, string>} digests by name
 */
export function digests(frame) {
  if (!frame) return {};
  const had = frame.figures.map(({ id, digest }) => [id, digest ?? ""]);
  if (frame.graph) had.push(["graph", frame.graph.digest ?? ""]);
  if (frame.code) had.push(["code", frame.code.digest]);
  return Object.fromEntries(had);
}
