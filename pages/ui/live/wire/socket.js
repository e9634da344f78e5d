// The lab's own socket to the server: opens it, opens it again when it breaks, and reads its messages.
// messages.d.ts describes the messages.

const DELAYS = [200, 400, 800, 1500]; // ms at most before the next try, the last one for good
const TRY_TIMEOUT = 4000; // ms that a try waits for the server: its answer may be lost
const ANSWER_TIMEOUT = 20_000; // ms without any answer to a message: the socket is dead, and no event said so

/** @import { Aside, Frame, FrameMessage, Picture, PictureMessage } from "../messages.d.ts" */
/**
 * @typedef {Object} Handlers
 * @property {() => void} opened
 * @property {(seq: number, frame: Frame) => void} frame
 * @property {(picture: Picture) => void} picture
 * @property {(aside: Aside) => void} aside
 * @property {() => void} lost
 */

export class LabSocket {
  /**
   * @param {string} address  of the route, relative to the page's base
   * @param {Handlers} handlers
   */
  constructor(address, handlers) {
    const url = new URL(address, document.baseURI);
    url.protocol = url.protocol.replace("http", "ws");
    this.url = url.href;
    this.handlers = handlers;
    this.tries = 0;
    this.timer = 0;
    this.deaf = 0;
    this.ended = false;
    /** @type {?WebSocket} */
    this.socket = null;
    this.listeners = new AbortController();
    const { signal } = this.listeners;
    addEventListener("online", () => this.#now(), { signal });
    addEventListener("offline", () => this.#drop(), { signal });
    this.#open();
  }

  /** @param {string} text */
  send(text) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(text);
  }

  /** An answer is expected: none for long means that nobody is there. */
  expect() {
    if (!this.deaf) this.deaf = setTimeout(() => this.#drop(), ANSWER_TIMEOUT);
  }

  stop() {
    this.ended = true;
    clearTimeout(this.timer);
    clearTimeout(this.deaf);
    this.listeners.abort();
    this.socket?.close();
  }

  #now() {
    if (this.ended || this.socket?.readyState === WebSocket.OPEN) return;
    this.tries = 0;
    clearTimeout(this.timer);
    this.timer = 0;
    this.#open();
  }

  #tryLater() {
    const wait = DELAYS[Math.min(this.tries, DELAYS.length - 1)];
    this.tries += 1;
    // Random, so that a whole class doesn't try at the same moment.
    this.timer = setTimeout(() => this.#try(), wait * (0.6 + 0.4 * Math.random()));
  }

  /**
   * Open a socket once the server is there. A request says whether it is: after some twenty sockets
   * that failed, Chromium holds each further one back for up to five seconds.
   */
  async #try() {
    const { timer } = this;
    const isThere = await answers(this.url);
    if (this.ended || timer !== this.timer) return;
    if (isThere) this.#open();
    else this.#tryLater();
  }

  #open() {
    const socket = new WebSocket(this.url);
    this.socket = socket;
    socket.onopen = () => {
      if (socket !== this.socket) return socket.close();
      this.tries = 0;
      this.handlers.opened();
    };
    socket.onmessage = ({ data }) => {
      clearTimeout(this.deaf);
      this.deaf = 0;
      this.read(data);
    };
    socket.onclose = () => this.#lost(socket);
  }

  /** Nobody may be there to answer a farewell, and a browser waits a minute for that. */
  #drop() {
    const { socket } = this;
    socket?.close();
    if (socket) this.#lost(socket);
  }

  /** @param {WebSocket} socket */
  #lost(socket) {
    if (this.ended || socket !== this.socket) return;
    this.socket = null;
    clearTimeout(this.deaf);
    this.deaf = 0;
    this.handlers.lost();
    this.#tryLater();
  }

  /** Hear a message. @param {string} text */
  read(text) {
    /** @type {FrameMessage | PictureMessage | Aside} */
    const message = JSON.parse(text);
    if (message.kind === "frame") this.handlers.frame(message.seq, message.content);
    else if (message.kind === "picture") this.handlers.picture(message.content);
    else this.handlers.aside(message);
  }
}

/**
 * Whether a server answers there, whatever it answers. A proxy says 502 to 504 where it has none.
 * @param {string} socket  the address of a socket
 */
async function answers(socket) {
  const signal = AbortSignal.timeout(TRY_TIMEOUT);
  try {
    const { status } = await fetch(socket.replace("ws", "http"), { method: "HEAD", cache: "no-store", signal });
    return status < 502;
  } catch {
    return false;
  }
}
