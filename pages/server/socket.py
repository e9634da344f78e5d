"""One learner's socket: takes wishes, answers the newest with a frame, and sends a training's
pictures.

One wish is computed at a time; the newest that came meanwhile is next. The same wish has the same
answer for all sockets.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from starlette.websockets import WebSocket, WebSocketDisconnect

from pages.labs import wire
from pages.labs.messages import Aside, RefusedError, number_of, opened
from pages.server.allowance import Allowance
from pages.server.trainings import Training

if TYPE_CHECKING:
    from pages.server.site import Site

RATE, BURST = 150.0, 300.0
"""Messages a second of one socket, in the long run and at once; who sends more is read later."""
SHORT = 10_000
"""Characters of such a message; a longer one counts as so many of them."""


class Socket:
    """One socket, from its opening to its end.

    Args:
        site: what all sockets share.
        websocket: it was accepted.
    """

    def __init__(self, site: Site, websocket: WebSocket) -> None:
        self._site, self._websocket = site, websocket
        self._newest: tuple[int, str] | None = None
        self._changed = asyncio.Event()
        self._allowance = Allowance(RATE, BURST)
        self._sending = asyncio.Lock()
        self._slow = False  # whether its last frame took long to compute
        self.training = Training(site.trainings, self._send)

    async def live(self) -> None:
        """Read and answer until the browser leaves."""
        try:
            async with asyncio.TaskGroup() as tasks:
                for one in (self._read(), self._answer(), self.training.live()):
                    tasks.create_task(one)
        except* WebSocketDisconnect:
            pass
        finally:
            self.training.close()

    async def _read(self) -> None:
        while True:
            await self._take(await self._received())

    async def _received(self) -> str:
        """Return the next message; later where too many came."""
        while True:
            message = await self._websocket.receive()
            if message["type"] == "websocket.disconnect":
                raise WebSocketDisconnect(message.get("code", 1000))
            text = message.get("text")
            if wait := self._allowance.spend(max(1.0, len(text or "") / SHORT)):
                await asyncio.sleep(wait)
            if text is not None:
                return str(text)
            await self._aside({"seq": 0, "kind": "refused", "text": "Send text, not bytes."})

    async def _take(self, text: str) -> None:
        try:
            message = opened(text)
            if message.training or message.kind == "train":
                self.training.wish(message)
        except RefusedError as error:
            # Awaited here: a browser that reads nothing is not read either.
            await self._aside({"seq": number_of(text), "kind": "refused", "text": str(error)})
            return
        if message.kind == "taken":
            self.training.taken()
        elif message.kind == "ask":
            self._newest = message.seq, message.wish
            self._changed.set()

    async def _answer(self) -> None:
        """Answer the newest wish, again and again."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            if self._newest is None:
                continue
            (seq, text), self._newest = self._newest, None
            start = time.perf_counter()
            # The key is short; the text may be longer than its frame.
            key = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
            reply = await self._site.frame(key, text, self._slow)
            if reply.kind == "frame" and isinstance(reply.content, bytes):
                self._slow = reply.seconds > self._site.SLOW
                self._site.meters.frame(time.perf_counter() - start)
                await self._send(wire.addressed(seq, reply.content))
            elif reply.kind in ("again", "refused"):
                await self._aside({"seq": seq, "kind": reply.kind, "text": str(reply.content)})

    async def _aside(self, aside: Aside) -> None:
        if aside["kind"] == "refused":
            self._site.meters.refused.inc()
        await self._send(json.dumps(aside))

    async def _send(self, content: bytes | str) -> None:
        async with self._sending:
            with suppress(WebSocketDisconnect, RuntimeError):  # it left in this very moment
                if isinstance(content, bytes):
                    await self._websocket.send_bytes(content)
                else:
                    await self._websocket.send_text(content)
