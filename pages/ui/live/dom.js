// Helpers for building and changing the page without a framework. Text only ever goes in as
// text: nothing from a payload is parsed as HTML.

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} className
 * @param {Record<string, string>} [attributes]
 * @param {...(Node|string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, className, attributes = {}, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/**
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} className
 * @param {Record<string, string | number>} [attributes]
 * @param {...(Node|string)} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function svg(tag, className, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  if (className) node.setAttribute("class", className);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}

/**
 * A button that does something.
 * @param {string} label
 * @param {() => void} press
 * @param {Record<string, string>} [attributes]
 */
export function button(label, press, attributes = {}) {
  const made = element("button", "gl-button", { type: "button", ...attributes }, label);
  made.addEventListener("click", press);
  return made;
}

/**
 * Set a node's text only when it differs: an unchanged node costs no layout. Its own text node is
 * kept: where one goes and another comes, the browser asks every `:has()` of the page again.
 * @param {Node} node
 * @param {string} text
 */
export function setText(node, text) {
  const { firstChild } = node;
  if (text && firstChild instanceof Text && firstChild === node.lastChild) {
    if (firstChild.data !== text) firstChild.data = text;
  } else if (node.textContent !== text) node.textContent = text;
}

/** How far a key leads along a row. @type {Record<string, number | undefined>} */
export const ALONG = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity };

/** Let the arrow keys move the focus between a box's children; Tab stops at one. @param {HTMLElement} box */
export function arrows(box) {
  box.addEventListener("keydown", ({ key, target }) => {
    const children = /** @type {HTMLElement[]} */ ([...box.children]);
    const by = ALONG[key];
    const at = children.indexOf(/** @type {HTMLElement} */ (target));
    if (by !== undefined) children[Math.max(0, Math.min(children.length - 1, at + by))]?.focus();
  });
}

/**
 * Make `parent` hold exactly `children`, in order, moving only what is out of place.
 * @param {Element} parent
 * @param {Element[]} children
 */
export function setChildren(parent, children) {
  children.forEach((child, index) => {
    if (parent.childNodes[index] !== child) {
      parent.insertBefore(child, parent.childNodes[index] ?? null);
    }
  });
  while (parent.childNodes.length > children.length) parent.lastChild?.remove();
}

/**
 * Make `parent` hold `count` children: keep those it has, add new ones or drop the last.
 * @template {Element} Child
 * @param {Element} parent
 * @param {number} count
 * @param {() => Child} make
 * @returns {Child[]}
 */
export function fit(parent, count, make) {
  const had = /** @type {HTMLCollectionOf<Child>} */ (parent.children);
  const children = Array.from({ length: count }, (_, place) => had[place] ?? make());
  setChildren(parent, children);
  return children;
}

/**
 * Set an attribute; remove it if the value is empty.
 * @param {Element} node
 * @param {string} name
 * @param {string | number | null | undefined} value
 */
export function setOrRemove(node, name, value) {
  if (value === undefined || value === null || value === "") node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, String(value));
}

/**
 * Set several attributes.
 * @param {Element} node
 * @param {Record<string, string | number | null | undefined>} attributes
 */
export function setAll(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) setOrRemove(node, name, value);
}

/** Download a file. @param {BlobPart} content  @param {string} name */
export function save(content, name) {
  const url = URL.createObjectURL(new Blob([content], { type: "text/plain" }));
  element("a", "", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
