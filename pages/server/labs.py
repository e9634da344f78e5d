"""The labs' sockets as the server sees them: in a process of their own where that can be.

A page that opens keeps Streamlit's event loop and Python's lock busy for a tenth of a second. In
the same process each message of a lab would wait for both, some five times on its way. So this
process takes a socket, checks who opens it, shakes hands and hands it over. Not on Windows, which
cannot pass a socket on so, nor where this process does TLS or compresses what sockets say: there
the labs' sockets stay.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any, cast

from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect
from streamlit import config

from pages.server.draining import RESTART, Draining
from pages.server.lab_sockets import DRAIN, METERS, REFUSAL, THERE
from pages.server.labs_process import LabsProcess
from pages.server.notice import MISTAKE, Notice
from pages.server.socket import Workshop
from pages.server.tidy import Tidy

_PATIENCE = 5.0
"""Seconds that a new socket waits for room on the way to the process."""
_LONGEST, _SOON = 30.0, 2.0
"""Seconds that the process has to answer a question of the API, and to say what it counts: it may
start anew meanwhile, or hang."""
_LOOKS, _HUNG, _START = 5.0, 15.0, 120.0
"""Seconds between two looks at the process, without an answer until it is ended, as it hangs, and
that it may take to start."""
_EXTENSIONS = "Sec-WebSocket-Extensions"


class Here:
    """The labs' sockets stay in this process."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop
        self.draining, self.tidy = workshop.draining, workshop.tidy
        self.computed, self.refusal = workshop.computed, workshop.meters.refusal
        workshop.meters.watch(lambda: [("server", os.getpid()), *workshop.processes()])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One learner's socket, from its opening to its end."""
        websocket = WebSocket(scope, receive, send)
        await websocket.accept()
        await self._workshop.admit(websocket)

    def start(self) -> None:
        """Get ready, in the background."""
        self._workshop.computers.start()

    async def ready(self) -> None:
        """Until labs are answered at once."""
        await self._workshop.computers.ready()

    def answering(self) -> bool:
        """As long as this process lives."""
        return True

    def beside(self) -> Sequence[Coroutine[Any, Any, None]]:
        """What goes on as long as the server lives."""
        return self._workshop.beside()

    async def stop(self) -> None:
        """End it all now."""
        await self._workshop.trainings.stop()
        await self._workshop.computers.stop()

    async def meters(self) -> bytes:
        """What is counted, in Prometheus' text format."""
        return self._workshop.meters.text()


class Elsewhere:
    """The labs' sockets live in a process of their own, ``lab_sockets``."""

    def __init__(self, on_restart: Callable[[str], None] = lambda kind: None) -> None:
        self.draining, self.tidy = Draining(), Tidy()
        self._process = LabsProcess()
        self._process.on_restart = on_restart
        self._numbers = itertools.count(1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One learner's socket, until it is handed over."""
        transport = _connection(getattr(receive, "__self__", None))
        if not self.answering():  # it starts anew: a proxy tries elsewhere
            await PlainTextResponse("The labs start. Try again in a moment.", 503)(
                scope, receive, send
            )
            return
        websocket = WebSocket(scope, receive, send)
        transport.pause_reading()  # what comes after the handshake is for the other process
        await websocket.accept()
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._hand_over(transport)
        except (OSError, TimeoutError):
            logging.getLogger(__name__).warning("a lab's socket could not be handed over")
            with suppress(RuntimeError, WebSocketDisconnect):
                transport.resume_reading()
                await websocket.close(RESTART)
            return
        transport.abort()  # closes our handle alone: the connection goes on with the other
        while (await receive())["type"] != "websocket.disconnect":
            pass

    async def _hand_over(self, transport: asyncio.Transport) -> None:
        while transport.get_write_buffer_size():  # the end of our handshake
            await asyncio.sleep(0.001)
        await self._process.take(transport.get_extra_info("socket").fileno())

    def start(self) -> None:
        """Get ready, in the background."""
        self._process.start()

    async def ready(self) -> None:
        """Until labs are answered at once."""
        await self._process.loaded()

    def answering(self) -> bool:
        """Not while the process starts anew."""
        return self._process.ready.is_set()

    def beside(self) -> Sequence[Coroutine[Any, Any, None]]:
        """What goes on as long as the server lives."""
        return self.tidy.live(), self._drain(), self._watch()

    async def _watch(self) -> None:
        """End the process where it hangs; it is started again."""
        while True:
            await asyncio.sleep(_LOOKS)
            if not await self._lives():
                self._process.end()

    async def _lives(self) -> bool:
        """Whether the process answers, or is ready within the time that it may take to start."""
        if not self.answering():
            with suppress(TimeoutError):
                async with asyncio.timeout(_START):
                    await self._process.ready.wait()
            return self.answering()
        for longest in (_HUNG - _SOON, _SOON):  # the first while, we may have stood still ourselves
            with suppress(TimeoutError):
                await self._asked(THERE, "", longest)
                return True
        return False

    async def _drain(self) -> None:
        await self.draining.begun.wait()
        with self.draining.work():
            await self.computed(DRAIN)

    async def stop(self) -> None:
        """End it now; those that compute for it end with it."""
        await self._process.kill()
        self._process.close()

    async def computed(
        self, work: str, text: str = "", longest: float = _LONGEST
    ) -> bytes | Notice:
        """What a question of the API comes to, within so many seconds."""
        try:
            return await self._asked(work, text, longest)
        except TimeoutError:
            return MISTAKE

    async def _asked(self, work: str, text: str, longest: float) -> bytes | Notice:
        """What the process answers.

        Raises:
            TimeoutError: nothing, within so many seconds.
        """
        number = next(self._numbers)
        answer: asyncio.Future[bytes | Notice] = asyncio.get_running_loop().create_future()

        def deliver(reply: bytes | Notice, spent: float) -> None:
            if not answer.done() and (isinstance(reply, bytes) or reply.last):
                answer.set_result(reply)

        self._process.ask(number, work, text, deliver)
        try:
            async with asyncio.timeout(longest):
                return await answer
        finally:
            if answer.cancelled():
                self._process.stop(number)

    def refusal(self, why: str) -> None:
        """Count one that was turned away before."""
        self._process.ask(next(self._numbers), REFUSAL, why, lambda reply, spent: None)

    async def meters(self) -> bytes:
        """What is counted there, in Prometheus' text format; nothing while it does not answer."""
        if not self.answering():
            return b""
        reply = await self.computed(METERS, longest=_SOON)
        return reply if isinstance(reply, bytes) else b""


Labs = Here | Elsewhere
"""Who answers the labs' sockets and the numbers' API."""


def labs(on_restart: Callable[[str], None] = lambda kind: None) -> Labs:
    """The better of the two that can be here.

    Args:
        on_restart: takes the kind of each process that is started again.
    """
    kept = config.get_option("server.sslCertFile") or config.get_option(
        "server.enableWebsocketCompression"
    )
    if os.name == "nt" or kept:
        workshop = Workshop()
        workshop.on_restart(on_restart)
        return Here(workshop)
    return Elsewhere(on_restart)


def _connection(protocol: Any) -> asyncio.Transport:
    """That of a socket, whose handshake is made to promise no compression: uvicorn by itself does
    where a browser offers it, and frames are read and written elsewhere.

    Raises:
        RuntimeError: this server cannot hand it over.
    """
    response, transport = getattr(protocol, "response", None), getattr(protocol, "transport", None)
    if response is None or transport is None or transport.get_extra_info("ssl_object"):
        raise RuntimeError(
            "This server keeps its sockets to itself. Run it with uvicorn and --ws "
            "websockets-sansio, and TLS in a proxy before it or by Streamlit's server.sslCertFile."
        )
    if _EXTENSIONS in response.headers:
        del response.headers[_EXTENSIONS]
    return cast(asyncio.Transport, transport)
