// Texts by name, as Texts does in lessons/gradient_tricks/text/words.py. They are in the en.md next to this file.
import { WORDS } from "./words.js";

/**
 * The text of this name, filled in.
 * @param {string} name
 * @param {Record<string, string | number>} [values]
 */
export function phrase(name, values = {}) {
  return WORDS[name].replace(/\{\{ (\w+) \}\}/g, (_, value) => String(values[value]));
}

/**
 * The text of this name for `n` of something: before the bar for one, else after it.
 * @param {string} name
 * @param {number} n
 */
export function counted(name, n) {
  const [one, more] = WORDS[name].split(" | ");
  return (n === 1 ? one : more).replace("{{ n }}", n.toLocaleString("en"));
}
