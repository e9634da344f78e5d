"""The app as one ASGI application: Streamlit's pages, the labs next to them, and files."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from lessons.outputs import catalogue
from pages.server import files, labs_app, meters
from pages.server.files import Files
from pages.server.headers import SecurityHeaders
from pages.server.labs_app import PAGES_ONLY, SOCKET, base
from pages.server.not_found import NotFound
from pages.server.prepare import prepare
from pages.server.site import Site
from pages.server.streamlit_guard import STREAM, StreamlitGuard

OTHER_PAGES = ("playground", "glossary", "teach")
"""The addresses of the pages besides home and the chapters, relative to the site's."""
SWITCH = 0.0005
"""Seconds after which a page's script lets others have Python's lock; Python's own are 5 ms, and a
file on its way to a browser, or a socket that opens, asks for it several times."""

_site = None if PAGES_ONLY in os.environ else Site()


def routes() -> list[BaseRoute]:
    """Return what is answered besides Streamlit's own."""
    return labs_app.routes(_site) if _site else labs_app.health_routes()


def middleware() -> list[Middleware]:
    """Return what every answer goes through, the outermost first."""
    chapters = [chapter.slug for chapter in catalogue.chapters()]
    pages = [*chapters, *OTHER_PAGES]
    files.serve_page(pages)
    sockets, folders = ([SOCKET, STREAM], ["api"]) if _site else ([STREAM], [])
    machines = labs_app.health_paths()
    return [
        Middleware(SecurityHeaders, page=files.page(), base=base(), embeddable=chapters),
        labs_app.known_hosts(),
        Middleware(NotFound, base(), pages, sockets, folders, machines),
        Middleware(StreamlitGuard, base=base(), opened=meters.PAGES.track_inprogress),
        Middleware(Files, base=base()),
    ]


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[None]:
    """Load everything before the first request, and end the workers with the server."""
    sys.setswitchinterval(SWITCH)
    async with labs_app.running(prepare, _site):
        yield
