// Colours by name. A figure says "role:forward/0.25" or "ink:grid"; here the name becomes the
// colour that the CSS variable --role-forward or --ink-grid has under the theme of the moment.

const TOKEN = /^(role|ink):([\w-]+)(?:\/([\d.]+))?$/;

export class Palette {
  /** @param {HTMLElement} root  the element whose variables count */
  constructor(root) {
    this.root = root;
    this.probe = root.appendChild(document.createElement("span"));
    this.probe.hidden = true;
    /** @type {Map<string, string>} colours by token */
    this.cache = new Map();
    this.theme = "";
  }

  /** Look at the theme again. @returns {boolean} whether it differs from before */
  refresh() {
    const theme = ["--st-background-color", "--ink-text", "--role-forward"].map((name) => this.#rgba(`var(${name})`)).join();
    if (theme === this.theme) return false;
    this.theme = theme;
    this.cache.clear();
    return true;
  }

  /**
   * A copy of a figure's part with every token replaced; numbers are passed on as they are.
   * @template Part
   * @param {Part} part
   * @returns {Part}
   */
  paint(part) {
    /** @type {any} */
    const value = part;
    if (typeof value === "string") return /** @type {any} */ (this.#resolve(value));
    if (Array.isArray(value)) {
      const plain = typeof (value[0] ?? 0) === "number" && typeof value[1] !== "string"; // no [place, colour]
      return plain ? part : /** @type {any} */ (value.map((item) => this.paint(item)));
    }
    if (value === null || typeof value !== "object") return part;
    const copy = Object.entries(value).map(([name, inner]) => [name, this.paint(inner)]);
    return /** @type {any} */ (Object.fromEntries(copy));
  }

  /** @param {string} text */
  #resolve(text) {
    const known = this.cache.get(text);
    const [, kind, name, alpha] = (!known && TOKEN.exec(text)) || [];
    if (!kind) return known ?? text;
    const [red, green, blue, own] = this.#rgba(`var(--${kind}-${name})`);
    const colour = `rgba(${red},${green},${blue},${alpha ?? own})`;
    this.cache.set(text, colour);
    return colour;
  }

  /**
   * The browser works out what a CSS colour is: "rgb(0, 114, 178)", or with a fourth number its opacity.
   * @param {string} css
   */
  #rgba(css) {
    this.probe.style.color = css;
    const [red, green, blue, alpha = 1] = (getComputedStyle(this.probe).color.match(/[\d.]+/g) ?? []).map(Number);
    return [red, green, blue, alpha];
  }
}
