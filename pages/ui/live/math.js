// LaTeX to MathML, for the formulas of lessons/tracer/derivatives/along_edge.py and no others: browsers draw MathML
// themselves. A word that is not known is shown as it is written; a test holds that none is.

const NAMESPACE = "http://www.w3.org/1998/Math/MathML";

/** @typedef {Record<string, string>} Words  what each word of LaTeX becomes */

/** @type {Words} */
const OPERATORS = {
  cdot: "·", times: "×", odot: "⊙", star: "⋆", le: "≤", ge: "≥", neq: "≠", ni: "∋", to: "→",
  neg: "¬", dots: "…", langle: "⟨", rangle: "⟩", lVert: "‖", rVert: "‖", lfloor: "⌊",
  rfloor: "⌋", sum: "∑", prod: "∏",
}; // prettier-ignore
/** @type {Words} */
const LETTERS = {
  sigma: "σ", psi: "ψ", Phi: "Φ", varphi: "φ", pi: "π", gamma: "γ", mu: "μ", delta: "δ",
  partial: "∂", infty: "∞", top: "⊤",
}; // prettier-ignore
const FUNCTIONS = ["sin", "cos", "tan", "sinh", "cosh", "tanh", "ln", "log", "min", "max", "arg"];
/** @type {Words} */
const SPACES = { ",": "0.17em", ";": "0.28em", " ": "0.25em", quad: "1em", qquad: "2em" };
/** @type {Words} */
const ACCENTS = { bar: "¯", overline: "¯", hat: "^" };
/** @type {Words} */
const FONTS = { text: "mtext", mathit: "mi", mathbf: "mi", operatorname: "mi" };

/**
 * @param {string} latex
 * @returns {Element} a `math` element
 */
export function math(latex) {
  const root = make("math", row(new Reader(latex)));
  root.setAttribute("aria-label", latex); // where MathML is not read out, the formula still is
  return root;
}

/**
 * @param {string} tag
 * @param {...(Node|string)} children
 */
function make(tag, ...children) {
  const node = document.createElementNS(NAMESPACE, tag);
  node.append(...children);
  return node;
}

class Reader {
  /** @param {string} latex */
  constructor(latex) {
    /** @type {string[]} */
    this.tokens = latex.match(/\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|[^\s]/g) ?? [];
    this.latex = latex;
    this.at = 0;
    /** @type {string[] | null} */
    this.words = null; // the texts in braces still to come
  }
  peek() {
    return this.tokens[this.at];
  }
  next() {
    return this.tokens[this.at++];
  }
}

/**
 * Everything up to a closing brace, \right or the end.
 * @param {Reader} reader
 * @returns {Element}
 */
function row(reader) {
  const parts = [];
  while (reader.peek() !== undefined && reader.peek() !== "}" && reader.peek() !== "\\right") {
    parts.push(scripted(reader));
  }
  return parts.length === 1 ? parts[0] : make("mrow", ...parts);
}

/**
 * One thing with what stands below and above it.
 * @param {Reader} reader
 */
function scripted(reader) {
  const base = atom(reader);
  let below, above;
  for (;;) {
    if (reader.peek() === "_") (reader.next(), (below = atom(reader)));
    else if (reader.peek() === "^") (reader.next(), (above = atom(reader)));
    else break;
  }
  const wide = /[∑∏]/.test(base.textContent ?? "") && base.localName === "mo";
  if (below && above) return make(wide ? "munderover" : "msubsup", base, below, above);
  if (below) return make(wide ? "munder" : "msub", base, below);
  if (above) return make("msup", base, above);
  return base;
}

/**
 * @param {Reader} reader
 * @returns {Element}
 */
function atom(reader) {
  const token = reader.next() ?? "";
  if (token === "{") {
    const inside = row(reader);
    reader.next();
    return inside;
  }
  if (token.startsWith("\\")) return command(reader, token.slice(1));
  if (/^\d/.test(token)) return make("mn", token);
  if (/^\p{L}/u.test(token)) return make("mi", token);
  return make("mo", token === "-" ? "−" : token);
}

/**
 * @param {Reader} reader
 * @param {string} name
 */
function command(reader, name) {
  if (name === "frac") return make("mfrac", atom(reader), atom(reader));
  if (name === "sqrt") return make("msqrt", atom(reader));
  if (name in ACCENTS) {
    const over = make("mover", atom(reader), make("mo", ACCENTS[name]));
    over.setAttribute("accent", "true");
    return over;
  }
  if (name in FONTS) return word(reader, name);
  if (name === "left") {
    const open = make("mo", reader.next());
    const inside = row(reader);
    reader.next();
    return make("mrow", open, inside, make("mo", reader.next() ?? ""));
  }
  if (name in SPACES) {
    const space = make("mspace");
    space.setAttribute("width", SPACES[name]);
    return space;
  }
  if (name in OPERATORS) return make("mo", OPERATORS[name]);
  if (name in LETTERS) return make("mi", LETTERS[name]);
  if (FUNCTIONS.includes(name)) return make("mrow", make("mi", name), make("mo", "\u2061"));
  return make(/^[A-Za-z]/.test(name) ? "mtext" : "mi", name);
}

/**
 * The text in braces, spaces and all: it was left out of the tokens, so it is read again.
 * @param {Reader} reader
 * @param {string} name
 */
function word(reader, name) {
  const text = reader.words?.shift() ?? readWords(reader);
  while (reader.next() !== "}") if (reader.peek() === undefined) break;
  const node = make(FONTS[name], text);
  if (name === "mathbf") node.setAttribute("mathvariant", "bold");
  if (name === "operatorname") node.setAttribute("mathvariant", "normal");
  return node;
}

/** @param {Reader} reader */
function readWords(reader) {
  const found = [...reader.latex.matchAll(/\\(?:text|mathit|mathbf|operatorname)\{((?:[^{}\\]|\\.)*)\}/g)];
  reader.words = found.map((match) => match[1].replace(/\\(.)/g, "$1"));
  return reader.words.shift() ?? "";
}
