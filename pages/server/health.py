"""Tells machines that a server lives: ``GET healthz``, and that it takes learners: ``GET readyz``.

A server listens only once everything is loaded, so both say yes from the first request on. They
answer at the root as well as below server.baseUrlPath: a container's health check and a cluster's
probes ask the process itself, and do not know of the path.
"""

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from pages.server.address import root

NAMES = ("healthz", "readyz")


def paths(base: str) -> frozenset[str]:
    """Return their addresses, where ``base`` is Streamlit's server.baseUrlPath."""
    return frozenset(where + name for where in ("/", root(base)) for name in NAMES)


def routes(base: str) -> list[BaseRoute]:
    """Return what answers them."""
    return [Route(path, _alive) for path in sorted(paths(base))]


async def _alive(request: Request) -> Response:
    return PlainTextResponse("ready\n", headers={"Cache-Control": "no-store"})
