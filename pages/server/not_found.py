"""Answers 404 at every address where nothing of ours is, and leads people home.

Streamlit answers any address with its own index.html, which then shows nothing. It also takes files
from everyone who has a page open, shows its meters and signs people in. No page here asks for that.
"""

import html
from collections.abc import Collection

from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from lessons.contract.roles import INKS
from pages.server import files
from pages.server.address import path_of, root

Names = Collection[str]

# What Streamlit's scripts ask for as a page opens.
_STREAMLITS = ("favicon.png", "_stcore/health", "_stcore/host-config")
# Programs look for something here, so a refusal is text.
_FOLDERS = {"_stcore", "api", "component", "files", "media", "static"}
_NOT_KEPT = {"Cache-Control": "no-store"}
_NO_FILE = PlainTextResponse("Not found", 404, _NOT_KEPT)
_INK = {name: "light-dark({},{})".format(*inks) for name, inks in INKS.items()}
# System fonts, since Streamlit's are files of their own.
_STYLE = f"""
:root {{ color-scheme: light dark; background: {_INK["paper"]}; color: {_INK["text"]}; }}
body {{ margin: 12vh auto; max-width: 38rem; padding: 0 1.5rem; font: 1rem/1.6 sans-serif; }}
h1 {{ font: 600 1.9rem/1.2 serif; }}
a {{ color: inherit; }}
"""


def _page(home: str) -> Response:
    """Return a page without scripts or files, with a link to this address."""
    return HTMLResponse(
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        '<link rel="icon" href="data:,">'  # or the browser asks for one
        f"<title>There is no page here</title><style>{_STYLE}</style></head>"
        "<body><main><h1>There is no page here</h1>"
        "<p>There is no page at this address. It may have been cut or mistyped.</p>"
        f'<p><a href="{html.escape(home)}">Home: Gradient Tricks Lab</a></p></main></body></html>',
        404,
        _NOT_KEPT,
    )


class NotFound:
    """Middleware that passes on what is on its list, and answers 404 for the rest."""

    def __init__(
        self, app: ASGIApp, base: str, pages: Names, sockets: Names, folders: Names, machines: Names
    ) -> None:
        """``base`` is Streamlit's server.baseUrlPath. Pages, sockets and folders are below it;
        ``machines`` are whole paths.
        """
        self._app, self._root = app, root(base)
        with_slash = [f"{name}/" for name in pages]  # Streamlit leads to the address without
        names = ["", *pages, *with_slash, *_STREAMLITS]
        self._known = {self._root + name for name in names} | {*machines}
        self._folders = tuple(f"{self._root}{name}/" for name in folders)
        self._sockets = {self._root + name for name in sockets}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        kind, path = scope["type"], path_of(scope)
        if self._is_here(kind, path):
            await self._app(scope, receive, send)
        elif kind == "websocket" or not _FOLDERS.isdisjoint(path.split("/")):
            await _NO_FILE(scope, receive, send)
        else:
            home = scope.get("root_path", "") + self._root
            await _page(home)(scope, receive, send)

    def _is_here(self, kind: str, path: str) -> bool:
        if kind == "websocket":
            return path in self._sockets
        served = path in self._known or path.removeprefix(self._root) in files.served
        return served or path.startswith(self._folders) or kind == "lifespan"
