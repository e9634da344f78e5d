"""A guard in front of sockets: it bounds what uvicorn answers by itself, and what Streamlit reads.

Streamlit bounds a message by its bytes only: 2 MB that ask where a million files may be put take a
gigabyte and hold up everybody for half a minute. It logs a traceback for bytes that are no message.

Only this module uses a private part of a library: uvicorn's protocol.
"""

import asyncio
import logging
import math
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from pages.server.addresses import path_of

STREAM = "_stcore/stream"
"""The address of Streamlit's socket, relative to the app's."""
KINDS = {"rerun_script", "stop_script", "app_heartbeat"}
"""The kinds of messages that our pages send. They upload no file and have no developer's menu."""

MOST_STATES = 500  # widgets in one message; a page has about thirty
MOST_QUERY = 100_000  # characters of the address; the longest holds a program of 40,000


class Limit(NamedTuple):
    """Frames a second on average, and at once; one above ``short`` bytes counts as several."""

    rate: float
    burst: float
    short: float = math.inf


PAGE = Limit(50.0, 100.0, 4_000)
"""A page's messages: a key held down on a button sends thirty a second. One of 400,000 bytes is the
longest, as for a lab."""
LAB = Limit(300.0, 600.0, 10_000)
"""A lab's messages: at most one for each picture of a screen, and there are screens with 240."""
CHUNKED = b"\ntransfer-encoding"
"""How a header begins that announces a body in chunks."""
LONGEST_REQUEST = 20.0
"""Seconds after which an unfinished request ends."""
SMALL = Limit(1.0, 100.0)
"""Pings, pongs and fragments. Browsers send no ping, and one pong for each of our pings. uvicorn
answers each ping and keeps unread answers, and it keeps each fragment, even an empty one."""


class Protocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """uvicorn's side of a connection. It ends one whose next request does not become whole.

    uvicorn itself waits for the rest of a request without end. A body in chunks of one byte kept it
    from everything else for seconds, and no page sends a body in chunks.
    """

    _end = b""
    """The end of what came last."""

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._give_up_later()

    def data_received(self, data: bytes) -> None:
        if CHUNKED in (self._end + data).lower():
            self.transport.abort()
            return
        self._end = data[-len(CHUNKED) :]
        super().data_received(data)

    def on_response_complete(self) -> None:
        self._give_up_later()  # first: the next request may be here already
        super().on_response_complete()

    def _give_up_later(self) -> None:
        asyncio.get_running_loop().call_later(LONGEST_REQUEST, self._give_up, self.cycle)

    def _give_up(self, last: object) -> None:
        """Abort the connection if no request came whole after this one, which was the last."""
        now = self.transport.get_protocol()
        # Another protocol is a websocket's.
        waits = self.cycle is last if now is self else not getattr(now, "handshake_complete", True)
        if waits:
            self.transport.abort()


class SocketGuard:
    """Middleware around all sockets."""

    def __init__(self, app: ASGIApp, root: str = "/") -> None:
        self._app, self._path = app, f"{root}{STREAM}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        of_page = path_of(scope) == self._path
        protocol = getattr(receive, "__self__", None)
        if scope["type"] == "websocket":
            _bound(protocol, SMALL, "handle_ping", "handle_pong", "handle_cont")
            _bound(protocol, PAGE if of_page else LAB, "handle_text", "handle_bytes")
        if scope["type"] != "websocket" or not of_page:
            await self._app(scope, receive, send)
            return

        async def receive_checked() -> Message:
            message = await receive()
            content = message.get("bytes") or b""
            if message["type"] != "websocket.receive" or _is_from_a_page(content):
                return message
            what = "closed Streamlit's socket: none of our pages sends this"
            logging.getLogger(__name__).warning(what)
            if protocol:
                protocol.transport.abort()  # uvicorn would read on for ten seconds
            return {"type": "websocket.disconnect", "code": 1008}

        # KnownHosts has checked the origin; Streamlit would ask the internet about it.
        headers = [(name, value) for name, value in scope["headers"] if name != b"origin"]
        await self._app({**scope, "headers": headers}, receive_checked, send)


def _bound(protocol: Any, limit: Limit, *names: str) -> None:
    """Let uvicorn drop a connection that sends more frames than the limit to these handlers."""
    left, counted = limit.burst, time.monotonic()

    def handle_or_drop(handle: Callable[..., None], *frames: Any) -> None:
        nonlocal left, counted
        now = time.monotonic()
        left = min(limit.burst, left + (now - counted) * limit.rate)
        left -= max([1.0, *(len(frame.data) / limit.short for frame in frames)])
        counted = now
        if left >= 0:
            handle(*frames)
        else:
            protocol.transport.abort()

    for name in names:
        if handle := getattr(protocol, name, None):
            setattr(protocol, name, partial(handle_or_drop, handle))


def _is_from_a_page(content: bytes) -> bool:
    """Tell whether a page of ours may have sent this message."""
    try:
        message = BackMsg.FromString(content)
    except Exception:  # protobuf names several, for a stranger's bytes
        return False
    client = message.rerun_script
    few = len(client.widget_states.widgets) <= MOST_STATES
    return message.WhichOneof("type") in KINDS and few and len(client.query_string) <= MOST_QUERY
