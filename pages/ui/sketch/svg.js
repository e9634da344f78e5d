// Makes the elements of the drawing. Text only ever goes in as text.

/** @typedef {Record<string, string | number>} Attributes */

/**
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} attributes
 * @param {...(Node|string)} children
 */
export function svg(tag, attributes, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} attributes
 * @param {...(Node|string)} children
 */
export function element(tag, attributes, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/**
 * @template {Element} Shape
 * @param {Shape} node
 * @param {Attributes} attributes
 * @param {(Node|string)[]} children
 */
function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}

/** @param {number[][]} points */
export function path(points) {
  return points.map(([x, y], at) => `${at ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}

/** The same points as the lab's charts draw a target. @param {number[][]} points */
export function ticks(points) {
  return points.map(([x, y]) => `M${x.toFixed(1)} ${(y - 5).toFixed(1)}v10`).join("");
}
