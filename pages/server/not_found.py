"""Answers 404 at every address where nothing of ours is, and leads people home.

Streamlit answers any address with its own index.html, which then shows nothing. It also takes files
from everyone who has a page open, shows its meters and signs people in. No page here asks for that.
"""

import html
from collections.abc import Collection
from pathlib import Path
from string import Template

from starlette.responses import HTMLResponse, PlainTextResponse
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
# It needs no other file: no script, and the system's fonts.
_PAGE = Template(Path(__file__).with_name("not_found.html").read_text("utf-8"))
_INKS = {name: ",".join(inks) for name, inks in INKS.items()}


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
            home = html.escape(scope.get("root_path", "") + self._root)
            page = HTMLResponse(_PAGE.substitute(_INKS, home=home), 404, _NOT_KEPT)
            await page(scope, receive, send)

    def _is_here(self, kind: str, path: str) -> bool:
        if kind == "websocket":
            return path in self._sockets
        served = path in self._known or path.removeprefix(self._root) in files.served
        return served or path.startswith(self._folders) or kind == "lifespan"
