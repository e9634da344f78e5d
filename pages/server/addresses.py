"""What is at which address: files, pages, sockets. Everything else is answered with 404.

Streamlit answers any address with its own index.html, which then shows nothing. It also takes files
from everyone who has a page open, shows its meters and signs people in. No page here needs that.

A file's name says what is in it, so a new version never mixes with an old one; browsers ask again
only for the page. Requests look names up and never make a path. A file is compressed when it is
first asked for, and kept in memory; Streamlit itself sends its scripts at three times the size.
"""

import asyncio
import gzip
import hashlib
import html
import threading
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from pathlib import Path
from string import Template

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import config
from streamlit.file_util import get_static_dir

from lessons.contract.roles import INKS
from lessons.gradient_tricks.text.words import LANGUAGE
from pages.server import WORDS

Names = Collection[str]

# What Streamlit's scripts ask for as a page opens.
_STREAMLITS = ("favicon.png", "_stcore/health", "_stcore/host-config")
_NOT_KEPT = {"Cache-Control": "no-store"}
# It needs no other file: no script, and the system's fonts.
_PAGE = Template(Path(__file__).with_name("not_found.html").read_text("utf-8"))
_FILLED = {name: ",".join(inks) for name, inks in INKS.items()} | {"language": LANGUAGE}
_FILLED |= {"no_page": WORDS("no_page"), "about": WORDS("no_page_about"), "to_home": WORDS("home")}
# Bytes that are sent at a time, so a slow reader holds one piece and not a copy of the file.
PIECE = 1 << 16
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".gif": "image/gif",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}

KEEP = "public, max-age=31536000, immutable"


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
        packed = "gzip" in asked.get("accept-encoding", "").lower()
        content = await asyncio.to_thread(self.content, packed)
        headers = {"Content-Type": self._type, "Cache-Control": self._caching}
        headers |= {"Content-Length": str(len(content)), "Vary": "Accept-Encoding"}
        headers |= {"Content-Encoding": "gzip"} if packed else {}
        return StreamingResponse(_pieces(content), headers=headers)


async def _pieces(content: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(content), PIECE):
        yield content[start : start + PIECE]
        await asyncio.sleep(0)  # the system may take megabytes before anybody reads


STATIC = Path(get_static_dir()) / "static"
served = {
    f"static/{path.relative_to(STATIC).as_posix()}": File(path.read_bytes, TYPES[path.suffix])
    for path in STATIC.rglob("*")
    if path.suffix in TYPES
}
"""The files to serve, by address relative to the site's."""


def add_file(name: str, content: bytes) -> str:
    """Serve this content, with its hash in its name; return its address, relative to a page's."""
    path = Path(name)
    digest = hashlib.blake2b(content, digest_size=8).hexdigest()
    address = f"files/{path.stem}-{digest}{path.suffix}"
    served.setdefault(address, File(lambda: content, TYPES[path.suffix]))
    return address


def add_page(page: str, addresses: Iterable[str]) -> None:
    """Answer with this HTML at the root and at these addresses, relative to it."""
    file = File(page.encode, TYPES[".html"], "no-cache")
    served.update(dict.fromkeys(["", *addresses], file))


def root() -> str:
    """Return the path of the app, with a slash at both ends."""
    base = str(config.get_option("server.baseUrlPath") or "")
    return f"/{base.strip('/')}/".replace("//", "/")


def path_of(scope: Scope) -> str:
    """Return the requested path, without the path that the app is mounted under."""
    return str(scope.get("path", "")).removeprefix(scope.get("root_path", ""))


class Addresses:
    """Middleware that answers for files, passes on what the app has, and refuses the rest.

    Args:
        app: what answers for pages and sockets.
        root: where the app is. Files, pages and sockets are named relative to it.
        machines: whole paths that programs ask for.
    """

    def __init__(
        self,
        app: ASGIApp,
        root: str = "/",
        sockets: Names = (),
        machines: Names = (),
    ) -> None:
        self._app, self._root, self._machines = app, root, machines
        self._sockets = sockets

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        kind, path = scope["type"], path_of(scope)
        app = self._app
        if kind == "http" and path not in self._machines:
            name = path.removeprefix(self._root)
            file = served.get(name) if scope["method"] in {"GET", "HEAD"} else None
            if file:
                app = await file.answer(Headers(scope=scope))
            # Streamlit leads from an address with a slash at its end to the one without.
            elif name not in _STREAMLITS and not (
                path.startswith(self._root) and name.removesuffix("/") in served
            ):
                home = html.escape(scope.get("root_path", "") + self._root)
                app = HTMLResponse(_PAGE.substitute(_FILLED, home=home), 404, _NOT_KEPT)
        elif kind == "websocket" and path.removeprefix(self._root) not in self._sockets:
            app = PlainTextResponse("Not found", 404, _NOT_KEPT)
        await app(scope, receive, send)
