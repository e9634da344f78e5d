"""The page that the browser gets first: Streamlit's index.html, with our tags in its head.

Streamlit's page names only Streamlit's scripts, and the browser would find the lab's once Streamlit
has run. The tags name them, and the site's style, so that nothing moves when the page fills.
"""

import gzip
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from streamlit.file_util import get_static_dir

from pages.server import files
from pages.server.address import root
from pages.ui.style import css

_SERVER_IS_HERE = "window.__streamlit = { BACKEND_BASE_URL: new URL('.', document.baseURI).href };"
"""All pages are in one folder, the app's root. Without this script Streamlit's browser side asks
for its server below the page first, and waits a tenth of a second after the refusal."""
_SOON = {"BidiComponent", "purify", "recordbatch", "serialization"}
"""Scripts of Streamlit that every page loads but index.html does not name, without their hashes."""
_HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-cache",
    "Vary": "Accept-Encoding",
}


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


def named_files() -> list[str]:
    """The addresses of the scripts and styles that the page names."""
    return re.findall(r'(?:src|href)="\./((?:static|files)/[^"]+\.(?:js|css))"', page())


def routes(base: str, names: Iterable[str]) -> list[BaseRoute]:
    """Answer for the home page and the pages with these names.

    Args:
        base: Streamlit's server.baseUrlPath.
        names: the addresses of the other pages, relative to the root.
    """
    plain = page().encode()
    packed = gzip.compress(plain, mtime=0)

    async def answer(request: Request) -> Response:
        if files.accepts_gzip(request.headers):
            return Response(packed, headers=_HEADERS | {"Content-Encoding": "gzip"})
        return Response(plain, headers=_HEADERS)

    return [Route(root(base) + name, answer) for name in ("", *names)]
