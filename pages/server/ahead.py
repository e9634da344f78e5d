"""What the page itself tells the browser: what to fetch ahead, and where the server is.

Streamlit's index.html names Streamlit's scripts. The lab's would be found only once Streamlit has
run the page, and after them the charts' script, which takes a browser longest to read. And the
site's style: from a page's first element on everything stands where it will stay.
"""

from __future__ import annotations

import gzip
import hashlib
from functools import lru_cache

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.server import assets
from pages.server.address import SERVER_IS_HERE
from pages.server.compression import SOON, TYPES, accepts_gzip, named
from pages.ui.style import css

_NOT_ASKED = ("accept-encoding", "if-none-match", "if-modified-since", "range")
_NOT_SENT = ("etag", "last-modified", "accept-ranges", "content-encoding", "vary")
_END = b"</head>"


class Ahead:
    """Middleware that adds to each page's head what is needed soon."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._tags = tags().encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = Headers(scope=scope) if scope["type"] == "http" else Headers()
        if scope.get("method") != "GET" or "text/html" not in asked.get("accept", ""):
            await self._app(scope, receive, send)
            return
        # Whole and as it is: it is read here, and a browser that knows the page of an earlier
        # version must not be told that nothing has changed.
        kept = [(k, v) for k, v in scope["headers"] if k.decode("latin-1") not in _NOT_ASKED]
        start: Message = {}
        body = b""

        async def read(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start":
                start = message
            if not _is_page(start):
                await send(message)
                return
            body += message.get("body", b"")
            if message["type"] == "http.response.start" or message.get("more_body"):
                return
            headers = MutableHeaders(raw=[*start["headers"]])
            for name in _NOT_SENT:
                del headers[name]
            content = _with(body, self._tags)
            if accepts_gzip(asked):
                content = _packed(content)
                headers["Content-Encoding"] = "gzip"
            headers["Content-Length"] = str(len(content))
            headers["Vary"] = "Accept-Encoding"
            await send({**start, "headers": headers.raw})
            await send({"type": "http.response.body", "body": content})

        # No extensions: a page that the server itself would read from its file is not seen here.
        await self._app({**scope, "headers": kept, "extensions": {}}, receive, read)


def tags() -> str:
    """What is added: the first modules of the lab, and those of Streamlit's that any page loads."""
    fetched = [*(f"static/{name}" for name in named(SOON)), *assets.first_modules()]
    links = [f'<link rel="modulepreload" crossorigin href="./{address}">' for address in fetched]
    style = f'<link rel="stylesheet" href="./{_style()}">'
    again = f'<script type="module" async src="./{assets.LIVE}/again.js"></script>'
    early = f'<script type="module" src="./{assets.LIVE}/early.js"></script>'
    return "".join([style, f"<script>{SERVER_IS_HERE}</script>", *links, again, early])


def _style() -> str:
    """The address of the site's style and the lab's.

    Nested, so that it wins over Streamlit's own rules, which come later.
    """
    text = f":root {{\n{css()}\n{assets.STYLE}\n}}".encode()
    digest = hashlib.blake2b(text, digest_size=8).hexdigest()
    return assets.add(f"site-{digest}.css", text, TYPES[".css"])


def _is_page(start: Message) -> bool:
    return Headers(raw=start["headers"]).get("content-type", "").startswith("text/html")


@lru_cache(maxsize=8)
def _with(page: bytes, added: bytes) -> bytes:
    return page.replace(_END, added + _END, 1)


@lru_cache(maxsize=8)
def _packed(page: bytes) -> bytes:
    return gzip.compress(page, mtime=0)
