"""The page that the browser gets first: Streamlit's index.html, with our tags in its head.

Streamlit's page names only Streamlit's scripts, and the browser would find the lab's once Streamlit
has run. The tags name them, and the site's style, so that nothing moves when the page fills.
"""

import re
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
    """The page, as all addresses of pages are answered."""
    index = (Path(get_static_dir()) / "index.html").read_text("utf-8")
    return index.replace("</head>", f"{_tags()}</head>", 1)


def _tags() -> str:
    fetched = [*files.streamlits(_SOON), *files.FIRST_MODULES]
    links = [f'<link rel="modulepreload" crossorigin href="./{address}">' for address in fetched]
    style = f'<link rel="stylesheet" href="./{_style()}">'
    again = f'<script type="module" async src="./{files.LIVE}/again.js"></script>'
    early = f'<script type="module" src="./{files.LIVE}/early.js"></script>'
    return "".join([style, f"<script>{_SERVER_IS_HERE}</script>", *links, again, early])


def _style() -> str:
    """The address of the site's style and the lab's.

    Nested, so that it wins over Streamlit's own rules, which come later.
    """
    text = f":root {{\n{css()}\n{files.STYLE}\n}}".encode()
    return files.add(f"site-{files.digest(text)}.css", text, files.TYPES[".css"])


def first_files() -> list[str]:
    """The addresses of the page itself and of the scripts and styles that it names."""
    return ["", *re.findall(r'(?:src|href)="\./((?:static|files)/[^"]+\.(?:js|css))"', page())]


def serve(names: Iterable[str]) -> None:
    """Answer with the page at the root and at these addresses, relative to it."""
    file = files.File(page().encode, "text/html; charset=utf-8", "no-cache")
    files.served.update(dict.fromkeys(["", *names], file))
