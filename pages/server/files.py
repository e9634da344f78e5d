"""The files that browsers fetch: the lab's modules, Plotly, temml, Streamlit's files, the page.

Each name says what is in the file, so a new version never mixes with an old one; only the page is
asked for again. Requests look names up and never make a path. A file is compressed once, when it is
first asked for, and kept in memory; Streamlit itself sends its scripts at three times the size.
"""

import asyncio
import gzip
import hashlib
import json
import re
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from functools import cache
from importlib.metadata import distribution
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import Response, StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.file_util import get_static_dir

from pages.server.address import path_of, root
from pages.ui.style import css

# Bytes that are sent at a time, so a slow reader holds one piece and not a copy of the file.
PIECE = 1 << 16
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".gif": "image/gif",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}

KEEP = "public, max-age=31536000, immutable"
# Named, and not refused (gzip;q=0).
_GZIP = re.compile(r"\bgzip\b(?!\s*;\s*q\s*=\s*0(\.0*)?\s*(,|$))", re.IGNORECASE)
_LIVE = Path(__file__).parents[1] / "ui" / "live"
_STYLES = ("lab.css", "graph.css", "linked.css", "trainer.css")
_FIRST = ("again.js", "early.js")  # what a page runs before the lab's element is there
_IMPORTED = re.compile(rb'^(?:import|export)\b[^;"]*"\./(\w+\.js)"', re.MULTILINE)


class File:
    """Something to serve, read and compressed when it is first asked for."""

    def __init__(self, read: Callable[[], bytes], media_type: str, caching: str = KEEP) -> None:
        self._read, self._type, self._caching = read, media_type, caching
        self._contents: dict[bool, bytes] = {}  # plain, and packed
        self._lock = threading.Lock()

    def content(self, packed: bool) -> bytes:
        """Return the bytes, compressed or not, which all answers share."""
        with self._lock:
            if packed not in self._contents:
                content = self._read()
                self._contents[packed] = gzip.compress(content, mtime=0) if packed else content
            return self._contents[packed]

    async def answer(self, asked: Headers) -> Response:
        """Answer GET; of the answer to HEAD, uvicorn leaves out the content."""
        packed = bool(_GZIP.search(asked.get("accept-encoding", "")))
        content = await asyncio.to_thread(self.content, packed)
        headers = {"Content-Type": self._type, "Cache-Control": self._caching}
        headers |= {"Content-Length": str(len(content)), "Vary": "Accept-Encoding"}
        headers |= {"Content-Encoding": "gzip"} if packed else {}
        return StreamingResponse(_pieces(content), headers=headers)


async def _pieces(content: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(content), PIECE):
        yield content[start : start + PIECE]
        await asyncio.sleep(0)  # the system may take megabytes before anybody reads


class Files:
    """Middleware that answers for the files and passes everything else on.

    No route, because ``st.App`` takes none below /static.
    """

    def __init__(self, app: ASGIApp, *, base: str = "") -> None:
        """``base`` is Streamlit's server.baseUrlPath."""
        self._app, self._root = app, root(base)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        reads = scope["type"] == "http" and scope["method"] in {"GET", "HEAD"}
        file = served.get(path_of(scope).removeprefix(self._root)) if reads else None
        app = await file.answer(Headers(scope=scope)) if file else self._app
        await app(scope, receive, send)


_static = Path(get_static_dir()) / "static"
served = {
    f"static/{path.relative_to(_static).as_posix()}": File(path.read_bytes, TYPES[path.suffix])
    for path in _static.rglob("*")
    if path.suffix in TYPES
}
"""By address, relative to the site's."""


def add(name: str, content: bytes | Callable[[], bytes], media_type: str = TYPES[".js"]) -> str:
    """Serve ``content``; returns its address, relative to the page's.

    Browsers keep it for good, so ``name`` has to say what is in it, with a hash for instance.
    """
    address = f"files/{name}"
    read = (lambda: content) if isinstance(content, bytes) else content
    served.setdefault(address, File(read, media_type))
    return address


def digest(content: bytes) -> str:
    """A short hash for a name."""
    return hashlib.blake2b(content, digest_size=8).hexdigest()


def _reached(modules: Mapping[str, bytes]) -> list[str]:
    """Follow static imports from the first modules; returns the names, each once."""
    found = [*_FIRST]
    for name in found:  # grows while it runs
        imported = (match.decode() for match in _IMPORTED.findall(modules.get(name, b"")))
        found += [other for other in dict.fromkeys(imported) if other not in found]
    return found


def _add_modules(modules: Mapping[str, bytes]) -> str:
    """Serve the modules in a folder that is named by their hash; returns its address."""
    later = sorted(f"./{name}" for name in modules.keys() - {*_reached(modules)})
    # All that the modules need from Python: where the other scripts are.
    scripts = {"BASIC": BASIC_PLOTLY, "WHOLE": PLOTLY, "MATHS": MATHS}
    lines = [f'export const {name} = "../../{address}";' for name, address in scripts.items()]
    lines.append(f"export const LATER = {json.dumps(later)};\n")
    whole = {**modules, "addresses.js": "\n".join(lines).encode()}
    folder = f"live-{digest(repr(whole).encode())}"
    for name, content in whole.items():
        add(f"{folder}/{name}", content)
    return f"files/{folder}"


_package = distribution("plotly")
_script = Path(str(_package.locate_file("plotly/package_data/plotly.min.js")))
_basic = _LIVE / "vendor" / "plotly-basic.min.js"
# As a module, so that it is fetched where a formula is shown and leaves no global name behind.
_temml = (_LIVE / "vendor" / "temml.min.js").read_bytes() + b"\nexport default temml;\n"

PLOTLY = add(f"plotly-{_package.version}/plotly.min.js", _script.read_bytes)
BASIC_PLOTLY = add(f"plotly-{_package.version}/plotly-basic.min.js", _basic.read_bytes)
"""Plotly for lines and bars only."""
MATHS = add(f"temml-{digest(_temml)}.js", _temml)

_modules = {path.name: path.read_bytes() for path in sorted(_LIVE.glob("*.js"))}
LIVE = _add_modules(_modules)
"""The address of the folder with the lab's modules."""
FIRST_MODULES = [f"{LIVE}/{name}" for name in _reached(_modules)]
"""The addresses of the modules that a page runs first, and of all that these import."""

STYLE = "\n".join((_LIVE / name).read_text("utf-8") for name in _STYLES)
"""The look of the lab."""

_SERVER_IS_HERE = "window.__streamlit = { BACKEND_BASE_URL: new URL('.', document.baseURI).href };"
"""All pages are in one folder, the app's root. Without this script Streamlit's browser side asks
for its server below the page first, and waits a tenth of a second after the refusal."""
_SOON = {"BidiComponent", "purify", "recordbatch", "serialization"}
"""Scripts of Streamlit that every page loads but index.html does not name, without their hashes."""


@cache
def page() -> str:
    """Return the page that all addresses of pages answer with: Streamlit's, with our tags.

    Streamlit's page names only Streamlit's scripts, and the browser would find the lab's once
    Streamlit has run. The tags name them, and the site's style, so that nothing moves later.
    """
    # Nested, so that it wins over Streamlit's own rules, which come later.
    look = f":root {{\n{css()}\n{STYLE}\n}}".encode()
    style = add(f"site-{digest(look)}.css", look, TYPES[".css"])
    soon = [name for name in served if Path(name).name.partition(".")[0] in _SOON]
    fetched = [*soon, *FIRST_MODULES]
    tags = [
        f'<link rel="stylesheet" href="./{style}">',
        f"<script>{_SERVER_IS_HERE}</script>",
        *(f'<link rel="modulepreload" crossorigin href="./{one}">' for one in fetched),
        f'<script type="module" async src="./{LIVE}/again.js"></script>',
        f'<script type="module" src="./{LIVE}/early.js"></script>',
    ]
    index = (_static.parent / "index.html").read_text("utf-8")
    return index.replace("</head>", f"{''.join(tags)}</head>", 1)


def serve_page(names: Iterable[str]) -> None:
    """Answer with the page at the root and at these addresses, relative to it."""
    file = File(page().encode, "text/html; charset=utf-8", "no-cache")
    served.update(dict.fromkeys(["", *names], file))
