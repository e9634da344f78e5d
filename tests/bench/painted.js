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

  // The geometry of a Plotly chart's traces (lines by their path, points by where they were put), or
  // where it has none the images that it is made of; the text of anything else, or where the selector
  // ends in "@name" an attribute; "" while it is not there.
  const shown = (selector) => {
    const [place, attribute] = selector.split("@");
    const node = find(place);
    if (attribute) return node?.getAttribute(attribute) ?? "";
    const paths = [...(node?.querySelectorAll(".cartesianlayer .trace path") ?? [])];
    const geometry = (path) => path.getAttribute("transform") ?? path.getAttribute("d");
    if (paths.length) return paths.map(geometry).join();
    const images = [...(node?.querySelectorAll(".cartesianlayer image") ?? [])];
    return images.map((image) => image.href.baseVal).join() || (node?.textContent ?? "");
  };

  // Whatever `shown` looks at.
  const observeAll = (observer, selectors) => {
    const named = selectors.map((selector) => selector.split("@")[1]).filter(Boolean);
    const attributeFilter = ["d", "transform", "href", ...named];
    const options = { subtree: true, childList: true, attributes: true, attributeFilter, characterData: true };
    for (const root of roots()) observer.observe(root, options);
  };

  // From the next key press on, calls `painted(selector, ms, still)` two frames after what a selector
  // shows has changed, `still` unless it has changed again since; returns how to end it.
  const fromKey = (selectors, painted) => {
    const before = new Map(selectors.map((selector) => [selector, shown(selector)]));
    let start;
    addEventListener("keydown", (event) => (start = event.timeStamp), { capture: true, once: true });

    const settle = (selector, now) => {
      before.set(selector, now);
      requestAnimationFrame(() =>
        requestAnimationFrame(() =>
          painted(selector, performance.now() - start, before.get(selector) === now),
        ),
      );
    };
    const observer = new MutationObserver(() => {
      for (const selector of selectors) {
        const now = shown(selector);
        if (start !== undefined && now && now !== before.get(selector)) settle(selector, now);
      }
    });
    observeAll(observer, selectors);
    return () => observer.disconnect();
  };

  // Resolves to {selector: ms from the next key press until two frames after its last change}.
  const pressToPaint = (selectors, timeout = 10000) =>
    new Promise((resolve, reject) => {
      const times = {};
      const stop = fromKey(selectors, (selector, time, still) => {
        if (!still) return; // it changed again: that change counts
        times[selector] = time;
        if (Object.keys(times).length === selectors.length) finish(resolve, times);
      });
      const missing = () => selectors.filter((selector) => !(selector in times));
      const alarm = setTimeout(() => finish(reject, new Error(`not painted: ${missing()}`)), timeout);
      const finish = (how, what) => (stop(), clearTimeout(alarm), how(what));
    });

  // Notes every change from the next key press on; call the result to end and get [[selector, ms]].
  const changes = (selectors) => {
    const found = [];
    const stop = fromKey(selectors, (selector, time) => found.push([selector, time]));
    return () => (stop(), found);
  };

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
    observeAll(observer, [selector]);
    return () => (observer.disconnect(), count);
  };

  window.painted = { shown, pressToPaint, changes, countChanges };
})();
