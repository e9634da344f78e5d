"""Keeps frames, and computes each one once for all who ask for it at the same time."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable

from pages.server.worker import Reply


class FrameCache:
    """The newest frames by what was asked.

    Args:
        most: bytes that are kept.
    """

    def __init__(self, most: int) -> None:
        self._most, self._total = most, 0
        self._kept: OrderedDict[Hashable, Reply] = OrderedDict()
        self._computing: dict[Hashable, tuple[asyncio.Future[Reply], set[object]]] = {}

    def kept(self, key: Hashable) -> Reply | None:
        """Look a frame up."""
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    async def get(self, key: Hashable, compute: Callable[[], Awaitable[Reply]]) -> Reply:
        """Return the reply that is kept, or that is computed now.

        Cancel this to stop waiting; once nobody waits, the computation is cancelled too.
        """
        if reply := self.kept(key):
            return reply
        if key not in self._computing:
            begun = asyncio.ensure_future(compute())
            self._computing[key] = begun, set()
            begun.add_done_callback(lambda done: self._computed(key, done))
        computing, waiting = self._computing[key]
        me = object()
        waiting.add(me)
        try:
            return await asyncio.shield(computing)
        finally:
            waiting.discard(me)
            if not waiting and not computing.done():
                del self._computing[key]
                computing.cancel()

    def _computed(self, key: Hashable, computing: asyncio.Future[Reply]) -> None:
        if self._computing.get(key, (None,))[0] is computing:
            del self._computing[key]
        if computing.cancelled() or computing.exception():
            return
        reply = computing.result()
        if reply.kind != "frame" or len(reply.content) > self._most:
            return
        if key in self._kept:
            self._total -= len(self._kept.pop(key).content)
        self._kept[key] = reply
        self._total += len(reply.content)
        while self._total > self._most:
            self._total -= len(self._kept.popitem(last=False)[1].content)
