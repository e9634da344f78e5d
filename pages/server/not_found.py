"""Answers addresses that are no page of ours with 404 and the way home.

Streamlit answers any address with its own index.html, which then shows nothing. It also takes files
from everyone who has a page open, and keeps them; no page here asks for one.
"""

import html
from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lessons.contract.roles import INKS
from pages.server.address import path_of, root

# Programs look for something here, so a refusal is text.
_FOLDERS = {"_stcore", "api", "component", "files", "media", "static"}
_NEVER = ("_stcore/upload_file/", "_stcore/metrics")
_NOT_KEPT = {"Cache-Control": "no-store"}
_NO_FILE = PlainTextResponse("Not found", 404, _NOT_KEPT)
_MESSAGE = "<p>There is no page at this address. It may have been cut or mistyped.</p>"
_INK = {name: "light-dark({},{})".format(*inks) for name, inks in INKS.items()}
# System fonts, since Streamlit's are files of their own.
_STYLE = f"""
:root {{ color-scheme: light dark; background: {_INK["paper"]}; color: {_INK["text"]}; }}
body {{ margin: 12vh auto; max-width: 38rem; padding: 0 1.5rem; font: 1rem/1.6 sans-serif; }}
h1 {{ font: 600 1.9rem/1.2 serif; }}
code {{ background: {_INK["panel"]}; padding: 0.1em 0.3em; overflow-wrap: anywhere; }}
a {{ color: inherit; }}
"""


def page(status: int, title: str, message: str, home: str = "") -> Response:
    """A page without scripts or files, with a link home if ``home`` is its address.

    ``message`` is HTML: whatever comes from outside has to be escaped in it.
    """
    link = f'<p><a href="{html.escape(home)}">Home: Gradient Tricks Lab</a></p>' if home else ""
    return HTMLResponse(
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        '<link rel="icon" href="data:,">'  # or the browser asks for one
        f"<title>{html.escape(title)}</title><style>{_STYLE}</style></head>"
        f"<body><main><h1>{html.escape(title)}</h1>{message}{link}</main></body></html>",
        status,
        _NOT_KEPT,
    )


class NotFound:
    """Middleware that answers 404 where Streamlit would show its empty page."""

    def __init__(
        self, app: ASGIApp, *, base: str = "", pages: Collection[str], sockets: Collection[str]
    ) -> None:
        """``base`` is Streamlit's server.baseUrlPath; ``pages`` and ``sockets`` are below it."""
        self._app, self._root = app, root(base)
        self._pages = {self._root + name for name in ("", *pages)}
        self._sockets = {self._root + name for name in sockets}
        self._never = tuple(self._root + name for name in _NEVER)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        kind, path = scope["type"], path_of(scope)
        if path.startswith(self._never) or (kind == "websocket" and path not in self._sockets):
            await _NO_FILE(scope, receive, send)
            return
        if kind != "http" or path in self._pages:
            await self._app(scope, receive, send)
            return
        home = scope.get("root_path", "") + self._root  # before the routes below change it
        is_page = _FOLDERS.isdisjoint(path.split("/"))
        missing = False

        async def send_what_is_there(message: Message) -> None:
            nonlocal missing
            if message["type"] == "http.response.start":
                missing = _is_missing(message, is_page)
            if not missing:
                await send(message)

        await self._app(scope, receive, send_what_is_there)
        if missing:
            answer = page(404, "There is no page here", _MESSAGE, home) if is_page else _NO_FILE
            await answer(scope, receive, send)


def _is_missing(start: Message, is_page: bool) -> bool:
    """Whether this is Streamlit's index.html, or a bare "not found" where a page is wanted."""
    kind = Headers(raw=start["headers"]).get("content-type", "")
    if start["status"] == 404:
        return is_page and kind.startswith("text/plain")
    return start["status"] < 300 and kind.startswith("text/html")
