// What a benchmark sees of a page: when a chart or a table that changed has been painted.
// The same for every page measured; nothing here knows which one it looks at.
(() => {
  // The document and every open shadow root in it.
  const roots = () => {
    const found = [document];
    for (const root of found)
      for (const node of root.querySelectorAll("*")) if (node.shadowRoot) found.push(node.shadowRoot);
    return found;
  };

  const known = new Map();
  const find = (selector) => {
    if (!known.get(selector)?.isConnected)
      known.set(selector, roots().map((root) => root.querySelector(selector)).find(Boolean));
    return known.get(selector);
  };

  // The geometry of a Plotly chart's traces (lines by their path, points by where they were put),
  // the text of anything else; "" while it is not there.
  const shown = (selector) => {
    const node = find(selector);
    const paths = [...(node?.querySelectorAll(".cartesianlayer .trace path") ?? [])];
    const geometry = (path) => path.getAttribute("transform") ?? path.getAttribute("d");
    return paths.length ? paths.map(geometry).join() : node?.textContent ?? "";
  };

  // Resolves to {selector: ms from the next key press until two frames after its last change}.
  const pressToPaint = (selectors, timeout = 10000) =>
    new Promise((resolve, reject) => {
      const before = new Map(selectors.map((selector) => [selector, shown(selector)]));
      const times = {};
      let start;
      addEventListener("keydown", (event) => (start = event.timeStamp), { capture: true, once: true });

      const settle = (selector, now) => {
        before.set(selector, now);
        requestAnimationFrame(() =>
          requestAnimationFrame((time) => {
            if (before.get(selector) !== now) return; // it changed again: that change counts
            times[selector] = performance.now() - start;
            if (Object.keys(times).length === selectors.length) finish(resolve, times);
          }),
        );
      };
      const observer = new MutationObserver(() => {
        for (const selector of selectors) {
          const now = shown(selector);
          if (start !== undefined && now && now !== before.get(selector)) settle(selector, now);
        }
      });
      const options = { subtree: true, childList: true, attributes: true, attributeFilter: ["d", "transform"], characterData: true };
      for (const root of roots()) observer.observe(root, options);
      const missing = () => selectors.filter((selector) => !(selector in times));
      const alarm = setTimeout(() => finish(reject, new Error(`not painted: ${missing()}`)), timeout);
      const finish = (how, what) => (observer.disconnect(), clearTimeout(alarm), how(what));
    });

  // Counts, frame by frame, how often what is shown has changed; call the result to end and get it.
  const countChanges = (selector) => {
    let [count, last, going] = [0, shown(selector), true];
    const look = () => {
      const now = shown(selector);
      if (now && now !== last) [count, last] = [count + 1, now];
      if (going) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    return () => ((going = false), count);
  };

  window.painted = { shown, pressToPaint, countChanges };
})();
