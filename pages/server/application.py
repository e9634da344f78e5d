"""The ASGI applications: Streamlit's pages with the labs next to them, and the labs by themselves.

For one person ``app.py`` serves everything. For a class nginx has one kind of process for the pages
and one for the labs (``python -m pages.server --pages`` and ``--labs``).
"""

import asyncio
import gc
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import streamlit as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import BaseRoute, Route, WebSocketRoute
from streamlit import config

from lessons.outputs import catalogue
from pages.server import api, files, log, meters
from pages.server.addresses import Addresses, below
from pages.server.headers import SecurityHeaders
from pages.server.hosts import KnownHosts
from pages.server.process import clean_now_and_then, prepare
from pages.server.site import Site
from pages.server.streamlit_guard import STREAM, StreamlitGuard
from pages.ui.page import page

SOCKET = "labs"
"""The address of the labs' socket, relative to the app's."""
OTHER_PAGES = ("playground", "glossary", "teach")
"""The addresses of the pages besides home and the chapters, relative to the app's."""
SWITCH = 0.0005
"""Seconds after which a page's script lets others have Python's lock; Python's own are 5 ms, and a
file on its way to a browser, or a socket that opens, asks for it several times."""

site: Site | None = Site()
"""The labs; None in a process for the pages alone."""


def root() -> str:
    """Return the path of the app, with a slash at both ends."""
    return below(str(config.get_option("server.baseUrlPath") or ""))


def _health_paths() -> list[str]:
    """Return where machines ask whether a server lives and takes learners. Also at the root: a
    container's check and a cluster's probes do not know of ``server.baseUrlPath``."""
    return [where + name for where in {"/", root()} for name in ("healthz", "readyz")]


def routes(labs: Site | None) -> list[BaseRoute]:
    """Return what is answered besides Streamlit's own."""
    # A server listens once everything is loaded, so whoever is answered is answered with yes.
    ready = PlainTextResponse("ready\n", headers={"Cache-Control": "no-store"})
    found: list[BaseRoute] = [Route(path, ready, methods=["GET"]) for path in _health_paths()]
    if labs:
        found += [WebSocketRoute(root() + SOCKET, labs.admit), *api.routes(root(), labs.ask)]
    return found


def known_hosts() -> Middleware:
    """Return the check of hosts and origins, as Streamlit's settings have them."""
    origins = None
    if config.get_option("server.enableCORS"):
        origins = [*config.get_option("server.corsAllowedOrigins")]
        if config.is_manually_set("browser.serverAddress"):
            origins.append(config.get_option("browser.serverAddress"))
    allowed = config.get_option("server.allowedHosts")
    return Middleware(KnownHosts, allowed=allowed, origins=origins, machines=_health_paths())


def middleware() -> list[Middleware]:
    """Return what every answer of the pages goes through, the outermost first."""
    chapters = [chapter.slug for chapter in catalogue.chapters()]
    pages = [*chapters, *OTHER_PAGES]
    files.add_page(page(), pages)
    sockets, folders = ([SOCKET, STREAM], ["api"]) if site else ([STREAM], [])
    return [
        Middleware(SecurityHeaders, page()),
        known_hosts(),
        Middleware(Addresses, root(), pages, sockets, folders, _health_paths()),
        Middleware(StreamlitGuard, root()),
    ]


@asynccontextmanager
async def _running(load: Callable[[], object], labs: Site | None) -> AsyncIterator[None]:
    """Load what this process and its workers need; end the workers with the server."""
    sys.setswitchinterval(SWITCH)
    if os.name != "nt":
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # a handle for each socket
    meters.serve()
    await asyncio.gather(asyncio.to_thread(load), *([labs.load()] if labs else []))
    cleaning = asyncio.create_task(clean_now_and_then())
    log.set_up()
    try:
        yield
    finally:
        cleaning.cancel()
        if labs:
            labs.end()


def lifespan(app: st.App) -> AbstractAsyncContextManager[None]:
    """Load everything before the first request."""
    return _running(prepare, site)


def labs_app() -> Starlette:
    """Make the application of the labs by themselves."""
    labs = Site()
    around = [Middleware(SecurityHeaders), known_hosts(), Middleware(StreamlitGuard)]
    # Frozen, so that no collection walks what is loaded by now.
    return Starlette(False, routes(labs), around, lifespan=lambda app: _running(gc.freeze, labs))
