// Progress across reloads, in a cookie. Every tab is a session of its own and knows what stood in
// the cookie when it came: it writes what it has changed itself, lesson by lesson, over what the
// cookie holds now, so that no tab undoes what another has done, or forgotten.

const FORM = "2!"; // as memory.py writes it: lessons with "/" between, each beginning with its name

/**
 * @typedef {Object} Cookie
 * @property {string} name
 * @property {string} path       where the app lies on its host
 * @property {string} session    whose this is
 * @property {string} start      what the session found when it came
 * @property {string} value      all that it knows now
 * @property {number} forgotten  how often the learner has had everything forgotten
 * @property {number} longest    characters that a cookie may have
 */

let taken = { session: "", value: "", forgotten: 0 }; // the newest that this tab has taken in

/** For pages/ui/memory.py. @param {import("../../component.d.ts").Component<Cookie>} component */
export function render({ data: cookie }) {
  const { name, path, session, start, value, forgotten, longest } = cookie;
  const same = taken.session === session;
  // A tab that comes back to a server that does not know it has done nothing by that.
  const before = same ? taken.value : taken.session ? value : start;
  const afresh = same && taken.forgotten !== forgotten;
  taken = { session, value, forgotten };
  if (value === before && !afresh) return;
  let text = afresh ? value : merged(before, value, current(name) ?? "");
  if (text.length > longest) text = value;
  // A year, this site only: no account, nothing that leaves the browser but to this server.
  const secure = location.protocol === "https:" ? "; secure" : "";
  const written = `${name}=${text}; path=${path}; max-age=31536000`;
  document.cookie = `${written}; samesite=lax${secure}`;
  // In a frame of another site browsers refuse that one. This one they keep for that site alone.
  if (current(name) !== text) document.cookie = `${written}; samesite=none; secure; partitioned`;
}

/**
 * Merge into the cookie's text the lessons that differ between `before` and `value`.
 * @param {string} before
 * @param {string} value
 * @param {string} current
 */
function merged(before, value, current) {
  const [old, own, all] = [parts(before), parts(value), parts(current)];
  for (const slug of new Set([...old.keys(), ...own.keys()])) {
    const mine = own.get(slug);
    if (old.get(slug) === mine) continue;
    if (mine === undefined) all.delete(slug);
    else all.set(slug, mine);
  }
  return all.size ? FORM + [...all.values()].join("/") : "";
}

/**
 * @param {string} text  a cookie's
 * @returns {Map<string, string>} by lesson
 */
function parts(text) {
  const all = text.startsWith(FORM) ? text.slice(FORM.length).split("/") : [];
  return new Map(all.filter(Boolean).map((part) => [part.split(":")[0], part]));
}

/** @param {string} name */
function current(name) {
  const found = document.cookie.split("; ").find((one) => one.startsWith(`${name}=`));
  return found?.slice(name.length + 1);
}
