"""Who asks, and whose turn it is.

A visitor is a client address: the connection's, or the one that a trusted proxy passes on (uvicorn
reads it where ``FORWARDED_ALLOW_IPS`` names the proxy). A class behind one address is one visitor.
"""

import asyncio
import ipaddress
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import lru_cache


@lru_cache(maxsize=4096)
def visitor(client: tuple[str, int] | None) -> str:
    """Name the visitor at this host and port; of an IPv6 address its network of 64 bits counts."""
    host = client[0] if client else ""
    with suppress(ValueError):
        address = ipaddress.IPv6Address(host)
        if address.ipv4_mapped:
            return str(address.ipv4_mapped)
        return str(ipaddress.IPv6Network((address, 64), strict=False))
    return host


class Turns:
    """Places for which visitors take turns, however much each of them asks.

    Args:
        count: how many places.
        of_one: how many of them one visitor may hold at a time.
    """

    def __init__(self, count: int, of_one: int) -> None:
        self._free, self._of_one = count, of_one
        self._held: Counter[str] = Counter()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    @asynccontextmanager
    async def of(self, who: str) -> AsyncIterator[None]:
        """Wait for a place, and hold it within the block; cancel this to leave the queue."""
        called = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(who, deque()).append(called)
        self._call()
        try:
            await called
            yield
        finally:
            if not called.cancelled():
                self._free += 1
                self._held -= Counter([who])
                self._call()

    def _call(self) -> None:
        """Give free places to those who wait."""
        for who, queue in [*self._waiting.items()]:
            while queue and queue[0].cancelled():
                queue.popleft()
            if queue and self._free and self._held[who] < self._of_one:
                self._free -= 1
                self._held[who] += 1
                queue.popleft().set_result(None)
                self._waiting[who] = self._waiting.pop(who)  # behind the others
            if not queue:
                del self._waiting[who]
