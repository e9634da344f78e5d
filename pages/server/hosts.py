"""Under which names this server answers, and which pages may open a socket here.

A page from elsewhere may point its own name at this machine's address, and the browser then takes
it for a page of ours (DNS rebinding). The name in its requests gives it away.
"""

import html
import re
import socket
from collections.abc import Collection
from fnmatch import fnmatchcase

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from pages.server.address import path_of
from pages.server.not_found import page

_HOST = re.compile(r"(\[[\da-f:.]{2,45}\]|[\w.-]{1,253}?)\.?(:\d{1,5})?", re.ASCII | re.IGNORECASE)
_HERE = frozenset({"localhost", "127.0.0.1", "::1"})


class KnownHosts:
    """Middleware that refuses requests for another host, and sockets that another site opens.

    Streamlit checks its own socket's origin too, but asks a service on the internet for this
    machine's address before it refuses, and nobody is answered meanwhile.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        allowed: Collection[str] = (),
        origins: Collection[str] | None = (),
        machines: Collection[str] = (),
    ) -> None:
        """Take the settings.

        Args:
            app: what answers.
            allowed: names to answer to, ``*.example.org`` and ``*`` too; without any, this
                machine's own names and the address that the request reached.
            origins: sites that may open a socket besides ours; None for all.
            machines: paths that a cluster asks for by any name. Nothing there is worth reading.
        """
        self._app, self._machines = app, frozenset(machines)
        self._allowed = [name.strip().lower().rstrip(".") for name in allowed]
        # _HERE: a proxy on this machine may pass on another name than the browser used.
        self._origins = None if origins is None else {*_HERE, *map(_site, origins)} - {""}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in {"http", "websocket"} and path_of(scope) not in self._machines:
            headers = Headers(scope=scope)
            hosts = headers.getlist("host")
            reached = str((scope.get("server") or ("",))[0])
            if len(hosts) != 1 or not self._answers_to(_name(hosts[0]), reached):
                await self._refusal(hosts)(scope, receive, send)
                return
            if scope["type"] == "websocket" and not self._opens(headers.get("origin"), hosts[0]):
                refusal = PlainTextResponse("Only pages of this site may open this socket.", 403)
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _answers_to(self, name: str, reached: str) -> bool:
        if self._allowed:
            return bool(name) and any(fnmatchcase(name, one) for one in self._allowed)
        # A socket for both versions of IP reports a version 4 address as a version 6 one.
        address = reached.removeprefix("::ffff:").partition("%")[0]
        return bool(name) and name in {*_HERE, address, *_own_names()}

    def _opens(self, origin: str | None, host: str) -> bool:
        if origin is None or self._origins is None:
            return True
        same = bool(_site(origin)) and origin.partition("//")[2] == host
        return same or _site(origin) in self._origins

    def _refusal(self, hosts: list[str]) -> Response:
        """Say what came and how to allow it; this machine's own names are not told."""
        known = "those of its setting allowedHosts" if self._allowed else "this machine’s own"
        host = html.escape(" ".join(hosts)[:100])
        name = html.escape(_name(host)) or "…"
        return page(
            403,
            "Not served under this name",
            f"<p>The request names the host <code>{host}</code>. "
            f"This server answers under no names but {known}.</p>"
            "<p>If you run this server and chose that name for it, start it with this in its "
            "environment</p>"
            f'<p><code>STREAMLIT_SERVER_ALLOWED_HOSTS="{name} localhost 127.0.0.1"</code></p>'
            "<p>or set <code>allowedHosts</code> in <code>.streamlit/config.toml</code>.</p>",
        )


def _name(host: str) -> str:
    """The name without its port, in lower case; empty if it is none."""
    match = _HOST.fullmatch(host)
    return match[1].strip("[]").lower() if match else ""


def _site(origin: str) -> str:
    """The name in an origin, or in a setting that may leave out the scheme and add a path."""
    return _name(origin.strip().rpartition("//")[2].partition("/")[0])


def _own_names() -> set[str]:
    name = socket.gethostname().lower()
    short = name.partition(".")[0]
    return {name, short, f"{short}.local"}
