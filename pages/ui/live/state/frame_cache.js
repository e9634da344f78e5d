// The last charts, graphs and code, by digest: the server leaves out of an answer what the browser said
// that it has. Several of each are kept: while two requests are under way, the second answer may go
// back to what was there before the first.

/** @import { Frame, Picture } from "../messages.d.ts" */

const MOST = 40; // parts; a frame of the largest lab has ten

export class FrameCache {
  constructor() {
    /** @type {Map<string, any>} */
    this.parts = new Map(); // the one that was used last at the end
  }

  /** Put in what was left out. @param {Frame | Picture} answer */
  complete(answer) {
    for (const spec of answer.figures) spec.figure = this.#whole(spec.digest, spec.figure);
    if (!("graph" in answer)) return;
    const { graph, code } = answer;
    if (graph) answer.graph = this.#whole(graph.digest, graph.nodes && graph);
    if (code) answer.code = this.#whole(code.digest, code.panes && code);
  }

  /**
   * @template Part
   * @param {string} [digest]
   * @param {Part} [part]  what came, if it was not left out
   */
  #whole(digest = "", part = this.parts.get(digest)) {
    this.parts.delete(digest);
    this.parts.set(digest, part);
    if (this.parts.size > MOST) this.parts.delete([...this.parts.keys()][0]);
    return part;
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
