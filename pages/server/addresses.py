"""What is at which address: files, pages, sockets. Everything else is answered with 404.

Streamlit answers any address with its own index.html, which then shows nothing. It also takes files
from everyone who has a page open, shows its meters and signs people in. No page here needs that.
"""

import html
from collections.abc import Collection
from pathlib import Path
from string import Template

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import config

from lessons.contract.roles import INKS
from lessons.gradient_tricks.text.words import LANGUAGE
from pages.server import WORDS, files

Names = Collection[str]

# What Streamlit's scripts ask for as a page opens.
_STREAMLITS = ("favicon.png", "_stcore/health", "_stcore/host-config")
_NOT_KEPT = {"Cache-Control": "no-store"}
# It needs no other file: no script, and the system's fonts.
_PAGE = Template(Path(__file__).with_name("not_found.html").read_text("utf-8"))
_FILLED = {name: ",".join(inks) for name, inks in INKS.items()} | {"language": LANGUAGE}
_FILLED |= {"no_page": WORDS("no_page"), "about": WORDS("no_page_about"), "to_home": WORDS("home")}


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
        root: where the app is. Pages and sockets are named relative to it.
        machines: whole paths that programs ask for.
    """

    def __init__(
        self,
        app: ASGIApp,
        root: str = "/",
        pages: Names = (),
        sockets: Names = (),
        machines: Names = (),
    ) -> None:
        self._app, self._root, self._machines = app, root, machines
        with_slash = [f"{name}/" for name in pages]  # Streamlit leads to the address without
        self._known = {"", *pages, *with_slash, *_STREAMLITS}
        self._sockets = sockets

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        kind, path = scope["type"], path_of(scope)
        app = self._app
        if kind == "http" and path not in self._machines:
            name = path.removeprefix(self._root)
            file = files.served.get(name) if scope["method"] in {"GET", "HEAD"} else None
            if file:
                app = await file.answer(Headers(scope=scope))
            elif name not in self._known:
                home = html.escape(scope.get("root_path", "") + self._root)
                app = HTMLResponse(_PAGE.substitute(_FILLED, home=home), 404, _NOT_KEPT)
        elif kind == "websocket" and path.removeprefix(self._root) not in self._sockets:
            app = PlainTextResponse("Not found", 404, _NOT_KEPT)
        await app(scope, receive, send)
