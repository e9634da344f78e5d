"""A websocket after its handshake, on a connection that another process has taken and handed over.

To a lab's socket it is what Starlette's ``WebSocket`` is: ``receive``, ``send_text``,
``send_bytes``, ``close``.
"""

import asyncio
import logging
import sys
from collections.abc import Awaitable, Callable
from typing import Any, cast

from starlette.websockets import WebSocketDisconnect
from websockets.exceptions import InvalidState
from websockets.frames import Frame, Opcode
from websockets.protocol import SERVER, Protocol, State

from pages.server.allowance import Allowance

PING = 30.0
"""Seconds between two signs of life; a proxy closes a socket that says nothing. Who has given none
by the next is gone."""
FAREWELL = 10.0
"""Seconds that the other side has to answer a close, and to read what was said before."""
RATE, BURST = 300.0, 600.0
"""Frames a second that are read of one, in the long run and at once: a browser sends far fewer, and
to read a thousand that say nothing takes as long as many labs' messages."""
SLICE = 1024
"""Bytes that are read at a time, some 170 of the smallest frames."""
MOST_UNREAD = 4 << 20
"""Bytes that wait for one who does not read; from there on nothing is read of it, or each of its
pings would leave a pong here."""
_GONE, _NO_TEXT, _NO_LIFE = 1006, 1007, 1011


class Line(asyncio.Protocol):
    """One such websocket.

    Args:
        live: takes it as soon as it is there, and is done with it when it returns.
        most: bytes of a message; a longer one closes the socket.
    """

    def __init__(self, live: Callable[["Line"], Awaitable[None]], most: int) -> None:
        self._live = live
        self._task: asyncio.Task[None] | None = None
        self._protocol = Protocol(SERVER, state=State.OPEN, max_size=most)
        self._came: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._rest = bytearray()  # what came and was not read yet
        self._whole = bytearray()  # the message so far
        self._text = True  # whether that is a text
        self._writable = asyncio.Event()
        self._writable.set()
        self._paused = self._closing = False
        self._lives = True
        self._unread = 0  # bytes that waited for it when it was last looked at
        self._allowance = Allowance(RATE, BURST)
        self._timer: asyncio.TimerHandle | None = None
        self._later: asyncio.TimerHandle | None = None  # when frames are read again

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It is there."""
        self._transport = cast(asyncio.Transport, transport)
        self._loop = asyncio.get_running_loop()
        self._task = self._loop.create_task(self._whole_life())
        self._timer = self._loop.call_later(PING, self._ping)

    async def _whole_life(self) -> None:
        try:
            await self._live(self)
        except Exception:  # a mistake of ours: said, and the browser opens another
            logging.getLogger(__name__).exception("a lab's socket has failed")
        if not self._closing:
            self._leave()

    def connection_lost(self, error: Exception | None) -> None:
        """It is gone."""
        self._end()
        self._rest.clear()
        self._writable.set()
        self._came.put_nowait({"type": "websocket.disconnect", "code": _GONE})

    def _end(self) -> None:
        self._closing = True
        for timer in (self._timer, self._later):
            if timer:
                timer.cancel()
        self._timer = self._later = None

    def _leave(self) -> None:
        """Close it; who does not read what was said last is not waited for longer."""
        self._end()
        self._transport.close()
        self._timer = self._loop.call_later(FAREWELL, self._transport.abort)

    def pause_writing(self) -> None:
        """The other side does not read."""
        self._writable.clear()
        self._unread = sys.maxsize

    def resume_writing(self) -> None:
        """It has read."""
        self._writable.set()
        self._read_on()

    def eof_received(self) -> None:
        """It says no more."""
        self._closed()

    def data_received(self, data: bytes) -> None:
        """Bytes came."""
        self._lives = True
        self._rest += data
        self._read_on()

    def _read_on(self) -> None:
        """Read what came, as far as it may be now."""
        while self._rest and not self._held():
            piece = bytes(self._rest[:SLICE])
            del self._rest[:SLICE]
            self._protocol.receive_data(piece)
            for event in self._protocol.events_received():
                self._allowance.spend(1.0)
                self._take(cast(Frame, event))
            self._flush()  # what is due by itself: a pong, the answer to a close or to nonsense
            if self._protocol.close_rcvd or self._protocol.parser_exc:
                self._closed()
        self._hold()

    def _held(self) -> bool:
        """Whether nothing is read now: there is enough to do, or it is over."""
        transport = self._transport
        if transport.is_closing() or transport.get_write_buffer_size() > MOST_UNREAD:
            return True
        if not (self._closing or self._came.empty()):
            return True
        wait = self._allowance.spend()
        if wait and not self._later:
            self._later = self._loop.call_later(wait, self._again)
        return wait > 0

    def _again(self) -> None:
        self._later = None
        self._read_on()

    def _take(self, frame: Frame) -> None:
        if frame.opcode not in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
            return
        if frame.opcode is not Opcode.CONT:
            self._whole, self._text = bytearray(), frame.opcode is Opcode.TEXT
        self._whole += frame.data
        if not frame.fin:
            return
        whole, self._whole = self._whole, bytearray()
        message: dict[str, Any] = {"type": "websocket.receive"}
        if self._text:
            try:
                message["text"] = whole.decode()
            except UnicodeDecodeError:
                self._fail(_NO_TEXT, "not UTF-8")
                return
        else:
            message["bytes"] = bytes(whole)
        if not self._closing:
            self._came.put_nowait(message)

    def _hold(self) -> None:
        """Let no more come than is read: who sends faster waits."""
        wanted = bool(self._rest) or self._held()
        if wanted != self._paused and not self._transport.is_closing():
            self._paused = wanted
            if wanted:
                self._transport.pause_reading()
            else:
                self._lives = True  # what it has sent meanwhile is not read yet
                self._transport.resume_reading()

    def _fail(self, code: int, reason: str) -> None:
        self._protocol.fail(code, reason)
        self._flush()
        self._closed()

    def _closed(self) -> None:
        """The other side has closed it, or is given up."""
        said = self._protocol.close_rcvd or self._protocol.close_sent
        code = said.code if said else _GONE
        self._came.put_nowait({"type": "websocket.disconnect", "code": code})
        self._leave()

    def _flush(self) -> None:
        if not self._transport.is_closing() and (out := b"".join(self._protocol.data_to_send())):
            self._transport.write(out)

    def _ping(self) -> None:
        if not self._alive():
            self._fail(_NO_LIFE, "keepalive ping timeout")
            return
        self._lives = False
        if self._writable.is_set():
            self._protocol.send_ping(b"")
            self._flush()
        self._timer = self._loop.call_later(PING, self._ping)

    def _alive(self) -> bool:
        """Whether it has given a sign of life, or could not: who is to read must have read some."""
        if self._writable.is_set():
            return self._lives or self._paused
        before, self._unread = self._unread, self._transport.get_write_buffer_size()
        return self._unread < before

    async def receive(self) -> dict[str, Any]:
        """The next message, as ASGI has it."""
        message = await self._came.get()
        self._read_on()
        return message

    async def send_text(self, text: str) -> None:
        """Send a text.

        Raises:
            WebSocketDisconnect: nobody is there any more.
        """
        await self._send(self._protocol.send_text, text.encode())

    async def send_bytes(self, content: bytes) -> None:
        """Send bytes.

        Raises:
            WebSocketDisconnect: nobody is there any more.
        """
        await self._send(self._protocol.send_binary, content)

    async def _send(self, send: Callable[[bytes], None], content: bytes) -> None:
        await self._writable.wait()
        if self._closing:
            raise WebSocketDisconnect(_GONE)
        try:
            send(content)
        except InvalidState:
            raise WebSocketDisconnect(_GONE) from None
        self._flush()

    async def close(self, code: int = 1000, reason: str = "") -> None:
        """Say that it is over, and why; the other side has ``FAREWELL`` to answer."""
        if self._closing:
            return
        self._end()
        self._protocol.send_close(code, reason)
        self._flush()
        self._came.put_nowait({"type": "websocket.disconnect", "code": code})
        self._read_on()
        self._timer = self._loop.call_later(FAREWELL, self._transport.abort)
