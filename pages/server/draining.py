"""How a server ends without a learner losing anything: it takes no more, finishes, and closes.

On SIGTERM it answers whatever is new with 503, which a proxy tries elsewhere; frames that are being
computed go out, then each lab's socket is closed as "service restart", and the browser opens the
next one where there is a server. Then uvicorn ends as it always does. A second SIGTERM, or Ctrl-C,
ends it at once.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from pages.server.address import path_of

MOST = 8.0
"""Seconds that a server waits for what is computed, of the ten that it has."""
RESTART = 1012
"""The code that a socket is closed with: the server restarts, come again."""


class Draining:
    """Whether this server is about to end, and how many requests are under way."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self._under_way = 0
        self._idle = asyncio.Event()
        self._idle.set()

    @contextmanager
    def work(self) -> Iterator[None]:
        """Something that is waited for."""
        self._under_way += 1
        self._idle.clear()
        try:
            yield
        finally:
            self._under_way -= 1
            if not self._under_way:
                self._idle.set()

    async def finish(self, most: float = MOST) -> None:
        """Take no more, and wait for what is under way, so many seconds at most."""
        self.begun.set()
        await asyncio.sleep(0.05)  # a request that has just come in begins
        try:
            await asyncio.wait_for(self._idle.wait(), most)
        except TimeoutError:
            return


@contextmanager
def on_sigterm(draining: Draining) -> Iterator[None]:
    """While the server runs: finish first, then what SIGTERM meant before.

    Only in a process's main thread, as signals are; elsewhere it does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    before: Any = signal.getsignal(signal.SIGTERM)
    tasks: set[asyncio.Task[None]] = set()

    def end(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, before)
        if callable(before):
            before(number, frame)
        else:  # the process's own way to end
            signal.raise_signal(number)

    async def drain(number: int) -> None:
        await draining.finish()
        end(number, None)

    def begin(number: int) -> None:
        tasks.add(asyncio.ensure_future(drain(number)))

    def told(number: int, frame: FrameType | None) -> None:
        if draining.begun.is_set():
            end(number, frame)
        else:
            loop.call_soon_threadsafe(begin, number)

    signal.signal(signal.SIGTERM, told)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGTERM) is told:
            signal.signal(signal.SIGTERM, before)


class TakesNoMore:
    """Middleware: while the server drains, new requests and sockets are answered with 503."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        draining: Draining,
        refused: Callable[[], None],
        spared: frozenset[str] = frozenset(),
    ) -> None:
        """``spared`` paths are answered all the same; ``refused`` is called for each other one."""
        self._app, self._draining = app, draining
        self._refused, self._spared = refused, spared

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and path_of(scope) not in self._spared:
            if self._draining.begun.is_set():
                await self._refuse(scope, receive, send)
                return
            with self._draining.work():
                await self._app(scope, receive, send)
            return
        if scope["type"] == "websocket" and self._draining.begun.is_set():
            await self._refuse(scope, receive, send)
            return
        await self._app(scope, receive, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._refused()
        text = "This server is about to restart. Try again in a moment."
        answer = PlainTextResponse(text, 503, {"Retry-After": "1", "Cache-Control": "no-store"})
        await answer(scope, receive, send)
