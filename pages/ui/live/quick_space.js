// A surface in space that stays while the paths on it move. Plotly makes every trace of a space anew
// whenever one has changed, and a surface costs it ten times what the rest does.

/** @import { Plot, SpaceTrace, Trace } from "./plotly.d.ts" */

/** @type {WeakSet<SpaceTrace>} */
const known = new WeakSet();

/**
 * From now on a surface that Plotly has drawn here is made anew only where it has changed.
 * @param {Plot} plot
 */
export function keepSurfaces(plot) {
  const space = plot._fullLayout?.scene?._scene;
  for (const made of Object.values(space?.traces ?? {})) {
    if (made.data.type !== "surface" || known.has(made)) continue;
    known.add(made);
    const update = made.update.bind(made);
    let last = look(made.data, space?.dataScale);
    made.update = (data) => {
      const now = look(data, space?.dataScale);
      if (same(now, last)) return;
      last = now;
      update(data);
    };
  }
}

/**
 * All that a surface is made of: what Plotly has worked out from it itself is left away.
 * @param {Trace} data
 * @param {unknown} scale
 */
function look(data, scale) {
  const own = Object.entries(data).filter(([name]) => !name.startsWith("_"));
  return [...own.sort(([one], [other]) => (one < other ? -1 : 1)), scale];
}

/**
 * Whether two values are the same, number by number.
 * @param {any} one
 * @param {any} other
 * @returns {boolean}
 */
function same(one, other) {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return false;
  if (one instanceof Float32Array) {
    return one.length === other.length && one.every((part, index) => Object.is(part, other[index]));
  }
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => same(one[name], other[name]));
}
