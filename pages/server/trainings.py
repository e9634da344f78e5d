"""A socket's training: a worker keeps the run, and a task of the socket asks for its next steps.

A lab in a tab stays with one worker until the tab is reloaded, even if its connection is lost.
Learners who share a worker take turns.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from zlib import crc32

from pages.labs import wire
from pages.labs.messages import Opened, read_training
from pages.server import worker
from pages.server.lanes import Lane, LostError
from pages.server.worker import LOST, Chunk

UNSEEN = 2
"""Pictures that a browser may have received but not drawn."""


class Training:
    """One socket's training; ``send`` sends a picture or an aside to the visitor."""

    def __init__(self, lanes: list[Lane], send: Callable[[str], Awaitable[None]], who: str) -> None:
        self._lanes, self._send, self._who = lanes, send, who
        self._changed = asyncio.Event()
        self._news: Opened | None = None  # not yet told to the worker
        self._token = ""
        self._unseen = 0

    def wish(self, message: Opened) -> None:
        """Note the learner's newest wish.

        Raises:
            RefusedError: its training is not as ``pages.labs.messages`` describes it.
        """
        token = read_training(message.training).token
        if token != self._token:
            self._token, self._unseen = token, 0
        self._news = message
        self._changed.set()

    def taken(self) -> None:
        """Note that the browser has drawn a picture."""
        self._unseen = max(0, self._unseen - 1)
        self._changed.set()

    async def serve(self) -> None:
        """Ask for steps and send pictures, until cancelled."""
        wait: float | None = None
        seq = 0
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._changed.wait()
            self._changed.clear()
            token = self._token
            news, self._news = self._news, None
            if not news and wait is None:  # a browser said "taken", and there is no run
                continue
            seq = news.seq if news else seq
            lane = self._lanes[crc32(token.encode()) % len(self._lanes)]
            shows = self._unseen < UNSEEN
            try:
                chunk = await lane.run(worker.train, token, self._who, news, shows, who=self._who)
            except LostError:
                chunk = LOST
            if token != self._token:  # another training was asked for meanwhile
                continue
            wait = chunk.wait
            await self._show(news, seq, chunk)

    async def _show(self, news: Opened | None, seq: int, chunk: Chunk) -> None:
        """Send the outcome of some steps."""
        if chunk.refusal:
            kind, text = chunk.refusal
            # The wish of an "ask" gets an answer of its own, which says what is refused.
            if kind == "failed" or (news and news.kind == "train"):
                await self._send(json.dumps({"seq": seq, "kind": kind, "text": text}))
        if chunk.picture is not None:
            self._unseen += 1
            await self._send(wire.message(seq, "picture", chunk.picture))
