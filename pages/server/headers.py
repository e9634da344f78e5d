"""Headers that tell the browser what not to do: load anything from another host, run a script that
is not ours, ask for a camera.
"""

import base64
import hashlib
import os
import re

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Where each kind of content may come from.
_SOURCES = {
    # Refuses all that is not named below: plug-ins, workers, eval.
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
    # The page for teachers previews a lesson in a frame.
    "frame-src": "'self'",
    # Recordings of "Record screen" in Streamlit's menu.
    "media-src": "blob:",
    # Allows sockets to the same host too, in every browser that Streamlit supports. "ws: wss:"
    # would let a script talk to any host.
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
}
# Not "display-capture" and "microphone", which Streamlit's "Record screen" needs.
_REFUSED = "accelerometer camera geolocation gyroscope hid magnetometer midi payment serial usb"
FRAMED_BY = "GRADIENT_TRICKS_FRAMED_BY"
"""Names the sites that may show our pages in a frame; by default all may. There are no accounts,
and nothing is bought or deleted, so a hidden frame has nothing to click. A browser lets nobody
frame a page in the name of what is no site."""
_SCRIPT = re.compile(r"<script\b(?![^>]*\bsrc=)[^>]*>(.*?)</script>", re.DOTALL)


class SecurityHeaders:
    """Middleware that sets these headers on every answer, whatever the app has set."""

    def __init__(self, app: ASGIApp, page: str = "") -> None:
        """``page`` is the HTML whose own scripts may run."""
        self._app = app
        self._headers = {
            "Content-Security-Policy": content_security_policy(page),
            "X-Content-Type-Options": "nosniff",
            # An address may hold what a learner typed: other sites get none of it.
            "Referrer-Policy": "same-origin",
            "Permissions-Policy": ", ".join(f"{feature}=()" for feature in _REFUSED.split()),
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] in {"http.response.start", "websocket.http.response.start"}:
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        await self._app(scope, receive, send_with_headers)


def content_security_policy(page: str) -> str:
    """Return the policy for this page."""
    digests = (hashlib.sha256(script.encode()).digest() for script in _SCRIPT.findall(page))
    hashes = "".join(f" 'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    scripts = _SOURCES["script-src"] + hashes
    # The page for teachers has a preview.
    framed_by = ["'self'", *(os.environ.get(FRAMED_BY) or "*").split()]
    sites = " ".join(site for site in framed_by if site != "self")
    sources = _SOURCES | {"script-src": scripts, "frame-ancestors": sites}
    return "; ".join(f"{kind} {where}" for kind, where in sources.items())
