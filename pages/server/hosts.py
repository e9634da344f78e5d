"""Checks the host of each request, and which pages may open a socket here.

A foreign site may point its own name at this machine's address, and the browser then takes its page
for one of ours (DNS rebinding). The name in its requests gives it away.
"""

import re
import socket
from fnmatch import fnmatchcase

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from pages.server.addresses import Names, path_of

_HOST = re.compile(r"(\[[\da-f:.]{2,45}\]|[\w.-]{1,253}?)\.?(:\d{1,5})?", re.ASCII | re.IGNORECASE)
_ORIGIN = re.compile(r"https?://[\w.-]{1,253}(:\d{1,5})?", re.ASCII)
_HERE = frozenset({"localhost", "127.0.0.1", "::1"})


class KnownHosts:
    """Middleware that refuses requests for another host, and sockets that another site opens.

    Streamlit checks its own socket's origin too, but asks a service on the internet for this
    machine's address before it refuses, and nobody is answered meanwhile.
    """

    def __init__(
        self, app: ASGIApp, allowed: Names = (), origins: Names | None = (), machines: Names = ()
    ) -> None:
        """Take the settings.

        Args:
            app: what answers.
            allowed: names to answer to, ``*.example.org`` and ``*`` too; without any, this
                machine's own names and any address in numbers, which no page can take over.
            origins: sites that may open a socket besides ours; None for all.
            machines: paths that a cluster reads by any name. A page whose socket is refused sends a
                POST there, and reads why.
        """
        self._app, self._machines = app, frozenset(machines)
        self._allowed = [name.strip().lower().rstrip(".") for name in allowed]
        # _HERE: a proxy on this machine may pass on another name than the browser used.
        self._origins = None if origins is None else {*_HERE, *map(_site, origins)} - {""}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app, kind = self._app, scope["type"]
        for_machines = path_of(scope) in self._machines
        if kind != "lifespan" and not (for_machines and scope.get("method") in {"GET", "HEAD"}):
            headers = Headers(scope=scope)
            hosts, origin = headers.getlist("host"), headers.get("origin")
            name = _name(hosts[0]) if len(hosts) == 1 else ""
            if not name or not self._answers_to(name):
                # It doesn't reveal this machine's own names.
                what = f"This server does not answer under the name {name or '(none)'}."
                names = filter(None, (name, "localhost", "127.0.0.1"))
                app = _refusal(what, "allowedHosts", "STREAMLIT_SERVER_ALLOWED_HOSTS", *names)
            elif (kind == "websocket" or for_machines) and not self._opens(origin, hosts[0]):
                site = origin if _ORIGIN.fullmatch(origin or "") else "https://lab.example.org"
                what = f"Only pages of this site may open a socket, and this page is at {site}."
                variable = "STREAMLIT_SERVER_CORS_ALLOWED_ORIGINS"
                app = _refusal(what, "corsAllowedOrigins", variable, str(site))
        await app(scope, receive, send)

    def _answers_to(self, name: str) -> bool:
        if self._allowed:
            return any(fnmatchcase(name, one) for one in self._allowed)
        own = socket.gethostname().lower()
        short = own.partition(".")[0]
        in_numbers = ":" in name or name.replace(".", "").isdigit()
        return in_numbers or name in {*_HERE, own, short, f"{short}.local"}

    def _opens(self, origin: str | None, host: str) -> bool:
        if origin is None or self._origins is None:
            return True
        same = bool(_site(origin)) and origin.partition("//")[2] == host
        return same or _site(origin) in self._origins


def _refusal(what: str, setting: str, variable: str, *names: str) -> Response:
    """Say what is refused and how to allow it."""
    quoted = ", ".join(f'"{name}"' for name in names)
    return PlainTextResponse(
        f'{what} To allow it, start the server with {variable}="{" ".join(names)}" in its '
        "environment, or put this line below [server] in .streamlit/config.toml:\n\n"
        f"{setting} = [{quoted}]\n",
        403,
    )


def _name(host: str) -> str:
    """Return the name without its port, in lower case; empty if it is not valid."""
    match = _HOST.fullmatch(host)
    return match[1].strip("[]").lower() if match else ""


def _site(origin: str) -> str:
    """Return the name in an origin, or in a setting with no scheme or with a path."""
    return _name(origin.strip().rpartition("//")[2].partition("/")[0])
