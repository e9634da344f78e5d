"""What every answer tells the browser not to do: load anything from elsewhere, run a script that
is not ours, ask for a camera, show a page inside somebody else's.
"""

import base64
import hashlib
import re
from collections.abc import Collection

from starlette.datastructures import MutableHeaders, QueryParams
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.server.address import path_of, root

# Where each kind of thing may come from. Every page and lesson was opened in Chromium with this,
# light and dark, and nothing is missing.
_SOURCES = {
    # Whatever is not named below is refused: frames, plug-ins, workers, eval.
    "default-src": "'none'",
    # Streamlit imports the script of each component from a blob that it makes. The hashes of the
    # scripts inside the page itself follow here.
    "script-src": "'self' blob:",
    # Streamlit's emotion, Plotly and st.html write styles into the page as they run.
    "style-src": "'self' 'unsafe-inline'",
    # The page's icon, and small pictures of Streamlit and Plotly, are data: addresses.
    "img-src": "'self' data:",
    # One of KaTeX's fonts is inside Streamlit's styles.
    "font-src": "'self' data:",
    # What "Record screen" in Streamlit's menu has recorded.
    "media-src": "blob:",
    # Sockets too: every browser that Streamlit's scripts run in takes 'self' for ws: and wss: of
    # the same host. "ws: wss:" would let a script talk to any host.
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
}
# Refused to the pages and to whatever they might be made to frame …
_REFUSED = "accelerometer camera geolocation gyroscope hid magnetometer midi payment serial usb"
# … and allowed to the pages: "Record screen" in Streamlit's menu, with sound.
_OURS = "display-capture microphone"
_PERMISSIONS = [f"{feature}=()" for feature in _REFUSED.split()]
_PERMISSIONS += [f"{feature}=(self)" for feature in _OURS.split()]

_FORBIDDEN = PlainTextResponse("This socket is not for you.", 403)
_FAILED = PlainTextResponse("Something went wrong on the server. Try again later.", 500)


class SecurityHeaders:
    """Middleware that sets the headers on every answer and replaces what was set before.

    A teacher may show one lesson inside a page of their own: an embeddable page, asked for with
    ``embed=true`` and a ``lesson``, may be framed by anyone. There are no accounts, and nothing is
    bought or deleted, so a hidden frame has nothing to click.
    """

    def __init__(
        self, app: ASGIApp, *, page: str = "", base: str = "", embeddable: Collection[str] = ()
    ) -> None:
        """``page`` is the HTML whose own scripts may run, ``embeddable`` are chapters below
        ``base``, which is Streamlit's server.baseUrlPath.
        """
        self._app = app
        self._embeddable = {root(base) + name for name in embeddable}
        self._always = {
            "Content-Security-Policy": content_security_policy(page),
            "X-Content-Type-Options": "nosniff",
            # An address may hold what a learner typed: other sites get none of it.
            "Referrer-Policy": "same-origin",
            "Permissions-Policy": ", ".join(_PERMISSIONS),
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        framed = self._may_be_framed(scope)
        begun = False

        async def send_with_headers(message: Message) -> None:
            nonlocal begun
            if message["type"] == "websocket.close" and not begun:
                # A socket that is refused is an answer as well.
                await _FORBIDDEN(scope, receive, send_with_headers)
                return
            begun = True
            if message["type"] in {"http.response.start", "websocket.http.response.start"}:
                headers = MutableHeaders(scope=message)
                headers.update(self._always)
                if framed:
                    headers["Content-Security-Policy"] += "; frame-ancestors *"
                else:
                    headers["Content-Security-Policy"] += "; frame-ancestors 'self'"
                    headers["X-Frame-Options"] = "SAMEORIGIN"
            await send(message)

        try:
            await self._app(scope, receive, send_with_headers)
        except Exception:
            # Starlette would answer outside of this middleware. It logs the error.
            if not begun:
                await _FAILED(scope, receive, send_with_headers)
            raise

    def _may_be_framed(self, scope: Scope) -> bool:
        if path_of(scope) not in self._embeddable:
            return False
        asked = QueryParams(scope["query_string"])
        return bool(asked.get("lesson")) and asked.getlist("embed") == ["true"]


def content_security_policy(page: str) -> str:
    """The policy for this page, without who may frame it."""
    scripts = re.findall(r"<script\b(?![^>]*\bsrc=)[^>]*>(.*?)</script>", page, re.DOTALL)
    digests = (hashlib.sha256(script.encode()).digest() for script in scripts)
    hashes = "".join(f" 'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    sources = _SOURCES | {"script-src": _SOURCES["script-src"] + hashes}
    return "; ".join(f"{kind} {where}" for kind, where in sources.items())
