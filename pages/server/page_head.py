"""The page that the browser gets first: Streamlit's index.html, with our tags in its head.

Streamlit's page names only Streamlit's scripts, and the browser would find the lab's once Streamlit
has run. The tags name them, and the site's style, so that nothing moves when the page fills.
"""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from streamlit.file_util import get_static_dir

from pages.server import files
from pages.ui.style import css

_SERVER_IS_HERE = "window.__streamlit = { BACKEND_BASE_URL: new URL('.', document.baseURI).href };"
"""All pages are in one folder, the app's root. Without this script Streamlit's browser side asks
for its server below the page first, and waits a tenth of a second after the refusal."""
_SOON = {"BidiComponent", "purify", "recordbatch", "serialization"}
"""Scripts of Streamlit that every page loads but index.html does not name, without their hashes."""


@cache
def page() -> str:
    """Return the page, as all addresses of pages are answered."""
    # Nested, so that it wins over Streamlit's own rules, which come later.
    look = f":root {{\n{css()}\n{files.STYLE}\n}}".encode()
    style = files.add(f"site-{files.digest(look)}.css", look, files.TYPES[".css"])
    soon = [name for name in files.served if Path(name).name.partition(".")[0] in _SOON]
    fetched = [*soon, *files.FIRST_MODULES]
    tags = [
        f'<link rel="stylesheet" href="./{style}">',
        f"<script>{_SERVER_IS_HERE}</script>",
        *(f'<link rel="modulepreload" crossorigin href="./{one}">' for one in fetched),
        f'<script type="module" async src="./{files.LIVE}/again.js"></script>',
        f'<script type="module" src="./{files.LIVE}/early.js"></script>',
    ]
    index = (Path(get_static_dir()) / "index.html").read_text("utf-8")
    return index.replace("</head>", f"{''.join(tags)}</head>", 1)


def serve(names: Iterable[str]) -> None:
    """Answer with the page at the root and at these addresses, relative to it."""
    file = files.File(page().encode, "text/html; charset=utf-8", "no-cache")
    files.served.update(dict.fromkeys(["", *names], file))
