// The script of a SCORM package's page: reports what the framed lesson tells to the platform that
// shows the page, by SCORM 1.2. A score or status that the platform has already is never lowered: in
// another browser the lesson begins again.

/**
 * The platform's functions, which take and return text.
 * @typedef {Object} Api
 * @property {(nothing: "") => string} LMSInitialize
 * @property {(name: string) => string} LMSGetValue
 * @property {(name: string, value: string) => string} LMSSetValue
 * @property {(nothing: "") => string} LMSCommit
 * @property {(nothing: "") => string} LMSFinish
 */

const frame = /** @type {HTMLIFrameElement} */ (document.querySelector("iframe"));
const lesson = new URL(frame.src).origin;
const began = Date.now();
const api = apiOf(window) ?? (window.opener ? apiOf(window.opener) : null);
let status = "";
let best = -1;

if (api) begin(api);
else say("This page was opened outside a learning platform, so no results are reported.");

/**
 * Look in a window and in those around it.
 * @param {Window} from
 * @returns {?Api}
 */
function apiOf(from) {
  try {
    const found = /** @type {Window & {API?: Api}} */ (from).API;
    if (found) return found;
  } catch {
    // A window of another origin may be in between.
  }
  return from.parent === from ? null : apiOf(from.parent);
}

/** @param {Api} api */
function begin(api) {
  if (api.LMSInitialize("") !== "true") {
    say("The learning platform refused to start, so no results are reported. Open the lesson again.");
    return;
  }
  const score = api.LMSGetValue("cmi.core.score.raw");
  if (score) best = Number(score);
  status = api.LMSGetValue("cmi.core.lesson_status");
  if (!["completed", "passed", "failed"].includes(status)) {
    status = "incomplete";
    api.LMSSetValue("cmi.core.lesson_status", status);
    api.LMSCommit("");
  }
  addEventListener("message", ({ origin, source, data }) => {
    if (origin === lesson && source === frame.contentWindow) report(api, data);
  });
  addEventListener("pagehide", () => end(api), { once: true });
}

/** @param {Api} api  @param {any} data */
function report(api, data) {
  if (data?.type !== "gradient-tricks/results" || data.version !== 1) return;
  const { right, questions, done } = data;
  const score = Math.round((100 * right) / questions);
  if (!(score >= 0 && score <= 100)) return;
  if (score > best) {
    best = score;
    api.LMSSetValue("cmi.core.score.min", "0");
    api.LMSSetValue("cmi.core.score.max", "100");
    api.LMSSetValue("cmi.core.score.raw", String(score));
  }
  if (done === true && status !== "passed") {
    status = score === 100 ? "passed" : "completed";
    api.LMSSetValue("cmi.core.lesson_status", status);
  }
  api.LMSCommit("");
}

/** @param {Api} api */
function end(api) {
  const seconds = Math.floor((Date.now() - began) / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const time = parts.map((part) => String(part).padStart(2, "0")).join(":");
  api.LMSSetValue("cmi.core.session_time", `00${time}`.slice(-10));
  api.LMSSetValue("cmi.core.exit", status === "incomplete" ? "suspend" : "");
  api.LMSCommit("");
  api.LMSFinish("");
}

/** @param {string} text */
function say(text) {
  const line = /** @type {HTMLElement} */ (document.querySelector("[role=status]"));
  line.textContent = text;
  line.hidden = false;
}

export {};
