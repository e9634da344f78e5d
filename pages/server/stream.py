"""Who may open Streamlit's own socket, and what may be sent there; the rest never reaches it.

Streamlit answers a frame that is no message of its own with a long traceback, and a component's
state that is no JSON with an error on every run, until the page is loaded again. Before it refuses
a page of another site it asks the internet for an address (``origin``).
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from contextlib import nullcontext

from prometheus_client import Gauge
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.runtime_util import get_max_widget_state_size_bytes

from pages.server.address import path_of, root
from pages.server.origin import REFUSED, allowed

STREAM = "_stcore/stream"
"""The address of the socket, relative to the site's."""

_UNREADABLE, _NOT_BYTES = 1002, 1003
_MOST_BRACKETS = 100
"""Of JSON. What ours sends has a handful; Python gives up where some hundred lie in each other."""


class CheckedStream:
    """Middleware around that socket."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        base: str = "",
        pages: Gauge | None = None,
        closed: Callable[[], None] = lambda: None,
    ) -> None:
        """``base`` is Streamlit's server.baseUrlPath; ``pages`` counts those that are open, and
        ``closed`` is called as one closes.
        """
        self._app, self._pages, self._closed = app, pages, closed
        self._path = f"{root(base)}{STREAM}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket" and path_of(scope) == self._path:
            headers = Headers(scope=scope)
            if not allowed(headers.get("origin"), headers.get("host")):
                _log("a page of another site wanted to open it")
                await send({"type": "websocket.close", "code": REFUSED})
                return
            # Without its origin, which was looked at: Streamlit needs it for a login alone.
            known = [(name, value) for name, value in scope["headers"] if name != b"origin"]
            scope = {**scope, "headers": known}
            stream = _Stream(receive, send)
            receive, send = stream.receive, stream.send
            try:
                with self._pages.track_inprogress() if self._pages else nullcontext():
                    await self._app(scope, receive, send)
            finally:
                self._closed()
            return
        await self._app(scope, receive, send)


class _Stream:
    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive, self._send = receive, send
        self._closed = self._logged = False

    async def send(self, message: Message) -> None:
        if not self._closed:
            await self._send(message)

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] != "websocket.receive":
            return message
        content = message.get("bytes")
        if content is None:
            return await self._close(_NOT_BYTES, "a text came where bytes are expected")
        if len(content) > get_max_widget_state_size_bytes():
            return message  # Streamlit closes it, unread
        try:
            parsed = BackMsg.FromString(content)
        except Exception:  # whatever protobuf makes of bytes of others
            return await self._close(_UNREADABLE, "bytes came that are no message")
        if self._without_bad_states(parsed):
            return {**message, "bytes": parsed.SerializeToString()}
        return message

    def _without_bad_states(self, parsed: BackMsg) -> bool:
        """Take out what components said that cannot be read; whether there was any."""
        if parsed.WhichOneof("type") != "rerun_script":
            return False
        states = parsed.rerun_script.widget_states.widgets
        good = [state for state in states if _is_readable(state)]
        if len(good) == len(states):
            return False
        if not self._logged:  # once for a socket, however often it comes
            self._logged = True
            _log("a component's state came that is no JSON and is left out")
        del states[:]
        states.extend(good)
        return True

    async def _close(self, code: int, why: str) -> Message:
        _log(f"{why}; the socket is closed")
        await self.send({"type": "websocket.close", "code": code})
        self._closed = True
        return {"type": "websocket.disconnect", "code": code}


def _is_readable(state: WidgetState) -> bool:
    """Whether this is of no component, or JSON that Streamlit will read."""
    kind = state.WhichOneof("value")
    if kind not in {"json_value", "json_trigger_value"}:
        return True
    text: str = getattr(state, kind)
    if text.count("{") + text.count("[") > _MOST_BRACKETS:
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _log(message: str) -> None:
    logging.getLogger(__name__).warning("Streamlit's socket: %s", message)
