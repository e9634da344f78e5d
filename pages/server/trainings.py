"""Trainings: a worker keeps each run, and a task of the learner's socket asks for its next steps.

A learner stays with one worker, also after a lost connection. Several learners of one worker get
their steps in turn, since jobs of a lane are run in the order of asking.
"""

import asyncio
import json
import math
import time
from collections.abc import Awaitable, Callable
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from zlib import crc32

from pages.labs import wire
from pages.labs.messages import LOST_RUN, Opened, RefusedError, TrainingWish, read_training
from pages.server import worker
from pages.server.lanes import FullError, Lane
from pages.server.worker import Chunk

CHUNK = 0.02
"""Seconds of steps between two looks at what the learner wants."""
EVERY = 0.046
"""Seconds from one picture of a training to the next, on average: 21 a second look smooth, and the
rest of the time goes into steps."""
UNSEEN = 2
"""Pictures on their way to a browser at most."""
RETURN = 5.0
"""Seconds that a run is kept for a browser whose connection was lost."""
MOST_LEFT = 64
"""Runs that are kept so at the same time."""

Send = Callable[[bytes | str], Awaitable[None]]


class Trainings:
    """Who trains what, for all sockets of a server.

    Args:
        lanes: one lane with one worker for each process that trains.
    """

    def __init__(self, lanes: list[Lane]) -> None:
        self.lanes = lanes
        self._owners: dict[str, object] = {}
        self._left: dict[str, asyncio.Task[None]] = {}

    def lane(self, token: str) -> Lane:
        """Return the lane that a training runs in."""
        return self.lanes[crc32(token.encode()) % len(self.lanes)]

    def take(self, token: str, owner: object) -> None:
        """Give a training to this socket. Another one with the same token loses it."""
        self._owners[token] = owner
        if left := self._left.pop(token, None):
            left.cancel()

    def has(self, token: str, owner: object) -> bool:
        """Tell whether this socket still has the training."""
        return self._owners.get(token) is owner

    def leave(self, token: str, owner: object, at_once: bool = False) -> None:
        """Drop the training, unless a socket takes it again within ``RETURN`` seconds."""
        if not self.has(token, owner):
            return
        del self._owners[token]
        self._left[token] = asyncio.create_task(self._drop(token, 0.0 if at_once else RETURN))
        for oldest in list(self._left)[:-MOST_LEFT]:
            self._left.pop(oldest).cancel()
            self._left[oldest] = asyncio.create_task(self._drop(oldest, 0.0))

    async def _drop(self, token: str, after: float) -> None:
        await asyncio.sleep(after)
        with suppress(BrokenProcessPool, FullError):
            await self.lane(token).run_once(worker.drop, token)
        if self._left.get(token) is asyncio.current_task():
            del self._left[token]


class Pace:
    """When the next picture of a training may be sent, and how long to make steps until then."""

    def __init__(self) -> None:
        self.unseen = 0
        self.due = 0.0  # at once; in seconds of time.monotonic

    def chunk(self, now: float) -> tuple[float, float]:
        """Return the seconds of steps to make now, and the seconds until a picture is due."""
        if self.unseen >= UNSEEN:
            return CHUNK, math.inf
        left = max(0.0, self.due - now)
        return min(CHUNK, left), left

    def sent(self, now: float) -> None:
        """Note a picture that was sent. One that was late does not delay those behind it."""
        self.unseen += 1
        self.due = max(self.due + EVERY, now + EVERY / 2)


class Training:
    """One socket's training.

    Args:
        trainings: those of all sockets.
        send: sends a picture (bytes) or an aside (text).
    """

    def __init__(self, trainings: Trainings, send: Send) -> None:
        self._trainings, self._send = trainings, send
        self._changed = asyncio.Event()
        self._news: Opened | None = None
        self._last: Opened | None = None
        self._token = ""
        self._pace = Pace()
        self._have: dict[str, str] = {}
        self.wants = False
        """Whether there are more steps to make."""

    def wish(self, message: Opened) -> None:
        """Take in what the learner wants.

        Raises:
            RefusedError: it is not as described in ``pages.labs.messages``.
        """
        token = read_training(message.training).token
        if token != self._token:
            self.close(at_once=True)
            self._token, self._have, self._pace = token, {}, Pace()
        self._trainings.take(token, self)
        self._news = self._last = message
        self._pace.due = 0.0
        self._changed.set()

    def taken(self) -> None:
        """Note that the browser has drawn a picture."""
        self._pace.unseen = max(0, self._pace.unseen - 1)
        self._changed.set()

    def close(self, at_once: bool = False) -> None:
        """Leave the training; unless ``at_once``, it is kept for a socket that comes back soon."""
        if self._token:
            self._trainings.leave(self._token, self, at_once)

    async def live(self) -> None:
        """Ask for steps and send pictures, until cancelled."""
        fresh = False
        while True:
            if not (self._news or (self._mine and (self.wants or fresh))):
                await self._change()
            elif not (self._news or self.wants):  # a picture that is not due yet
                await self._change(self._until_due())
            self._changed.clear()
            if not (self._news or (self._mine and (self.wants or fresh))):
                continue
            token, (news, self._news) = self._token, (self._news, None)
            seconds, due = self._pace.chunk(time.monotonic())
            try:
                chunk = await self._trainings.lane(token).run_once(
                    worker.train,
                    token,
                    (news.wish, news.training) if news else None,
                    seconds,
                    due,
                    self._have,
                )
            except BrokenProcessPool:
                await self._lost(token)
                continue
            except FullError:
                await asyncio.sleep(1.0)
                self._news = self._news or news
                continue
            if token != self._token:
                continue
            self.wants, fresh = chunk.wants, chunk.fresh
            await self._show(news, chunk)

    @property
    def _mine(self) -> bool:
        return self._trainings.has(self._token, self)

    async def _change(self, most: float | None = None) -> None:
        """Wait until something changed, for so many seconds at most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(most):
                await self._changed.wait()

    def _until_due(self) -> float | None:
        if self._pace.unseen >= UNSEEN:
            return None
        return max(0.0, self._pace.due - time.monotonic())

    async def _show(self, news: Opened | None, chunk: Chunk) -> None:
        """Send what came of some steps."""
        assert self._last
        if chunk.refusal:
            kind, text = chunk.refusal
            # With a question, the answer to that says what is refused.
            if kind == "failed" or (news and news.kind == "train"):
                await self._send(json.dumps({"seq": self._last.seq, "kind": kind, "text": text}))
        if chunk.picture is not None:
            self._have = dict(chunk.have)
            self._pace.sent(time.monotonic())
            await self._send(wire.addressed(self._last.seq, chunk.picture, wire.PICTURE))

    async def _lost(self, token: str) -> None:
        """Tell the learner that the run went with its worker, and ask for another one's picture."""
        if token != self._token or not self._last:
            return
        self.wants, self._have = False, {}
        with suppress(RefusedError):
            asked = read_training(self._last.training)
            if asked.run or asked.single or asked.phase == "run":
                lost = TrainingWish(**asked.model_dump() | {"run": asked.run or "lost"})
                self._last = self._last._replace(training=lost.model_dump_json())
                await self._send(json.dumps({"seq": 0, "kind": "lost", "text": LOST_RUN}))
        self._news = self._news or self._last
