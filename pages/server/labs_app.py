"""The labs as one ASGI application: their socket, the numbers' API, and health.

For one person it is mounted in ``app.py``, next to Streamlit's pages. For a class it runs by itself
(``python -m pages.server --labs``), and nginx sends it what is asked of it.
"""

import asyncio
import gc
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket
from streamlit import config

from pages.server import api, log, memory, meters
from pages.server.address import root
from pages.server.headers import SecurityHeaders
from pages.server.hosts import KnownHosts
from pages.server.site import Site
from pages.server.streamlit_guard import StreamlitGuard

PAGES_ONLY = "GRADIENT_TRICKS_PAGES_ONLY"
"""Set in the environment of a server whose labs are another process's."""
SOCKET = "labs"
"""The address of the labs' socket, relative to the app's."""


def base() -> str:
    """Return the path that the app lies under, as ``server.baseUrlPath`` says; empty for none."""
    return str(config.get_option("server.baseUrlPath") or "").strip("/")


def health_paths() -> list[str]:
    """Return where machines ask whether a server lives and takes learners. Also at the root: a
    container's check and a cluster's probes do not know of ``server.baseUrlPath``."""
    return [where + name for where in {"/", root(base())} for name in ("healthz", "readyz")]


def health_routes() -> list[BaseRoute]:
    """Return what answers there: always yes, since a server listens once everything is loaded."""

    async def ready(request: Request) -> PlainTextResponse:
        return PlainTextResponse("ready\n", headers={"Cache-Control": "no-store"})

    return [Route(path, ready) for path in health_paths()]


def routes(site: Site) -> list[BaseRoute]:
    """Return what answers for the labs."""

    async def socket(websocket: WebSocket) -> None:
        await websocket.accept()
        await site.admit(websocket)

    labs = WebSocketRoute(f"{root(base())}{SOCKET}", socket)
    return [labs, *health_routes(), *api.routes(base(), site.ask)]


def known_hosts() -> Middleware:
    """Return the check of hosts and origins, as Streamlit's settings have them."""
    origins = None
    if config.get_option("server.enableCORS"):
        origins = [*config.get_option("server.corsAllowedOrigins")]
        if config.is_manually_set("browser.serverAddress"):
            origins.append(config.get_option("browser.serverAddress"))
    allowed = config.get_option("server.allowedHosts")
    return Middleware(KnownHosts, allowed=allowed, origins=origins, machines=health_paths())


@asynccontextmanager
async def running(load: Callable[[], object], site: Site | None) -> AsyncIterator[None]:
    """Load what this process and its workers need; end the workers with the server."""
    _open_many()
    meters.serve()
    await asyncio.gather(asyncio.to_thread(load), *([site.load()] if site else []))
    cleaning = asyncio.create_task(memory.clean_now_and_then())
    log.set_up()
    try:
        yield
    finally:
        cleaning.cancel()
        if site:
            site.end()


def _open_many() -> None:
    """Let this process have a file handle for each socket; a service may open 1,024 by default."""
    if os.name != "nt":
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def app() -> Starlette:
    """Make the application that runs by itself."""
    site = Site()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with running(gc.freeze, site):  # no collection walks what is loaded by now
            yield

    middleware = [
        Middleware(SecurityHeaders, base=base()),
        known_hosts(),
        Middleware(StreamlitGuard, base=base()),
    ]
    return Starlette(routes=routes(site), middleware=middleware, lifespan=lifespan)
