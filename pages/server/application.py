"""The whole app as one ASGI application: Streamlit's pages, the labs' route, numbers, files."""

import asyncio
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, WebSocketRoute
from streamlit import config

from lessons.outputs import catalogue
from pages.server import api, files, log, page_head, watched
from pages.server.address import root
from pages.server.draining import TakesNoMore, on_sigterm
from pages.server.files import Files
from pages.server.headers import SecurityHeaders
from pages.server.hosts import KnownHosts
from pages.server.labs import labs
from pages.server.lanes import LostError
from pages.server.meters import PageMeters
from pages.server.nodelay import send_at_once
from pages.server.not_found import NotFound
from pages.server.prepared import prepare
from pages.server.streamlit_guard import STREAM, StreamlitGuard

SOCKET = "labs"
"""The address of the labs' route, relative to the page's."""

OTHER_PAGES = ("playground", "glossary", "teach")
"""The addresses of the pages beside home and the chapters, relative to the site's."""

SWITCH = 0.0005
"""Seconds after which a page's script lets others have Python's lock; Python's own are 5 ms, and a
file on its way to a browser, or a socket that opens, asks for it several times."""

_meters = PageMeters()
_labs = labs(_meters.restarted)


def base() -> str:
    """The path that the app lies under, as ``server.baseUrlPath`` says; empty for none."""
    return str(config.get_option("server.baseUrlPath") or "").strip("/")


def routes() -> list[BaseRoute]:
    """What is answered beside Streamlit's own."""
    socket = WebSocketRoute(f"{root(base())}{SOCKET}", _labs)

    async def counted() -> bytes:
        return _meters.text() + await _labs.meters()

    seen = watched.routes(base(), _labs.draining, _labs.answering, counted)

    async def ask(kind: str, question: str) -> bytes:
        reply = await _labs.computed(kind, question)
        if not isinstance(reply, bytes):
            raise LostError
        return reply

    return [socket, *seen, *api.routes(base(), ask)]


def middleware() -> list[Middleware]:
    """What every answer goes through, the outermost first."""
    chapters = [chapter.slug for chapter in catalogue.chapters()]
    machines = watched.paths(base())
    page_head.serve([*chapters, *OTHER_PAGES])
    logged = [Middleware(log.LoggedRequests, quiet=machines)] if log.wanted() else []
    return [
        *logged,
        Middleware(SecurityHeaders, page=page_head.page(), base=base(), embeddable=chapters),
        Middleware(
            KnownHosts,
            allowed=config.get_option("server.allowedHosts"),
            origins=_origins(),
            machines=machines,
        ),
        Middleware(watched.MetersInside, base=base()),
        Middleware(
            TakesNoMore,
            draining=_labs.draining,
            refused=lambda: _labs.refusal("draining"),
            spared=machines,
        ),
        Middleware(
            NotFound, base=base(), pages=[*chapters, *OTHER_PAGES], sockets=[SOCKET, STREAM]
        ),
        Middleware(StreamlitGuard, base=base(), opened=_meters.pages.track_inprogress),
        Middleware(Files, base=base()),
    ]


def _origins() -> list[str] | None:
    """The sites that the settings allow to open a socket; None for all."""
    if not config.get_option("server.enableCORS"):
        return None
    named = [*config.get_option("server.corsAllowedOrigins")]
    if config.is_manually_set("browser.serverAddress"):
        named.append(config.get_option("browser.serverAddress"))
    return named


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[None]:
    """Load everything before the first request; end with the server whoever works for it."""
    send_at_once()
    sys.setswitchinterval(SWITCH)
    _labs.start()  # it loads on another core meanwhile
    await asyncio.to_thread(prepare)
    await _labs.ready()
    threading.Thread(target=files.warm, args=(page_head.first_files(),), daemon=True).start()
    beside = [asyncio.create_task(one) for one in _labs.beside()]
    log.set_up()
    try:
        with on_sigterm(_labs.draining):
            yield
    finally:
        for task in beside:
            task.cancel()
        await _labs.stop()
