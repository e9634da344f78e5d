// What a benchmark sees of a page: when a chart or a table that changed has been painted.
// The same for every page measured; nothing here knows which one it looks at.
(() => {
  const known = new Map();
  const find = (selector) => {
    if (!known.get(selector)?.isConnected) known.set(selector, document.querySelector(selector));
    return known.get(selector);
  };

  // The geometry of a Plotly chart's traces (lines by their path, points by where they were put); the
  // text of anything else; "" while it is not there.
  const shown = (selector) => {
    const node = find(selector);
    const paths = [...(node?.querySelectorAll(".cartesianlayer .trace path") ?? [])];
    const geometry = (path) => path.getAttribute("transform") ?? path.getAttribute("d");
    return paths.length ? paths.map(geometry).join() : (node?.textContent ?? "");
  };

  // Whatever `shown` looks at.
  const observe = (observer) => {
    const attributeFilter = ["d", "transform"];
    const options = { subtree: true, childList: true, attributes: true, attributeFilter, characterData: true };
    observer.observe(document, options);
  };

  // Resolves to {selector: ms from the next key press until two frames after its last change}.
  const pressToPaint = (selectors, timeout = 10000) =>
    new Promise((resolve, reject) => {
      const before = new Map(selectors.map((selector) => [selector, shown(selector)]));
      const times = {};
      let start;
      addEventListener("keydown", (event) => (start = event.timeStamp), { capture: true, once: true });

      const painted = (selector, now) => {
        if (before.get(selector) !== now) return; // it changed again: that change counts
        times[selector] = performance.now() - start;
        if (Object.keys(times).length === selectors.length) finish(resolve, times);
      };
      const settle = (selector, now) => {
        before.set(selector, now);
        requestAnimationFrame(() => requestAnimationFrame(() => painted(selector, now)));
      };
      const observer = new MutationObserver(() => {
        for (const selector of selectors) {
          const now = shown(selector);
          if (start !== undefined && now && now !== before.get(selector)) settle(selector, now);
        }
      });
      observe(observer);
      const missing = () => selectors.filter((selector) => !(selector in times));
      const alarm = setTimeout(() => finish(reject, new Error(`not painted: ${missing()}`)), timeout);
      const finish = (how, what) => (observer.disconnect(), clearTimeout(alarm), how(what));
    });

  // Counts, frame by frame, how often what is shown has changed; call the result to end and get it.
  // It looks only where something has changed: to read hundreds of points in every frame, and to keep
  // the browser making frames for that, takes time from what is measured.
  const countChanges = (selector) => {
    let [count, last, waiting] = [0, shown(selector), 0];
    const look = () => {
      waiting = 0;
      const now = shown(selector);
      if (now && now !== last) [count, last] = [count + 1, now];
    };
    const observer = new MutationObserver(() => (waiting ||= requestAnimationFrame(look)));
    observe(observer);
    return () => (observer.disconnect(), count);
  };

  window.painted = { shown, pressToPaint, countChanges };
})();
