"""The labs' own route: a websocket that answers wishes with frames, each for itself.

Of one socket one wish is computed and one waits, the newest. The same text has the same answer: a
class that opens one link is computed once. Only a training is tied to its socket.
"""

import asyncio
import hashlib
import itertools
import json
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from pages.labs import wire
from pages.labs.messages import Aside, Opened, RefusedError, number_of, opened, read_training
from pages.server.allowance import Allowance
from pages.server.computers import Computers, Job
from pages.server.draining import RESTART
from pages.server.line import Line
from pages.server.notice import FRAME, GIVEN_UP, STOPPED, Notice
from pages.server.shared import Shared
from pages.server.trainings import Trainings

MOST_SOCKETS = 1_500
"""At once in a process; one more is told to come again later."""
RATE, BURST = 150.0, 300.0
"""Messages a second of one socket, in the long run and at once; who sends more is read later."""
SHORT = 10_000
"""Characters of such a message; a longer one counts as so many of them."""
LATER, LATEST = 1.0, 10.0
"""Seconds that a socket is let wait after it was told that there is too much work: the first time,
and at most as it is told again and again."""
TRY_LATER = 1013
MOST_SOON = 16
"""Things to be said that wait for one who does not read; what a training refuses is not added."""
Websocket = WebSocket | Line
"""One that was accepted: in this process, or by another."""


class Workshop(Shared):
    """The sockets of a server, and what they share."""

    def __init__(
        self, computers: Computers | None = None, trainings: Trainings | None = None
    ) -> None:
        super().__init__(computers, trainings)
        self.sockets: set[Socket] = set()
        self.meters.labs.set_function(lambda: len(self.sockets))

    async def admit(self, websocket: Websocket) -> None:
        """One learner's socket, until its end; it was accepted."""
        if len(self.sockets) >= MOST_SOCKETS:
            self.meters.refusal("full")
            await websocket.close(TRY_LATER, "Too many labs are open here. Try again in a minute.")
            return
        one = Socket(self, websocket)
        self.sockets.add(one)
        try:
            await one.live()
        finally:
            self.sockets.discard(one)
            self.tidy.note()

    def beside(self) -> Sequence[Coroutine[Any, Any, None]]:
        """What goes on as long as the server lives."""
        return self.tidy.live(), self.drain(), self.train_soon()

    async def drain(self) -> None:
        """Let what is asked be answered, then close each socket, so that none is asked more."""
        await self.draining.begun.wait()
        for one in list(self.sockets):
            one.drain()


def _key(wish: str) -> bytes:
    """What stands for a wish: its text may be longer than its frame."""
    return hashlib.blake2b(wish.encode("utf-8", "replace"), digest_size=16).digest()


_numbers = itertools.count(1)


async def _either(*events: asyncio.Event) -> None:
    """Until one of them is set."""
    waits = [asyncio.create_task(event.wait()) for event in events]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()


class Socket:
    """One socket: reads as wishes come, answers the newest."""

    def __init__(self, workshop: Shared, websocket: Websocket) -> None:
        self._workshop, self._websocket = workshop, websocket
        self._client = next(_numbers)
        self._waiting: tuple[int, str] | None = None
        self._news = asyncio.Event()
        self._job: Job | None = None  # what is computed now …
        self._answering = -1  # … and for which wish
        self._stopped = -1  # the wish that is not to be computed any further
        self._open = True
        self._token = ""
        self._allowance = Allowance(RATE, BURST)
        self._sending = asyncio.Lock()
        self._soon_done: set[asyncio.Task[None]] = set()
        self._pause = 0.0  # after it was told to try later
        self._computed = False  # whether the last frame was, for this wish
        self._unseen = 0  # pictures that were sent and not taken in

    async def live(self) -> None:
        """Until the browser leaves."""
        answering = asyncio.create_task(self._answer())
        try:
            while True:
                await self._take(await self._received())
        except WebSocketDisconnect:
            pass
        finally:
            self._open = False
            answering.cancel()
            if self._token:
                self._workshop.trainings.of(self._token).gone(self._client)

    async def _received(self) -> str:
        """The next message; later where there were too many."""
        while True:
            message = await self._websocket.receive()
            if message["type"] == "websocket.disconnect":
                raise WebSocketDisconnect(message.get("code", 1000))
            text = message.get("text")
            if wait := self._allowance.spend(max(1.0, len(text or "") / SHORT)):
                await asyncio.sleep(wait)
            if text is not None:
                return str(text)
            await self._aside(0, "refused", "Bytes came; a message is text.")

    async def _take(self, text: str) -> None:
        try:
            message = opened(text)
            if message.training or message.kind == "train":
                self._train(message)
        except RefusedError as error:
            # Awaited: who reads nothing of what is said is not read either.
            await self._aside(number_of(text), "refused", str(error))
            return
        if message.kind == "stop":
            self._stopped = message.seq
            self._news.set()
            if self._job and self._answering == message.seq:
                self._job.stop()
        elif message.kind == "taken":
            if self._token and self._unseen:
                self._unseen -= 1
                self._workshop.trainings.of(self._token).taken(self._client)
        elif message.kind == "ask":
            self._waiting = message.seq, message.wish
            self._news.set()
            if self._job:
                self._job.drop()

    def _train(self, message: Opened) -> None:
        token = read_training(message.training).token
        if self._token and token != self._token:
            self._workshop.trainings.of(self._token).gone(self._client)
        self._token = token

        def take(content: bytes | Aside) -> None:
            if isinstance(content, bytes):
                self._soon(self._picture(content))
            elif len(self._soon_done) < MOST_SOON:
                self._soon(self._aside(content["seq"], content["kind"], content.get("text", "")))

        self._workshop.trainings.of(token).wish(self._client, take, message)

    async def _picture(self, content: bytes) -> None:
        await self._send(content)
        self._unseen += 1

    async def _answer(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            if self._waiting is None:
                if self._workshop.draining.begun.is_set():
                    await self._close(RESTART)
                continue
            if self._pause:  # who asks again at once would keep all others waiting
                await asyncio.sleep(self._pause)
                self._news.clear()  # the newest is taken now
            (seq, text), self._waiting = self._waiting, None
            with self._workshop.draining.work():
                await self._reply(seq, text)

    async def _reply(self, seq: int, text: str) -> None:
        """Answer one wish."""
        begun = time.perf_counter()
        self._computed = False
        reply = await self._found(seq, text)
        busy = isinstance(reply, Notice) and reply.kind == "busy"
        self._pause = min(LATEST, 2 * self._pause or LATER) if busy else 0.0
        if isinstance(reply, bytes):
            self._workshop.meters.frame(time.perf_counter() - begun, kept=not self._computed)
            await self._send(wire.addressed(seq, reply))
        elif reply != GIVEN_UP:
            await self._notify(seq, reply)

    async def _found(self, seq: int, text: str) -> bytes | Notice:
        """The frame, or what is said instead."""
        making, frames, key = self._workshop.making, self._workshop.frames, _key(text)
        while (known := frames.look(key)) is None and key in making:
            await _either(making[key], self._news)
            if self._stopped == seq:
                return STOPPED
            if self._waiting is not None:
                return GIVEN_UP
            self._news.clear()
        if known is not None:
            return known
        if self._stopped == seq:  # before it was its turn
            return STOPPED
        self._computed = True
        mine = making[key] = asyncio.Event()
        self._answering = seq

        def begun(job: Job) -> None:
            self._job = job

        def report(notice: Notice) -> None:
            self._soon(self._notify(seq, notice))

        try:
            reply = await self._workshop.computed(FRAME, text, begun, report, self._client)
            if isinstance(reply, bytes):
                frames.keep(key, reply)
            return reply
        finally:
            self._job = None
            del making[key]
            mine.set()

    def _soon(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._soon_done.add(task)
        task.add_done_callback(self._soon_done.discard)

    async def _notify(self, seq: int, notice: Notice) -> None:
        await self._aside(seq, notice.kind, notice.text, notice.share)

    def drain(self) -> None:
        """Close as soon as nothing is to be answered."""
        self._news.set()

    async def _close(self, code: int) -> None:
        async with self._sending:
            if self._open:
                self._open = False
                with suppress(WebSocketDisconnect, RuntimeError):
                    await self._websocket.close(code)

    async def _aside(self, seq: int, kind: Any, message: str = "", share: float = 0.0) -> None:
        if kind in ("refused", "busy"):
            self._workshop.meters.refusal(kind)
        aside: Aside = {"seq": seq, "kind": kind, "text": message, "share": share}
        await self._sent(self._websocket.send_text, json.dumps(aside))

    async def _send(self, content: bytes) -> None:
        await self._sent(self._websocket.send_bytes, content)

    async def _sent(self, send: Callable[[Any], Awaitable[None]], content: object) -> None:
        async with self._sending:
            if self._open:
                with suppress(WebSocketDisconnect, RuntimeError):  # it left in this very moment
                    await send(content)
