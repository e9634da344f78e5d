"""What ``app.py`` puts next to Streamlit's pages: the labs' routes, and guards around all."""

import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import BaseRoute, Route, WebSocketRoute
from streamlit import config

from lessons.outputs import catalogue
from pages.server import forkserver, log
from pages.server.addresses import Addresses, add_page, root, served
from pages.server.headers import SecurityHeaders
from pages.server.hosts import KnownHosts
from pages.server.limits import raise_file_limit
from pages.server.process import keep_house, prepare
from pages.server.site import Site
from pages.server.socket_guard import STREAM, SocketGuard
from pages.ui.own_code.view import REPORT
from pages.ui.page import page

SOCKET = "labs"
"""The address of the labs' socket, relative to the app's."""
FRAME = "frame.json"
"""The address of a frame for people and programs, relative to the app's."""
READY = "/readyz"
"""The path of the health check. It is at the root, since a container's check and a cluster's probes
do not know ``server.baseUrlPath``."""
OTHER_PAGES = ("course", "playground", "glossary", "your_own_code", "teach")
"""The addresses of the pages besides home and the chapters, relative to the app's."""
SWITCH = 0.0005
"""Seconds until a page's script has to release the GIL. Sending a file or opening a socket waits
for it several times, with Python's default 5 ms each time."""

site = Site()
"""The labs."""


def routes(labs: Site) -> list[BaseRoute]:
    """Return the routes besides Streamlit's own."""
    # The server listens only once it has loaded everything, so any answer means that it is ready.
    ready = PlainTextResponse("ready\n", headers={"Cache-Control": "no-store"})
    return [
        Route(READY, ready, methods=["GET"]),
        Route(root() + FRAME, labs.frame_json, methods=["GET"]),
        WebSocketRoute(root() + SOCKET, labs.admit),
    ]


def known_hosts() -> Middleware:
    """Return the check of hosts and origins, with Streamlit's settings."""
    origins = None
    if config.get_option("server.enableCORS"):
        origins = config.get_option("server.corsAllowedOrigins")
    allowed = config.get_option("server.allowedHosts")
    machines = [READY, f"{root()}_stcore/health"]  # the last is Streamlit's own
    return Middleware(KnownHosts, allowed=allowed, origins=origins, machines=machines)


def middleware() -> list[Middleware]:
    """Return the middleware around the pages, the outermost first."""
    add_page(page(), [*(chapter.slug for chapter in catalogue.chapters()), *OTHER_PAGES])
    report = served[REPORT].content(packed=False).decode()
    return [
        Middleware(SecurityHeaders, page() + report),
        known_hosts(),
        Middleware(Addresses, root(), [SOCKET, STREAM], [READY, root() + FRAME]),
        Middleware(SocketGuard, root()),
    ]


@asynccontextmanager
async def lifespan(app: object) -> AsyncIterator[None]:
    """Load everything before the first request; end the workers with the server."""
    sys.setswitchinterval(SWITCH)
    raise_file_limit()  # each socket takes one
    try:
        forkserver.start()
        prepare()
        await site.load()
        log.set_up()
        threading.Thread(target=keep_house, daemon=True).start()
        yield
    finally:
        site.end()
