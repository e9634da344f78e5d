"""The labs as one ASGI application: their socket, the numbers' API, and health.

For one person it is mounted in ``app.py``, next to Streamlit's pages. For a class it runs by itself
(``python -m pages.server --labs``), and nginx sends it what is asked of it.
"""

import asyncio
import gc
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, WebSocketRoute
from starlette.websockets import WebSocket
from streamlit import config

from pages.server import api, health, log, meters
from pages.server.address import root
from pages.server.headers import SecurityHeaders
from pages.server.hosts import KnownHosts
from pages.server.site import Site
from pages.server.streamlit_guard import StreamlitGuard

SOCKET = "labs"
"""The address of the labs' socket, relative to the app's."""


def base() -> str:
    """Return the path that the app lies under, as ``server.baseUrlPath`` says; empty for none."""
    return str(config.get_option("server.baseUrlPath") or "").strip("/")


def routes(site: Site) -> list[BaseRoute]:
    """Return what answers for the labs."""

    async def socket(websocket: WebSocket) -> None:
        await websocket.accept()
        await site.admit(websocket)

    return [
        WebSocketRoute(f"{root(base())}{SOCKET}", socket),
        *health.routes(base()),
        *api.routes(base(), site.ask),
    ]


def known_hosts() -> Middleware:
    """Return the check of hosts and origins, as Streamlit's settings have them."""
    origins = None
    if config.get_option("server.enableCORS"):
        origins = [*config.get_option("server.corsAllowedOrigins")]
        if config.is_manually_set("browser.serverAddress"):
            origins.append(config.get_option("browser.serverAddress"))
    allowed = config.get_option("server.allowedHosts")
    return Middleware(KnownHosts, allowed=allowed, origins=origins, machines=health.paths(base()))


@asynccontextmanager
async def running(
    site: Site, load: Callable[[], None], workers: bool = True
) -> AsyncIterator[None]:
    """Load everything before the first request, and end the workers with the server.

    Args:
        site: what is served.
        load: loads what this process needs.
        workers: whether a worker is to be ready, too.
    """
    meters.serve(site.meters)
    loading = [asyncio.to_thread(load), *([site.ready()] if workers else [])]
    await asyncio.gather(*loading)
    tidy = asyncio.create_task(site.tidy.live())
    log.set_up()
    try:
        yield
    finally:
        tidy.cancel()
        site.stop()


def app() -> Starlette:
    """Make the application that runs by itself."""
    site = Site()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with running(site, gc.freeze):  # no collection walks what is loaded by now
            yield

    middleware = [
        Middleware(SecurityHeaders, base=base()),
        known_hosts(),
        Middleware(StreamlitGuard, base=base()),
    ]
    return Starlette(routes=routes(site), middleware=middleware, lifespan=lifespan)
