// Search over the course, in a dialog that any page opens. The index is fetched once, when the
// dialog first opens. Text from it only ever goes in as text.

const MOST = 12; // results shown
const boxes = new WeakMap();
let index; // a promise of the entries, shared by all pages

export default function (component) {
  const { parentElement, data, setTriggerValue } = component;
  const root = parentElement.querySelector(".gt-search");
  let box = boxes.get(root);
  if (!box) boxes.set(root, (box = build(root)));
  box.address = data.index;
  box.go = (entry) => setTriggerValue("go", entry);
  return () =>
    setTimeout(() => {
      if (root.isConnected) return;
      box.listeners.abort();
      boxes.delete(root);
    });
}

function element(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function build(root) {
  const box = { address: "", go: () => {}, listeners: new AbortController() };
  const open = element("button", { type: "button", class: "gt-search-open", "aria-keyshortcuts": "/" });
  open.append(element("span", {}, "Search"), element("kbd", { "aria-hidden": "true" }, "/"));
  const input = element("input", {
    type: "search",
    "aria-label": "Search the course",
    placeholder: "a question, a term, a step",
    autocomplete: "off",
    maxlength: "100",
  });
  const close = element("button", { type: "button", class: "gt-search-close" }, "Close");
  const said = element("p", { role: "status" });
  const list = element("ul", {});
  const dialog = element(
    "dialog",
    { class: "gt-search-dialog", "aria-label": "Search the course" },
    element("div", { class: "gt-search-head" }, input, close),
    said,
    list,
  );
  root.replaceChildren(open, dialog);

  const show = () => {
    if (!dialog.open) dialog.showModal();
    input.select();
    index ??= fetch(new URL(`app/static/${box.address}`, document.baseURI)).then((answer) => {
      if (!answer.ok) throw new Error(`the index could not be fetched: ${answer.status}`);
      return answer.json();
    });
    find();
  };
  const find = async () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let entries;
    try {
      entries = await index;
    } catch (error) {
      index = undefined; // the next opening tries again
      said.textContent = "The index could not be loaded. Close this and try again.";
      return;
    }
    const found = words.length ? ranked(entries, words) : [];
    list.replaceChildren(...found.slice(0, MOST).map((entry) => row(entry, box, dialog)));
    const count = found.length > MOST ? `${MOST} of ${found.length}` : String(found.length);
    said.textContent = words.length ? `${count} ${found.length === 1 ? "result" : "results"}` : "";
  };
  open.addEventListener("click", show);
  close.addEventListener("click", () => dialog.close());
  input.addEventListener("input", find);
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close(); // beside it
  });
  dialog.addEventListener("keydown", (event) => {
    event.stopPropagation(); // Streamlit has single-letter shortcuts of its own
    const links = [...list.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (event.key === "Enter" && document.activeElement === input) links[0]?.click();
    else if (event.key === "ArrowDown") links[Math.min(at + 1, links.length - 1)]?.focus();
    else if (event.key === "ArrowUp") (links[at - 1] ?? input).focus();
    else return;
    event.preventDefault();
  });
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target.closest?.("input, textarea, select, [contenteditable], dialog")) return;
      event.preventDefault();
      show();
    },
    { signal: box.listeners.signal },
  );
  return box;
}

/** Those that hold every word, those with the words in the title first. */
function ranked(entries, words) {
  const score = ({ title, text, also, kind }) => {
    const name = title.toLowerCase();
    const all = `${name} ${text} ${also} ${kind}`.toLowerCase();
    if (!words.every((word) => all.includes(word))) return 0;
    if (name === words.join(" ")) return 4;
    if (name.startsWith(words.join(" "))) return 3;
    return words.every((word) => name.includes(word)) ? 2 : 1;
  };
  return entries
    .map((entry) => [score(entry), entry])
    .filter(([points]) => points)
    .sort((a, b) => b[0] - a[0])
    .map(([, entry]) => entry);
}

function row(entry, box, dialog) {
  const { page, lesson, step, kind, title, text } = entry;
  const query = page === "glossary" ? { term: lesson } : { lesson, step };
  const link = element("a", { href: `${page}?${new URLSearchParams(query)}` });
  link.append(element("b", {}, title), element("small", {}, kind), element("span", {}, text));
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // a tab of its own
    event.preventDefault();
    dialog.close();
    box.go({ page, lesson, step });
  });
  return element("li", {}, link);
}
