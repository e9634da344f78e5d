"""The app as one ASGI application: Streamlit's pages, the labs next to them, and files."""

import os
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from lessons.outputs import catalogue
from pages.server import assets, compression, health, labs_app, log
from pages.server.ahead import Ahead
from pages.server.compression import StaticCompression
from pages.server.headers import SecurityHeaders
from pages.server.hosts import KnownHosts
from pages.server.labs_app import SOCKET, base
from pages.server.nodelay import send_at_once
from pages.server.prepare import prepare
from pages.server.site import Site
from pages.server.stream import STREAM, CheckedStream
from pages.server.unknown import UnknownPaths

PAGES_ONLY = "GRADIENT_TRICKS_PAGES_ONLY"
"""Set in the environment where the labs are another process's."""
OTHER_PAGES = ("playground", "glossary", "teach")
"""The addresses of the pages besides home and the chapters, relative to the site's."""
SWITCH = 0.0005
"""Seconds after which a page's script lets others have Python's lock; Python's own are 5 ms, and a
file on its way to a browser, or a socket that opens, asks for it several times."""

_site = Site()


def routes() -> list[BaseRoute]:
    """Return what is answered besides Streamlit's own."""
    labs = labs_app.routes(_site) if _with_labs() else health.routes(base())
    return [*labs, *assets.routes(base())]


def middleware() -> list[Middleware]:
    """Return what every answer goes through, the outermost first."""
    chapters = [chapter.slug for chapter in catalogue.chapters()]
    machines = health.paths(base())
    return [
        *([Middleware(log.LoggedRequests, quiet=machines)] if log.wanted() else []),
        Middleware(SecurityHeaders, base=base(), embeddable=chapters),
        Middleware(KnownHosts, machines=machines),
        Middleware(
            UnknownPaths, base=base(), pages=[*chapters, *OTHER_PAGES], sockets=[SOCKET, STREAM]
        ),
        Middleware(CheckedStream, base=base(), pages=_site.meters.pages, closed=_site.tidy.note),
        Middleware(StaticCompression, base=base()),
        Middleware(Ahead),
    ]


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[None]:
    """Load everything before the first request, and end the workers with the server."""
    send_at_once()
    sys.setswitchinterval(SWITCH)
    async with labs_app.running(_site, prepare, _with_labs()):
        threading.Thread(target=_compress, daemon=True).start()
        yield


def _with_labs() -> bool:
    return PAGES_ONLY not in os.environ


def _compress() -> None:
    """Compress what a first visit fetches."""
    with suppress(RuntimeError):  # the server ends meanwhile, and starts no thread any more
        compression.warm()
        assets.warm()
