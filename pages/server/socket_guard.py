"""A guard in front of sockets: it bounds what uvicorn answers by itself, and what Streamlit reads.

Streamlit bounds a message by its bytes only: 2 MB that ask where a million files may be put take a
gigabyte and hold up everybody for half a minute. It logs a traceback for bytes that are no message.

Only this module uses a private part of a library: uvicorn's protocol.
"""

import logging
from collections.abc import Callable
from functools import partial
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg

from pages.server import meters
from pages.server.addresses import path_of
from pages.server.allowance import Allowance

STREAM = "_stcore/stream"
"""The address of Streamlit's socket, relative to the app's."""
HEARD = {"rerun_script", "stop_script", "app_heartbeat"}
"""The kinds of messages that our pages send. They upload no file and have no developer's menu."""

MOST_BYTES = 400_000  # of one message, as for a lab
MOST_STATES = 500  # widgets in one message; a page has about thirty
MOST_QUERY = 100_000  # characters of the address; the longest holds a program of 40,000
# Messages a second, on average and at once: a key held down on a button sends thirty.
RATE, BURST = 50.0, 100.0
SHORT = 4_000  # bytes of one message; a longer one counts as several
# Pings, pongs and fragments a second. Browsers send no ping, and one pong for each of our pings.
# uvicorn answers each ping and keeps unread answers, and it keeps each fragment, even an empty one.
SMALL_RATE, SMALL_BURST = 1.0, 100.0
# Messages of any socket. uvicorn reads 256 kB at once: 37,000 empty messages took 2.5 MB, and a lab
# answers 150 a second, for minutes after its browser has gone. Of real messages 256 kB hold fewer.
WHOLE_RATE, WHOLE_BURST = 150.0, 4_000.0


class SocketGuard:
    """Middleware around all sockets."""

    def __init__(self, app: ASGIApp, root: str = "/") -> None:
        self._app, self._path = app, f"{root}{STREAM}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        protocol = getattr(receive, "__self__", None)
        if scope["type"] == "websocket":
            _bound_frames(protocol)
        if scope["type"] != "websocket" or path_of(scope) != self._path:
            await self._app(scope, receive, send)
            return
        allowance = Allowance(RATE, BURST)

        async def receive_checked() -> Message:
            message = await receive()
            if message["type"] != "websocket.receive":
                return message
            content = message.get("bytes") or b""
            wait = allowance.spend(max(1.0, len(content) / SHORT))
            if wait == 0 and _is_from_a_page(content):
                return message
            what = "Streamlit's socket: closed, since no page of ours sends what came"
            logging.getLogger(__name__).warning(what)
            if protocol:
                protocol.transport.abort()  # uvicorn would read on for ten seconds
            return {"type": "websocket.disconnect", "code": 1008}

        # KnownHosts has checked the origin; Streamlit would ask the internet about it.
        headers = [(name, value) for name, value in scope["headers"] if name != b"origin"]
        with meters.PAGES.track_inprogress():
            await self._app({**scope, "headers": headers}, receive_checked, send)


def _bound_frames(protocol: Any) -> None:
    """Let uvicorn drop a connection that sends more frames than any browser."""
    small, whole = Allowance(SMALL_RATE, SMALL_BURST), Allowance(WHOLE_RATE, WHOLE_BURST)

    def handle_or_drop(allowance: Allowance, handle: Callable[..., None], *event: object) -> None:
        if allowance.spend(1.0) == 0:
            handle(*event)
        else:
            protocol.transport.abort()

    bounds = dict.fromkeys(("handle_ping", "handle_pong", "handle_cont"), small)
    for name, allowance in {**bounds, "handle_text": whole, "handle_bytes": whole}.items():
        if handle := getattr(protocol, name, None):
            setattr(protocol, name, partial(handle_or_drop, allowance, handle))


def _is_from_a_page(content: bytes) -> bool:
    """Tell whether a page of ours may have sent this message."""
    if len(content) > MOST_BYTES:
        return False
    try:
        message = BackMsg.FromString(content)
    except Exception:  # protobuf names several, for a stranger's bytes
        return False
    client = message.rerun_script
    few = len(client.widget_states.widgets) <= MOST_STATES
    return message.WhichOneof("type") in HEARD and few and len(client.query_string) <= MOST_QUERY
