// Whether two parts of two answers say the same: then nothing is drawn again.

/**
 * @param {any} one
 * @param {any} other
 * @param {string[]} [but]  names of the outermost object that make no difference
 * @returns {boolean}
 */
export function equal(one, other, but = []) {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => equal(item, other[index]));
  }
  if (!one || !other || typeof one !== "object" || typeof other !== "object") return one === other;
  const [names, others] = [one, other].map((part) => Object.keys(part).filter((name) => !but.includes(name)));
  return names.length === others.length && names.every((name) => name in other && equal(one[name], other[name]));
}
