"""What is not here: addresses that are no page of ours are answered with the way home.

Streamlit answers any address with its own index.html, which shows nothing where its scripts are
looked for in the wrong folder. And it takes files of whoever has a page open, and keeps them all:
no page here asks for one.
"""

from __future__ import annotations

from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.server.address import path_of, root
from pages.server.alone import page

_FOLDERS = frozenset({"_stcore", "api", "component", "files", "media", "static"})
"""Where programs look for something: what is not there is said as text."""
_UPLOADS = "_stcore/upload_file/"
_MESSAGE = "<p>There is no page at this address. It may have been cut or mistyped.</p>"


class UnknownPaths:
    """Middleware that says 404 where Streamlit would show its empty page."""

    def __init__(
        self, app: ASGIApp, *, base: str, pages: Collection[str], sockets: Collection[str]
    ) -> None:
        """``base`` is Streamlit's server.baseUrlPath; ``pages`` and ``sockets`` lie below it."""
        self._app = app
        self._root = root(base)
        self._pages = {self._root, *(self._root + name for name in pages)}
        self._sockets = {self._root + name for name in sockets}
        self._uploads = self._root + _UPLOADS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        kind, path = scope["type"], path_of(scope)
        if kind == "websocket" and path not in self._sockets:
            await PlainTextResponse("Not found", 404)(scope, receive, send)
        elif path.startswith(self._uploads):
            await _no_file()(scope, receive, send)
        elif kind != "http" or path in self._pages:
            await self._app(scope, receive, send)
        else:
            await self._looked_for(scope, receive, send)

    async def _looked_for(self, scope: Scope, receive: Receive, send: Send) -> None:
        above = scope.get("root_path", "")  # before the routes below change it
        is_page = _FOLDERS.isdisjoint(path_of(scope).split("/"))
        missing = False

        async def send_what_is_there(message: Message) -> None:
            nonlocal missing
            if message["type"] == "http.response.start":
                missing = _is_nothing(message, is_page)
            if not missing:
                await send(message)

        await self._app(scope, receive, send_what_is_there)
        if missing:
            home = above + self._root
            nothing = page(404, "There is no page here", _MESSAGE, home) if is_page else _no_file()
            await nothing(scope, receive, send)


def _no_file() -> PlainTextResponse:
    return PlainTextResponse("Not found", 404, {"Cache-Control": "no-store"})


def _is_nothing(start: Message, is_page: bool) -> bool:
    """Whether this begins Streamlit's index.html, or a bare "not found" where a page is wanted."""
    kind = Headers(raw=start["headers"]).get("content-type", "")
    if start["status"] == 404:
        return is_page and kind.startswith("text/plain")
    return start["status"] < 300 and kind.startswith("text/html")
