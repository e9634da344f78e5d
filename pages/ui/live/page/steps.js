// The dots of a lesson's steps. Streamlit runs the page again on the browser's Back, and does not know the
// step that it leads to; so it is asked for here.

import { showStep } from "./address_bar.js";
import { arrows, element, setChildren } from "../dom.js";
import { goToStep, goToVerdict } from "./verdict.js";
import { phrase } from "../phrase.js";

/** @import { Component } from "../../component.d.ts" */

/**
 * @typedef {Object} Steps
 * @property {string} lesson
 * @property {string} address  of the lesson
 * @property {{title: string, asks: boolean, done: boolean}[]} steps
 * @property {number} step
 * @property {string} answer  to its question, empty before
 */

/** @type {?Steps} */
let shown = null;
/** @type {(step: number) => void} */
let send = () => {};
let asked = 0; // the step that was asked for last, until the page shows it
const RESEND_AFTER = 2000; // ms, far longer than a page takes

/** For pages/ui/steps.py. @param {Component<Steps>} component */
export function render({ data, parentElement, setTriggerValue }) {
  const nav = /** @type {HTMLElement} */ (parentElement.querySelector("nav"));
  if (!shown) addEventListener("popstate", back);
  if (!nav.firstChild) arrows(nav);
  showStep(data.step);
  if (shown?.lesson === data.lesson) {
    if (shown.step !== data.step) goToStep();
    else if (data.answer && shown.answer !== data.answer) goToVerdict();
  } else if (shown) goToStep(); // another lesson
  if (shown?.lesson !== data.lesson || asked === data.step) asked = 0;
  shown = data;
  send = (step) => setTriggerValue("go", step);
  const links = data.steps.map(({ title, asks, done }, index) => {
    const number = index + 1;
    const here = number === data.step;
    const said = done ? phrase("step_answered", { number, title }) : phrase("step_asks", { number, title });
    const link = element("a", done ? "gt-done" : "", {
      href: `${data.address}&step=${number}`,
      title: `${number}. ${title}`,
      tabindex: here ? "0" : "-1",
      "aria-label": asks ? said : phrase("step", { number, title }),
      ...(here && { "aria-current": "step" }),
    });
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      go(number);
    });
    return link;
  });
  setChildren(nav, links);
}

/** Ask for a step; once more if Streamlit lost that to its own run after Back. @param {number} step */
function go(step) {
  asked = step;
  send(step);
  setTimeout(() => asked === step && send(step), RESEND_AFTER);
}

/** @param {PopStateEvent} event */
function back({ isTrusted }) {
  if (!isTrusted) return; // tab.js sends one for Streamlit alone
  const words = new URLSearchParams(location.search);
  const step = Number(words.get("step") ?? 1);
  if (shown && words.get("lesson") === shown.lesson && step !== (asked || shown.step)) go(step);
}
