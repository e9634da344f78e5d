"""What every answer tells the browser not to do: load anything from elsewhere, run a script that
is not ours, ask for a camera, show a page inside somebody else's.
"""

import base64
import hashlib
import re
from collections.abc import Collection

from starlette.datastructures import MutableHeaders, QueryParams
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
# Not "display-capture" and "microphone", which Streamlit's "Record screen" needs.
_REFUSED = "accelerometer camera geolocation gyroscope hid magnetometer midi payment serial usb"
_SCRIPT = re.compile(r"<script\b(?![^>]*\bsrc=)[^>]*>(.*?)</script>", re.DOTALL)


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
        policy = content_security_policy(page)
        self._framed = {
            "Content-Security-Policy": f"{policy}; frame-ancestors *",
            "X-Content-Type-Options": "nosniff",
            # An address may hold what a learner typed: other sites get none of it.
            "Referrer-Policy": "same-origin",
            "Permissions-Policy": ", ".join(f"{feature}=()" for feature in _REFUSED.split()),
        }
        self._alone = self._framed | {
            "Content-Security-Policy": f"{policy}; frame-ancestors 'self'",
            "X-Frame-Options": "SAMEORIGIN",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = self._framed if self._may_be_framed(scope) else self._alone

        async def send_with_headers(message: Message) -> None:
            if message["type"] in {"http.response.start", "websocket.http.response.start"}:
                MutableHeaders(scope=message).update(headers)
            await send(message)

        await self._app(scope, receive, send_with_headers)

    def _may_be_framed(self, scope: Scope) -> bool:
        asked = QueryParams(scope.get("query_string", b""))
        one_lesson = asked.get("lesson") and asked.getlist("embed") == ["true"]
        return bool(one_lesson) and path_of(scope) in self._embeddable


def content_security_policy(page: str) -> str:
    """Return the policy for this page, without who may frame it."""
    digests = (hashlib.sha256(script.encode()).digest() for script in _SCRIPT.findall(page))
    hashes = "".join(f" 'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    sources = _SOURCES | {"script-src": _SOURCES["script-src"] + hashes}
    return "; ".join(f"{kind} {where}" for kind, where in sources.items())
