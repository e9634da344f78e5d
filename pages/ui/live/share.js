// Take a lab away: its address, its graph and charts as pictures. All of it is as the lab
// stands when it is asked for.

import { button, element, setChildren, setText, svg } from "./dom.js";
import { phrase } from "./phrase.js";

/** @import { Charts } from "./charts/charts.js" */
/** @typedef {{id: string, title: string, draw: () => Promise<Element>}} Picture */

const EMBEDDED = ["embed", "embed_options"];
const FOOT_HEIGHT = 26; // pixels below a picture, for the lesson and its address
const LONGEST_ADDRESS = 100; // characters that fit there
const LINE_HEIGHT = 24, LETTER_WIDTH = 8; // pixels of a line of the sentence below a picture, and of a letter in it
const PIXEL_RATIO = 2; // a picture's pixels for each pixel of the screen, so that it is sharp

export class Share {
  /** @param {Charts} charts */
  constructor(charts) {
    this.charts = charts;
    this.said = element("p", "gl-said", { role: "status" });
    this.text = element("textarea", "gl-field gl-shared", { readonly: "", rows: "3", hidden: "", "aria-label": phrase("to_copy") });
    this.pictures = element("ul", "gl-pictures");
    const copied = async () => {
      this.root.open = true;
      await this.#copy(address().href);
      if (!this.root.contains(this.link)) setText(this.link, this.said.textContent ?? "");
    };
    this.link = button(phrase("copy_link"), copied); // the bench has it outside the menu
    const menu = element("div", "gl-menu", {}, this.link, this.pictures, this.said, this.text);
    this.root = element("details", "gl-share", {}, element("summary", "gl-button", {}, phrase("share")), menu);
    this.root.addEventListener("toggle", () => this.#open());
  }

  #open() {
    if (!this.root.open) return;
    setText(this.said, "");
    this.text.hidden = true;
    /** @type {Picture[]} */
    const pictures = [];
    const graph = document.querySelector(".gl-lab .gl-svg");
    if (graph instanceof SVGSVGElement && graph.clientWidth) pictures.push({ id: "graph", title: phrase("graph"), draw: async () => dressed(graph) });
    const sentence = document.querySelector(".gl-both")?.textContent ?? "";
    if (sentence) pictures.push({ id: "bench", title: phrase("charts_and_sentence"), draw: () => together(this.charts, sentence) });
    for (const [id, chart] of this.charts.all) {
      const title = titled(chart);
      pictures.push({ id, title, draw: async () => parsed(await chart.picture(title)) });
    }
    const rows = pictures.map((one) => element("li", "", {}, element("span", "", {}, one.title), this.#picture(one)));
    setChildren(this.pictures, rows);
    if (document.activeElement !== this.link) this.root.scrollIntoView({ block: "nearest" });
  }

  /** @param {Picture} picture */
  #picture({ id, title, draw }) {
    const take = async () => {
      try {
        const href = await painted(await signed(await draw()));
        const name = `${id}.png`;
        element("a", "", { href, download: name }).click();
        setText(this.said, phrase("saved_as", { name }));
      } catch (error) {
        console.error(error);
        setText(this.said, phrase("picture_failed"));
      }
    };
    return button("PNG", take, { "aria-label": phrase("picture_as_png", { title }) });
  }

  /** Without a secure address the browser copies only what is selected. @param {string} text */
  async #copy(text) {
    this.text.value = text;
    this.text.hidden = false;
    this.text.select();
    const done = await Promise.resolve(navigator.clipboard?.writeText(text)).then(
      () => Boolean(navigator.clipboard),
      () => false,
    );
    setText(this.said, done || document.execCommand("copy") ? phrase("copied") : phrase("press_to_copy"));
  }
}

/** The address of this lab as it is set, outside of any frame. */
function address() {
  const url = new URL(location.href);
  for (const name of EMBEDDED) url.searchParams.delete(name);
  return url;
}

function lesson() {
  return document.querySelector("h1")?.textContent ?? document.title;
}

/** @param {string} picture  its address */
function parsed(picture) {
  const source = decodeURIComponent(picture.slice(picture.indexOf(",") + 1));
  return new DOMParser().parseFromString(source, "image/svg+xml").documentElement;
}

/** A chart's title; on the bench with its variant. @param {import("./charts/chart.js").Chart} chart */
function titled({ spec: { id, title } }) {
  const [, variant] = /^([ab])\./.exec(id) ?? [];
  return variant ? `${variant.toUpperCase()}: ${title}` : title;
}

/** The charts where they stand on the page, and a sentence below them. @param {Charts} charts  @param {string} sentence */
async function together(charts, sentence) {
  const there = [...charts.all.values()].filter(({ root }) => root.closest(".gl-below"));
  const boxes = there.map(({ root }) => root.getBoundingClientRect());
  const [left, top] = [Math.min(...boxes.map(({ x }) => x)), Math.min(...boxes.map(({ y }) => y))];
  const [right, bottom] = [Math.max(...boxes.map((box) => box.right)), Math.max(...boxes.map((box) => box.bottom))];
  const pictures = await Promise.all(there.map(async (chart) => parsed(await chart.picture(titled(chart)))));
  for (const [place, { x, y }] of boxes.entries()) {
    pictures[place].setAttribute("x", String(x - left));
    pictures[place].setAttribute("y", String(y - top));
  }
  const letters = Math.floor((right - left) / LETTER_WIDTH);
  const lines = sentence.match(new RegExp(`.{1,${letters}}(?:\\s|$)`, "g")) ?? [];
  const { color, fontFamily } = getComputedStyle(document.querySelector(".stApp") ?? document.body);
  const font = { x: 8, fill: color, "font-size": 16, "font-family": fontFamily };
  const words = lines.map((line, place) => svg("text", "", { ...font, y: bottom - top + (place + 1) * LINE_HEIGHT }, line));
  return svg("svg", "", { width: right - left, height: bottom - top + (lines.length + 0.5) * LINE_HEIGHT }, ...pictures, ...words);
}

const LOOK = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "visibility", "display"];
const TYPE = ["font-family", "font-size", "font-weight", "text-anchor", "dominant-baseline"];

/** A copy of the graph that looks the same without the page's style. @param {SVGSVGElement} graph */
function dressed(graph) {
  const copy = /** @type {SVGSVGElement} */ (graph.cloneNode(true));
  const copies = [copy, .../** @type {NodeListOf<SVGElement>} */ (copy.querySelectorAll("*"))];
  for (const [place, node] of [graph, ...graph.querySelectorAll("*")].entries()) {
    const look = getComputedStyle(node);
    for (const name of [...LOOK, ...TYPE]) copies[place]?.style.setProperty(name, look.getPropertyValue(name));
  }
  copy.setAttribute("width", String(graph.clientWidth));
  copy.setAttribute("height", String(graph.clientHeight));
  return copy;
}

/** The address of a picture with the app's font in it and, below, the lesson and its address. @param {Element} picture */
async function signed(picture) {
  const [width, height] = ["width", "height"].map((side) => Number(picture.getAttribute(side)));
  const { fontFamily, color, backgroundColor } = getComputedStyle(document.querySelector(".stApp") ?? document.body);
  const url = address();
  if (url.href.length > LONGEST_ADDRESS) {
    for (const name of [...url.searchParams.keys()]) if (!["lesson", "step"].includes(name)) url.searchParams.delete(name);
  }
  const font = { "font-size": 12, fill: color, "font-family": fontFamily };
  const foot = svg("text", "", { x: 8, y: height + FOOT_HEIGHT / 2, ...font }, `${lesson()}  ${decodeURI(url.href)}`);
  const style = svg("style", "", {}, await fontFace(fontFamily));
  const size = { width, height: height + FOOT_HEIGHT, style: `background: ${backgroundColor}` };
  const whole = svg("svg", "", size, style, picture, foot);
  return `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(whole))}`;
}

/** The page's rule for the first font of a list, with the font in it: a picture can fetch nothing. @param {string} list */
async function fontFace(list) {
  const family = list.split(",")[0];
  for (const sheet of document.styleSheets) {
    for (const rule of sheet.cssRules) {
      if (!(rule instanceof CSSFontFaceRule) || rule.style.fontStyle === "italic") continue;
      const [, file] = /url\("(.+?)"\)/.exec(rule.style.getPropertyValue("src")) ?? [];
      if (rule.style.fontFamily !== family || !file) continue;
      const answer = await fetch(new URL(file, sheet.href ?? document.baseURI));
      const bytes = Array.from(new Uint8Array(await answer.arrayBuffer()), (byte) => String.fromCharCode(byte));
      return rule.cssText.replace(file, `data:font/woff2;base64,${btoa(bytes.join(""))}`);
    }
  }
  return "";
}

/**
 * The drawing in pixels. Plotly's own way goes by a blob, which the page's policy refuses.
 * @param {string} picture  its address
 */
async function painted(picture) {
  const image = new Image();
  image.src = picture;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth * PIXEL_RATIO;
  canvas.height = image.naturalHeight * PIXEL_RATIO;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/png");
}
