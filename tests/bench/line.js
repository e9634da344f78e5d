// What a benchmark hears on the labs' line, and the same line without a server behind it. Runs
// before the page's own scripts.
//
// Listening changes nothing. `record` asks the server ahead, over a line of its own, for every frame
// that the learner may come to want, whole (the browser has nothing yet: `have` is empty).
// `replay` then answers each wish of the page with the frame recorded for that very wish, at once:
// in a task of its own, as a message from a server is, but without any wait.
//
// The server leaves out what the browser has already. What is the same in all recorded frames (the
// code, say) is left out here too, so a replayed frame is never cheaper than the server's own and
// dearer only where a chart happens to be the same for two values and not for all.
(() => {
  const Native = window.WebSocket;
  const HEAD = 12; // bytes: three uint32, of which the last is the length of the JSON that follows
  const isLab = (socket) => new URL(socket.url).pathname.endsWith("/labs");
  const unasked = []; // pictures of a training that answer no wish
  const asks = []; // {seq, wish, at, answers: [{at, what, size}]} in the order of asking
  const frames = new Map(); // bytes by wish without `have`
  const missed = []; // wishes that nothing was recorded for
  const due = []; // what is on its way while replaying
  const task = new MessageChannel();
  let replays = false;

  const bare = (wish) => JSON.stringify({ ...wish, have: {} });

  const hear = ({ data }) => {
    const at = performance.now();
    if (typeof data === "string") {
      const { seq, kind } = JSON.parse(data);
      asks.findLast((ask) => ask.seq === seq)?.answers.push({ at, what: kind, size: data.length });
      return;
    }
    const [seq, what] = new Uint32Array(data, 0, 2);
    const answer = { at, what: what ? "picture" : "frame", size: data.byteLength };
    (asks.findLast((ask) => ask.seq === seq)?.answers ?? unasked).push(answer);
  };

  class Line extends Native {
    constructor(...given) {
      super(...given);
      if (isLab(this)) this.addEventListener("message", hear);
    }

    send(text) {
      const asked = isLab(this) && /^(\d+) ask ([^\n]*)/.exec(text);
      if (!asked) return super.send(text);
      const [, seq, wish] = asked;
      asks.push({ seq: Number(seq), wish, at: performance.now(), answers: [] });
      if (!replays) return super.send(text);
      const data = answer(JSON.parse(wish));
      if (!data) return missed.push(wish);
      new DataView(data).setUint32(0, Number(seq), true);
      due.push([this, data]);
      task.port2.postMessage(0);
    }
  }
  window.WebSocket = Line;

  task.port1.onmessage = () => {
    const [socket, data] = due.shift();
    socket.dispatchEvent(new MessageEvent("message", { data }));
  };

  const answer = (wish) => frames.get(bare(wish))?.slice(0);

  // Asks for the last wish again with each value of a control, moving and at rest.
  const record = async (control, values) => {
    const last = JSON.parse(asks.at(-1).wish);
    const address = new URL("labs", document.baseURI);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = new Native(address);
    socket.binaryType = "arraybuffer";
    await new Promise((resolve) => (socket.onopen = resolve));
    let seq = 0;
    for (const value of values) {
      for (const live of [true, false]) {
        const asked = { ...last, values: { ...last.values, [control]: value }, live };
        const wish = bare(asked);
        const answer = new Promise((resolve) => (socket.onmessage = ({ data }) => resolve(data)));
        socket.send(`${++seq} ask ${wish}`);
        const data = await answer;
        if (typeof data !== "string") frames.set(wish, data); // else refused: no such value
      }
    }
    socket.close();
    strip();
    return frames.size;
  };

  const parts = (body) => [
    ...body.figures.map((figure) => [`figure ${figure.id}`, figure]),
    ...["graph", "code"].filter((name) => body[name]).map((name) => [name, body[name]]),
  ];

  const read = (data) => {
    const length = new DataView(data).getUint32(8, true);
    const text = new TextDecoder().decode(new Uint8Array(data, HEAD, length));
    return { body: JSON.parse(text), numbers: new Uint8Array(data, HEAD + length) };
  };

  // As `data`, with another text.
  const written = (data, body, numbers) => {
    const json = new TextEncoder().encode(JSON.stringify(body));
    const length = Math.ceil(json.length / 4) * 4;
    const whole = new Uint8Array(HEAD + length + numbers.length).fill(32);
    whole.set(new Uint8Array(data, 0, HEAD));
    new DataView(whole.buffer).setUint32(8, length, true);
    whole.set(json, HEAD);
    whole.set(numbers, HEAD + length);
    return whole.buffer;
  };

  // Take out what no recorded frame differs in.
  const strip = () => {
    const seen = new Map();
    for (const data of frames.values()) {
      for (const [name, { digest }] of parts(read(data).body)) {
        seen.set(name, (seen.get(name) ?? new Set()).add(digest));
      }
    }
    for (const [wish, data] of frames) {
      const { body, numbers } = read(data);
      for (const [name, part] of parts(body)) {
        if (seen.get(name).size > 1) continue;
        if (name.startsWith("figure")) delete part.figure;
        else body[name] = { digest: part.digest };
      }
      frames.set(wish, written(data, body, numbers));
    }
  };

  window.line = {
    asks,
    missed,
    record,
    replay: () => (replays = true),
    // A wish is not answered if a newer one has replaced it.
    isQuiet: () => asks.at(-1).answers.some(({ what }) => what !== "progress"),
  };
})();
