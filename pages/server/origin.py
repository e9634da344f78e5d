"""Whose page may open a labs' socket: one of ours, by Streamlit's own rule for its socket."""

from urllib.parse import urlsplit

from starlette.websockets import WebSocket
from streamlit.web.server.server_util import is_url_from_allowed_origins
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

_REFUSED = 1008


async def accepted(websocket: WebSocket) -> bool:
    """Shake hands, where the page that opens the socket may; else close it."""
    headers = websocket.headers
    if allowed(headers.get("origin"), headers.get("host")):
        await websocket.accept()
        return True
    await websocket.close(_REFUSED)
    return False


def allowed(origin: str | None, host: str | None) -> bool:
    """Whether a page of that origin may open a socket here."""
    if not is_host_allowed(host):
        return False
    if origin is None:
        return True
    parts = urlsplit(origin)
    try:
        _ = parts.port  # something else than a number: no browser has such an origin
    except ValueError:
        return False
    return parts.netloc == host or is_url_from_allowed_origins(origin)
