"""What every answer tells the browser not to do: load anything from elsewhere, run a script that
is not ours, ask for a camera, show a page inside somebody else's.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Collection, Iterable
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qs

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.file_util import get_static_dir

from pages.server.address import SERVER_IS_HERE, path_of, root

# Where each kind of thing may come from. Every page and lesson was walked in Chromium with this,
# light and dark, and takes nothing away from them.
_SOURCES = {
    # What is not named below is refused: frames, plug-ins, workers. Plotly draws without
    # eval, and nothing here starts a worker.
    "default-src": "'none'",
    # Streamlit imports the script of each component from a blob that it makes. The scripts that
    # stand in the page itself are let through by their hashes, which follow here.
    "script-src": "'self' blob:",
    # Streamlit's emotion, Plotly and st.html write styles into the page as they go.
    "style-src": "'self' 'unsafe-inline'",
    # The page's icon, and Streamlit's and Plotly's small pictures, are data: addresses.
    "img-src": "'self' data:",
    # One of KaTeX's fonts lies inside Streamlit's styles.
    "font-src": "'self' data:",
    # What "Record screen" in Streamlit's menu has recorded, to look at and keep.
    "media-src": "blob:",
    # Sockets too: browsers take 'self' for ws: and wss: of the same host since Chrome 71, Firefox
    # long before, and Safari 16. Streamlit's own scripts need Safari 16.4, so who is refused here
    # could not have run them; and "ws: wss:" would let a script talk to any host there is.
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
}

# For nobody, neither the pages nor what they might be made to frame.
_REFUSED = (
    *("accelerometer", "camera", "geolocation", "gyroscope", "hid"),
    *("magnetometer", "midi", "payment", "serial", "usb"),
)
# For the pages themselves: "Record screen" in Streamlit's menu, with sound.
_OURS = ("display-capture", "microphone")

_ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    # An address may hold what a learner typed: other sites get none of it, not even the origin.
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": ", ".join(
        [f"{feature}=()" for feature in _REFUSED] + [f"{feature}=(self)" for feature in _OURS]
    ),
}

# A socket that is closed before it was opened is an answer as well.
_FORBIDDEN = PlainTextResponse("This socket is not for you.", 403)
_FAILED = PlainTextResponse("Something went wrong on the server. Try again later.", 500)


class SecurityHeaders:
    """Middleware that sets the headers on every answer, in place of what was set before."""

    def __init__(self, app: ASGIApp, *, base: str = "", embeddable: Collection[str] = ()) -> None:
        """``base`` is Streamlit's server.baseUrlPath, ``embeddable`` the chapters' addresses.

        A teacher may show one lesson inside a page of their own: an ``embeddable`` page, asked for
        with ``embed=true`` and a ``lesson``, may be framed by anyone. There are no accounts and
        nothing is bought or deleted, so there is nothing a hidden frame could have clicked.
        """
        self._app = app
        self._embeddable = frozenset(root(base) + name for name in embeddable)
        index = (Path(get_static_dir()) / "index.html").read_text("utf-8")
        sources = content_security_policy([*inline_scripts(index), SERVER_IS_HERE])
        self._usual = {
            **_ALWAYS,
            "Content-Security-Policy": f"{sources}; frame-ancestors 'self'",
            "X-Frame-Options": "SAMEORIGIN",
        }
        self._embedded = {
            **_ALWAYS,
            "Content-Security-Policy": f"{sources}; frame-ancestors *",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        chosen = self._embedded if self._is_embedded(scope) else self._usual
        begun = False

        async def send_with_headers(message: Message) -> None:
            nonlocal begun
            if message["type"] == "websocket.close" and not begun:
                await _FORBIDDEN(scope, receive, send_with_headers)
                return
            begun = True
            if message["type"] in {"http.response.start", "websocket.http.response.start"}:
                headers = MutableHeaders(scope=message)
                headers.update(chosen)
            await send(message)

        try:
            await self._app(scope, receive, send_with_headers)
        except Exception:
            # What Starlette would answer is sent from outside of this. It logs what happened.
            if not begun:
                await _FAILED(scope, receive, send_with_headers)
            raise

    def _is_embedded(self, scope: Scope) -> bool:
        if path_of(scope) not in self._embeddable:
            return False
        try:
            asked = parse_qs(scope["query_string"].decode("latin-1"), max_num_fields=100)
        except ValueError:  # more fields than any link of ours has
            return False
        return "lesson" in asked and asked.get("embed") == ["true"]


def content_security_policy(scripts: Iterable[str]) -> str:
    """The policy for a page that holds these scripts, but for who may frame it."""
    digests = (hashlib.sha256(script.encode()).digest() for script in scripts)
    hashes = "".join(f" 'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    sources = _SOURCES | {"script-src": _SOURCES["script-src"] + hashes}
    return "; ".join(f"{kind} {where}" for kind, where in sources.items())


def inline_scripts(html: str) -> list[str]:
    """The text of each script that stands in a page itself, as the browser takes its hash."""
    parser = _InlineScripts()
    parser.feed(html)
    parser.close()
    return parser.found


class _InlineScripts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "script" and "src" not in dict(attrs):
            self._inside = True
            self.found.append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.found[-1] += data
