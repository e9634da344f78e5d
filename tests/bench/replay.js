// For the floors in browser.py: what the page asks on the labs' socket, and the same socket without a server
// behind it. Runs before the page's own scripts.
//
// Listening changes nothing. `replay` first asks the server ahead, over a socket of its own, for every
// frame that the learner may come to want. From then on it answers each wish of the page with the
// frame recorded for that very wish, at once: in a task of its own, as a message from a server is, but
// without any wait.
(() => {
  const Native = window.WebSocket;
  const asks = []; // wishes in the order of asking
  const frames = new Map(); // messages by wish
  const missed = []; // wishes that nothing was recorded for
  const due = []; // what is on its way while replaying
  const task = new MessageChannel();
  let replays = false;

  window.WebSocket = class extends Native {
    send(text) {
      const isLab = new URL(this.url).pathname.endsWith("/labs");
      const asked = isLab && /^(\d+) ask ([^\n]*)/.exec(text);
      if (asked) asks.push(asked[2]);
      if (!asked || !replays) return super.send(text);
      const data = frames.get(asked[2]);
      if (!data) return missed.push(asked[2]);
      due.push([this, data.replace(/^{"seq":\d+/, `{"seq":${asked[1]}`)]);
      task.port2.postMessage(0);
    }
  };

  task.port1.onmessage = () => {
    const [socket, data] = due.shift();
    socket.dispatchEvent(new MessageEvent("message", { data }));
  };

  // Asks for the last wish again with each value of a control, moving and at rest.
  const replay = async (control, values) => {
    const last = JSON.parse(asks.at(-1));
    const address = new URL("labs", document.baseURI);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = new Native(address);
    await new Promise((resolve) => (socket.onopen = resolve));
    let seq = 0;
    for (const value of values) {
      for (const moving of [true, false]) {
        const wish = JSON.stringify({ ...last, values: { ...last.values, [control]: value }, moving });
        const answer = new Promise((resolve) => (socket.onmessage = ({ data }) => resolve(data)));
        socket.send(`${++seq} ask ${wish}`);
        const data = await answer;
        if (JSON.parse(data).kind === "frame") frames.set(wish, data); // else refused: no such value
      }
    }
    socket.close();
    replays = true;
  };

  window.labsSocket = { asks, missed, replay };
})();
