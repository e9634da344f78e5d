"""A guard in front of sockets: it bounds what uvicorn answers by itself, and what Streamlit reads.

Streamlit bounds a message by its bytes only: 2 MB that ask where a million files may be put take a
gigabyte and hold up everybody for half a minute. It logs a traceback for bytes that are no message,
and an error on every run for a component's state that is no JSON.

Only here is code that reaches into a private part: uvicorn's protocol.
"""

import json
import logging
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.server.address import path_of, root

STREAM = "_stcore/stream"
"""The address of Streamlit's socket, relative to the site's."""
HEARD = {"rerun_script", "stop_script", "app_heartbeat"}
"""The kinds of messages that our pages send: they take no file and have no developer's button."""

MOST_BYTES = 400_000  # of one message, as for a lab
MOST_STATES = 500  # widgets in one message; a page has about thirty
MOST_QUERY = 100_000  # characters of the address; the longest holds a program of 40,000
# Messages a second, in the long run and at once: a key held down on a button sends thirty.
RATE, BURST = 50.0, 100.0
SHORT = 4_000  # bytes of such a message; a longer one counts as several
# Pings, pongs and pieces of messages a second. Browsers send no ping, and one pong for each of
# ours. uvicorn answers each ping and keeps what is not read, and it keeps each piece, even empty.
SMALL_RATE, SMALL_BURST = 1.0, 100.0
_MOST_BRACKETS = 100  # in a component's JSON; Python gives up at some hundred levels
_REFUSED = 1008

Opened = Callable[[], AbstractContextManager[object]]


class StreamlitGuard:
    """Middleware around all sockets."""

    def __init__(self, app: ASGIApp, *, base: str = "", opened: Opened = nullcontext) -> None:
        """``base`` is Streamlit's server.baseUrlPath; a page's socket is open within ``opened``."""
        self._app, self._path, self._opened = app, f"{root(base)}{STREAM}", opened

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        protocol = getattr(receive, "__self__", None)
        if scope["type"] == "websocket":
            _bound_small_frames(protocol)
        if scope["type"] != "websocket" or path_of(scope) != self._path:
            await self._app(scope, receive, send)
            return
        spend, refused = _allowance(RATE, BURST), False

        async def receive_checked() -> Message:
            nonlocal refused
            while True:
                message = await receive()
                if message["type"] != "websocket.receive":
                    return message
                content = _checked(message.get("bytes"), spend)
                if content is None:
                    refused = True
                    return {"type": "websocket.disconnect", "code": _REFUSED}
                if content:
                    return {**message, "bytes": content}

        # Without its origin, which was checked: Streamlit would ask the internet about it.
        headers = [(name, value) for name, value in scope["headers"] if name != b"origin"]
        with self._opened():
            await self._app({**scope, "headers": headers}, receive_checked, send)
        if refused:
            what = "Streamlit's socket: closed, since no page of ours sends what came"
            logging.getLogger(__name__).warning(what)
            await send({"type": "websocket.close", "code": _REFUSED})
            if protocol:  # or uvicorn reads on for ten seconds
                protocol.transport.close()


def _allowance(rate: float, burst: float) -> Callable[[float], bool]:
    """So much a second in the long run, and so much at once; counts, and says what is allowed."""
    paid = 0.0  # until when what came so far would have taken at that rate

    def spend(amount: float) -> bool:
        nonlocal paid
        now = time.monotonic()
        paid = max(paid, now) + amount / rate
        return paid - now <= burst / rate

    return spend


def _bound_small_frames(protocol: Any) -> None:
    """Let uvicorn drop a connection that sends more small frames than any browser."""
    spend = _allowance(SMALL_RATE, SMALL_BURST)

    def handle_or_drop(handle: Callable[..., None], *event: object) -> None:
        if spend(1.0):
            handle(*event)
        else:
            protocol.transport.abort()

    for name in ("handle_ping", "handle_pong", "handle_cont"):
        if handle := getattr(protocol, name, None):
            setattr(protocol, name, partial(handle_or_drop, handle))


def _checked(content: bytes | None, spend: Callable[[float], bool]) -> bytes | None:
    """What Streamlit may read of a message, nothing if it is left out; None if it is refused."""
    from streamlit.proto.BackMsg_pb2 import BackMsg  # the labs' own process has no Streamlit

    if content is None or len(content) > MOST_BYTES:
        return None
    if not spend(max(1.0, len(content) / SHORT)):
        return None
    try:
        message = BackMsg.FromString(content)
    except Exception:  # whatever protobuf makes of a stranger's bytes
        return None
    client = message.rerun_script
    states = client.widget_states.widgets
    if len(states) > MOST_STATES or len(client.query_string) > MOST_QUERY:
        return None
    if message.WhichOneof("type") not in HEARD:
        return b""
    good = [state for state in states if _is_readable(state)]
    if len(good) == len(states):
        return content
    del states[:]
    states.extend(good)
    return bytes(message.SerializeToString())


def _is_readable(state: Any) -> bool:
    """Whether a widget's state is no component's, or JSON that Streamlit can read."""
    if state.WhichOneof("value") not in {"json_value", "json_trigger_value"}:
        return True
    text: str = state.json_value or state.json_trigger_value
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return text.count("{") + text.count("[") <= _MOST_BRACKETS
