// The preview of the page for teachers: a lesson in a frame, and how its lab is set there.

const POLL_INTERVAL = 500; // ms between two looks at the frame's address, which has the lab's settings

/** @import { Component } from "../../component.d.ts" */

/** For pages/ui/teach_view.py. @param {Component<{choice: string, address: string}>} component  another choice loads its address */
export function render({ data, parentElement, setStateValue }) {
  const frame = /** @type {HTMLIFrameElement} */ (parentElement.querySelector("iframe"));
  if (frame.dataset.choice !== data.choice) frame.src = data.address;
  frame.dataset.choice = data.choice;
  const look = setInterval(() => {
    const search = frame.contentWindow?.location.search;
    if (!search || search === frame.dataset.query) return;
    frame.dataset.query = search;
    setStateValue("query", search);
  }, POLL_INTERVAL);
  return () => clearInterval(look);
}
