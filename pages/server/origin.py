"""Whose page may open a socket here, the labs' or Streamlit's own: one of ours.

Streamlit's rule for its socket asks a service on the internet for this machine's outer address
before it refuses, in the event loop: nobody is answered meanwhile, for many seconds where nothing
outside can be reached. This is the same rule without that question. Who is reached under a name
that its own requests do not carry names it in ``server.corsAllowedOrigins`` or
``browser.serverAddress``.
"""

from urllib.parse import urlsplit

from starlette.websockets import WebSocket
from streamlit import config
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

REFUSED = 1008
_HERE = frozenset({"localhost", "127.0.0.1", "::1"})
"""What a browser calls this machine behind a proxy on it that passes on another ``Host``."""


async def accepted(websocket: WebSocket) -> bool:
    """Shake hands, where the page that opens the socket may; else close it."""
    headers = websocket.headers
    if allowed(headers.get("origin"), headers.get("host")):
        await websocket.accept()
        return True
    await websocket.close(REFUSED)
    return False


def allowed(origin: str | None, host: str | None) -> bool:
    """Whether a page of that origin may open a socket here."""
    if not is_host_allowed(host):
        return False
    if origin is None or not config.get_option("server.enableCORS"):
        return True
    name = _name(origin)
    if name is None:
        return False
    return urlsplit(origin).netloc == host or name in _HERE or name in _configured()


def _name(origin: str) -> str | None:
    """The host that an origin names; nothing where no browser has such an origin."""
    try:
        parts = urlsplit(origin)
        _ = parts.port  # something else than a number raises
    except ValueError:
        return None
    return parts.hostname


def _configured() -> set[str]:
    """The hosts that the settings name, as an origin or by their name alone."""
    named: list[str] = [*config.get_option("server.corsAllowedOrigins")]
    if config.is_manually_set("browser.serverAddress"):
        named.append(str(config.get_option("browser.serverAddress")))
    names = (_name(one.strip() if "//" in one else f"//{one.strip()}") for one in named)
    return {name for name in names if name}
