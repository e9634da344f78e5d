"""Who may open Streamlit's own socket, and what may be sent there; the rest never reaches it.

Streamlit answers a frame that is no message of its own with a long traceback, and a component's
state that is no JSON with an error on every run, until the page is loaded again. Before it refuses
a page of another site it asks the internet for an address (``origin``). It bounds a message by its
bytes alone: one of 2 MB that asks where a million files may be put takes a gigabyte and holds up
everybody for half a minute. And it tells whoever asks what git knows of the folder that it runs in.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from prometheus_client import Gauge
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState

from pages.server.address import path_of, root
from pages.server.allowance import Allowance
from pages.server.origin import REFUSED, allowed

STREAM = "_stcore/stream"
"""The address of the socket, relative to the site's."""

HEARD = frozenset({"rerun_script", "stop_script", "app_heartbeat"})
"""The kinds of messages that a page of ours sends: it takes no file, shows no data frame, and has
no button for developers."""
MOST_BYTES = 400_000
"""Of a message, as of one to a lab."""
MOST_STATES = 500
"""Widgets that a message speaks of; a page has some thirty. An empty one is 2 bytes as it comes,
and a hundred once it is read."""
MOST_QUERY = 100_000
"""Characters of the address that comes with it; the longest has a program of 40,000."""
RATE, BURST = 50.0, 100.0
"""Messages a second of one socket, in the long run and at once: a key that is held down on a button
sends thirty. Who sends more is no page."""
SHORT = 4_000
"""Characters of such a message; a longer one counts as so many of them."""
SIGNS, SIGNS_AT_ONCE = 1.0, 60.0
"""Pings and pongs a second, in the long run and at once. Browsers send no ping, and a pong for each
of ours; uvicorn answers each ping, and what is not read of its answers stays here."""

_UNREADABLE, _NOT_BYTES, _TOO_MUCH, _TOO_LONG = 1002, 1003, 1008, 1009
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
            protocol = getattr(receive, "__self__", None)
            _hold_signs(protocol)
            stream = _Stream(receive, send, getattr(protocol, "transport", None))
            receive, send = stream.receive, stream.send
            try:
                with self._pages.track_inprogress() if self._pages else nullcontext():
                    await self._app(scope, receive, send)
            finally:
                self._closed()
            return
        await self._app(scope, receive, send)


def _hold_signs(protocol: Any) -> None:
    """Let a connection of uvicorn's end where more pings and pongs come than anybody needs."""
    allowance = Allowance(SIGNS, SIGNS_AT_ONCE)

    def held(handle: Callable[..., None]) -> Callable[..., None]:
        def handled(*event: object) -> None:
            if allowance.spend(1.0):
                protocol.transport.abort()
            else:
                handle(*event)

        return handled

    for name in ("handle_ping", "handle_pong"):
        if handle := getattr(protocol, name, None):
            setattr(protocol, name, held(handle))


class _Stream:
    def __init__(self, receive: Receive, send: Send, transport: asyncio.Transport | None) -> None:
        self._receive, self._send, self._transport = receive, send, transport
        self._closed = False
        self._said: set[str] = set()
        self._allowance = Allowance(RATE, BURST)

    async def send(self, message: Message) -> None:
        if not self._closed:
            await self._send(message)

    async def receive(self) -> Message:
        while True:
            message = await self._receive()
            if message["type"] != "websocket.receive":
                return message
            content = message.get("bytes")
            if content is None:
                return await self._close(_NOT_BYTES, "a text came where bytes are expected")
            if len(content) > MOST_BYTES:
                return await self._close(_TOO_LONG, f"more than {MOST_BYTES:,} bytes came at once")
            if self._allowance.spend(max(1.0, len(content) / SHORT)):
                closed = await self._close(_TOO_MUCH, "more came than any page of ours sends")
                if self._transport:  # else all that still comes would be read for ten seconds
                    self._transport.close()
                return closed
            try:
                parsed = BackMsg.FromString(content)
            except Exception:  # whatever protobuf makes of bytes of others
                return await self._close(_UNREADABLE, "bytes came that are no message")
            kind = parsed.WhichOneof("type")
            if kind not in HEARD:
                self._say_once(f"a message of the kind {kind} came and is left out")
                continue
            if kind == "rerun_script":
                if _is_too_much(parsed.rerun_script):
                    return await self._close(_TOO_LONG, "more widgets or words came than there are")
                if self._without_bad_states(parsed.rerun_script):
                    return {**message, "bytes": parsed.SerializeToString()}
            return message

    def _without_bad_states(self, client: ClientState) -> bool:
        """Take out what components said that cannot be read; whether there was any."""
        states = client.widget_states.widgets
        good = [state for state in states if _is_readable(state)]
        if len(good) == len(states):
            return False
        self._say_once("a component's state came that is no JSON and is left out")
        del states[:]
        states.extend(good)
        return True

    def _say_once(self, what: str) -> None:
        """Once for a socket, however often it comes."""
        if what not in self._said:
            self._said.add(what)
            _log(what)

    async def _close(self, code: int, why: str) -> Message:
        _log(f"{why}; the socket is closed")
        await self.send({"type": "websocket.close", "code": code})
        self._closed = True
        return {"type": "websocket.disconnect", "code": code}


def _is_too_much(client: ClientState) -> bool:
    """Whether no page of ours has so many widgets or so long an address."""
    return len(client.widget_states.widgets) > MOST_STATES or len(client.query_string) > MOST_QUERY


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
