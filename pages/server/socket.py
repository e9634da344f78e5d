"""The labs' own route: a websocket that answers wishes with frames, each for itself.

Of one socket one wish is computed and one waits, the newest. The same text has the same answer: a
class that opens one link is computed once. Only a training is tied to its socket.
"""

import asyncio
import hashlib
import itertools
import json
import logging
import os
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, Protocol
from urllib.parse import urlsplit

from starlette.websockets import WebSocket, WebSocketDisconnect
from streamlit.web.server.server_util import is_url_from_allowed_origins
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from pages.labs import home, lesson, playground, wire
from pages.labs.lesson import RefusedTextError
from pages.labs.messages import Aside, Frame, RefusedError, Wish, opened, read, read_training
from pages.labs.once import Once
from pages.labs.turn import Turn
from pages.server.tidy import HEAVY, Tidy
from pages.server.trainings import Trainings
from pages.server.turns import Busy, LearnersTurn, Overtaken, Stopped, Turns

MOST_SOCKETS = 1_500
"""At once in a process; one more is told to come again later."""
RATE, BURST = 150.0, 300.0
"""Messages a second of one socket, in the long run and at once; who sends more is read later."""
KEPT = 24 << 20
"""Bytes of frames kept for the next who wants the same."""
TRY_LATER = 1013
REFUSED = 1008


class Lab(Protocol):
    """Computes a frame."""

    def __call__(self, wish: Wish, turn: Turn) -> Frame: ...


LABS: Mapping[str, Lab] = {"home": home.frame, "playground": playground.frame}
"""Labs by name; any other name is a lesson's."""


class Workshop:
    """What the sockets of a process share: threads, turns, and frames that were made.

    Args:
        labs: by name, besides those of the lessons.
        trainings: the processes that train.
    """

    def __init__(self, labs: Mapping[str, Lab] = LABS, trainings: Trainings | None = None) -> None:
        self.turns = Turns(max(1, min(3, (os.cpu_count() or 2) // 2)))
        self.trainings = trainings or Trainings()
        self.sockets = 0
        self.tidy = Tidy()
        self.making: dict[str, asyncio.Event] = {}  # wishes that are computed now
        self._labs = labs
        self._threads = ThreadPoolExecutor(32, "lab")
        self._frames: Once[bytes, bytes] = Once(KEPT, len)

    def look(self, wish: str) -> bytes | None:
        """The encoded frame of a wish, if it is kept."""
        return self._frames.look(_key(wish))

    async def compute(self, work: Callable[[], Any]) -> Any:
        """What the work comes to, done on a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def frame(self, text: str, turn: Turn) -> bytes:
        """The encoded frame of a wish.

        Raises:
            RefusedError, RefusedTextError: it is not answered.
            Interrupted: it is given up.
        """

        def make() -> bytes:
            begun = time.thread_time()
            try:
                wish = read(text)
                return wire.encode(self._labs.get(wish.lab, lesson.frame)(wish, turn), wish.have)
            finally:
                if time.thread_time() - begun > HEAVY:
                    self.tidy.note()

        return self._frames.get(_key(text), make, turn.waiting)

    async def serve(self, websocket: WebSocket) -> None:
        """One learner's socket, from its opening to its end."""
        headers = websocket.headers
        if not allowed(headers.get("origin"), headers.get("host")):
            await websocket.close(REFUSED)
            return
        await websocket.accept()
        if self.sockets >= MOST_SOCKETS:
            await websocket.close(TRY_LATER, "Too many labs are open here. Try again in a minute.")
            return
        self.sockets += 1
        try:
            await Socket(self, websocket).live()
        finally:
            self.sockets -= 1
            self.tidy.note()


def _key(wish: str) -> bytes:
    """What stands for a wish: its text may be longer than its frame."""
    return hashlib.blake2b(wish.encode("utf-8", "replace"), digest_size=16).digest()


def allowed(origin: str | None, host: str | None) -> bool:
    """Whether a page of that origin may open a socket here: Streamlit's own rule for its socket."""
    if not is_host_allowed(host):
        return False
    if origin is None:
        return True
    parts = urlsplit(origin)
    try:
        _ = parts.port  # something else than a number: no browser has such an origin
    except ValueError:
        return False
    return parts.netloc == host or is_url_from_allowed_origins(origin)


_numbers = itertools.count(1)
_STOPPED = (
    "stopped",
    "Stopped: the picture is the last one that was finished. Change a setting to go on.",
)


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

    def __init__(self, workshop: Workshop, websocket: WebSocket) -> None:
        self._workshop, self._websocket = workshop, websocket
        self._who = next(_numbers)
        self._waiting: tuple[int, str] | None = None
        self._news = asyncio.Event()
        self._stopped = -1  # the wish that is not to be computed any further
        self._open = True
        self._token = ""
        self._allowance, self._counted = BURST, time.monotonic()
        self._sending = asyncio.Lock()
        self._soon_done: set[asyncio.Task[None]] = set()
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
                self._workshop.trainings.of(self._token).gone(self._who)

    async def _received(self) -> str:
        """The next message; later where there were too many."""
        while True:
            message = await self._websocket.receive()
            if message["type"] == "websocket.disconnect":
                raise WebSocketDisconnect(message.get("code", 1000))
            now = time.monotonic()
            self._allowance = min(BURST, self._allowance + (now - self._counted) * RATE) - 1
            self._counted = now
            if self._allowance < 0:
                await asyncio.sleep(-self._allowance / RATE)
            text = message.get("text")
            if text is not None:
                return str(text)
            await self._aside(0, "refused", "Bytes came; a message is text.")

    async def _take(self, text: str) -> None:
        try:
            message = opened(text)
            if message.training:
                self._train(message.seq, message.wish, message.training)
        except RefusedError as error:
            number = re.match(r"\d{1,9}", text, re.ASCII)
            # Awaited: who reads nothing of what is said is not read either.
            await self._aside(int(number[0]) if number else 0, "refused", str(error))
            return
        if message.kind == "stop":
            self._stopped = message.seq
            self._news.set()
        elif message.kind == "taken":
            if self._token and self._unseen:
                self._unseen -= 1
                self._workshop.trainings.of(self._token).taken(self._who)
        elif message.kind == "ask":
            self._waiting = message.seq, message.wish
            self._news.set()

    def _train(self, seq: int, wish: str, training: str) -> None:
        token = read_training(training).token
        if self._token and token != self._token:
            self._workshop.trainings.of(self._token).gone(self._who)
        self._token = token

        def show(content: bytes) -> None:
            self._soon(self._picture(content))

        self._workshop.trainings.of(token).wish(self._who, show, seq, wish, training)

    async def _picture(self, content: bytes) -> None:
        await self._send(content)
        self._unseen += 1

    async def _answer(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            if self._waiting is None:
                continue
            (seq, text), self._waiting = self._waiting, None
            made = await self._found(seq, text)
            if isinstance(made, bytes):
                await self._send(wire.addressed(seq, made))
            elif made is not None:
                kind, said = made
                await self._aside(seq, kind, said)

    async def _found(self, seq: int, text: str) -> bytes | tuple[str, str] | None:
        """As ``_made``. What another socket has computed now is waited for without a thread."""
        making = self._workshop.making
        while (known := self._workshop.look(text)) is None and text in making:
            await _either(making[text], self._news)
            if self._stopped == seq:
                return _STOPPED
            if self._waiting is not None:
                return None
        if known is not None:
            return known
        mine = making[text] = asyncio.Event()
        try:
            work = partial(self._made, text, self._turn(seq))
            made: bytes | tuple[str, str] | None = await self._workshop.compute(work)
            return made
        finally:
            del making[text]
            mine.set()

    def _turn(self, seq: int) -> LearnersTurn:
        loop = asyncio.get_running_loop()

        def tell(share: float, left: float) -> None:
            said = f"{share:.0%} done, about {left:.0f} s left"
            loop.call_soon_threadsafe(self._soon, self._aside(seq, "progress", said, share))

        return LearnersTurn(
            self._workshop.turns,
            overtaken=lambda: self._waiting is not None or not self._open,
            stopped=lambda: self._stopped == seq,
            tell=tell,
        )

    def _made(self, text: str, turn: Turn) -> bytes | tuple[str, str] | None:
        """The frame, or kind and words of what is said instead; None says nothing."""
        try:
            return self._workshop.frame(text, turn)
        except RefusedTextError:
            return "again", ""
        except RefusedError as error:
            return "refused", str(error)
        except Overtaken:
            return None
        except Stopped:
            return _STOPPED
        except Busy:
            return "busy", "Many long computations are under way here. Try again in ten seconds."
        except Exception:  # a mistake of ours: this lab says so, the socket lives on
            logging.getLogger(__name__).exception("a wish could not be answered")
            return "refused", "Something went wrong on the server. Change a setting to go on."

    def _soon(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._soon_done.add(task)
        task.add_done_callback(self._soon_done.discard)

    async def _aside(self, seq: int, kind: Any, said: str = "", share: float = 0.0) -> None:
        aside: Aside = {"seq": seq, "kind": kind, "text": said, "share": share}
        await self._sent(self._websocket.send_text, json.dumps(aside))

    async def _send(self, content: bytes) -> None:
        await self._sent(self._websocket.send_bytes, content)

    async def _sent(self, send: Callable[[Any], Awaitable[None]], content: object) -> None:
        async with self._sending:
            if self._open:
                with suppress(WebSocketDisconnect, RuntimeError):  # it left in this very moment
                    await send(content)
