"""Under which names this server answers: this machine's, or those of ``server.allowedHosts``.

A page from elsewhere may let its own name lead to this machine's address, and a browser then takes
it for a page of ours ("DNS rebinding"). What gives it away is the name that it asks for.
"""

from __future__ import annotations

import html
import re
import socket
from ipaddress import ip_address

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import config
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from pages.server.address import path_of
from pages.server.alone import page

_HOST = re.compile(r"(\[[\da-f:.]{2,45}\]|[\w.-]{1,253}?)\.?(:\d{1,5})?", re.ASCII | re.IGNORECASE)


def answers_to(host: str, reached: str) -> bool:
    """Whether a request that names this host is answered.

    Args:
        host: the ``Host`` header.
        reached: the address of this machine that the request came to.
    """
    if config.get_option("server.allowedHosts"):
        return is_host_allowed(host)  # Streamlit's own rule for its socket
    name = _named(host)
    return bool(name) and (name in _own_names() or _is_address(name, reached))


def by_address(host: str, reached: str) -> bool:
    """Whether it names the address that the request came to, or this machine to itself."""
    name = _named(host)
    return name == "localhost" or _is_address(name, reached)


def _named(host: str) -> str:
    """The name without its port and in small letters; empty where it is none."""
    match = _HOST.fullmatch(host)
    return match[1].strip("[]").lower() if match else ""


def _own_names() -> set[str]:
    name = socket.gethostname().lower()
    short = name.partition(".")[0]
    return {"localhost", name, short, f"{short}.local"}


def _is_address(name: str, reached: str) -> bool:
    """Whether the name is the address that was reached, or one that never leaves this machine."""
    try:
        address = ip_address(name)
        if address.is_loopback:  # whatever was reached: a socket in a file has no address
            return True
        own = ip_address(reached.partition("%")[0])
    except ValueError:
        return False
    # A socket for both versions of IP tells an address of version 4 as one of version 6.
    return address in (own, getattr(own, "ipv4_mapped", None))


class KnownHosts:
    """Middleware that refuses requests and sockets which name another host."""

    def __init__(self, app: ASGIApp, *, machines: frozenset[str] = frozenset()) -> None:
        """``machines`` are paths that a cluster asks for by a process's address, not by its name:
        there the address that was reached is allowed besides the names.
        """
        self._app, self._machines = app, machines

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        hosts = Headers(scope=scope).getlist("host")
        reached = str((scope.get("server") or ("",))[0])
        probed = path_of(scope) in self._machines
        if len(hosts) == 1 and (
            answers_to(hosts[0], reached) or (probed and by_address(hosts[0], reached))
        ):
            await self._app(scope, receive, send)
            return
        await _refused(hosts)(scope, receive, send)


def _refused(hosts: list[str]) -> Response:
    """What came, and how its name is allowed; this machine's own names are not told."""
    named = html.escape(" ".join(hosts)[:100])
    name = _HOST.fullmatch(hosts[0]) if len(hosts) == 1 else None
    configured = bool(config.get_option("server.allowedHosts"))
    known = "those of its setting allowedHosts" if configured else "this machine’s own"
    message = f"<p>The request names the host <code>{named or 'nothing'}</code>. "
    message += f"This server answers under no names but {known}.</p>"
    if name:
        # "localhost" stays allowed: what is told stands in place of this machine's names.
        allowed = f"{html.escape(name[1].strip('[]')[:100])} localhost 127.0.0.1"
        message += (
            "<p>If you run this server and chose that name for it, start it with this in its "
            "environment</p>"
            f'<p><code>STREAMLIT_SERVER_ALLOWED_HOSTS="{allowed}"</code></p>'
            "<p>or set <code>allowedHosts</code> in <code>.streamlit/config.toml</code>.</p>"
        )
    return page(403, "Not served under this name", message)
