"""Who asks: each visitor's share of what there is, and turns among those who wait.

A visitor is a client address: the connection's, or the one that a trusted proxy passes on (uvicorn
reads it where ``FORWARDED_ALLOW_IPS`` names the proxy). A class behind one address is one visitor.
"""

import asyncio
import ipaddress
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


def visitor(client: tuple[str, int] | None) -> str:
    """Name the visitor at this host and port; of an IPv6 address its network of 64 bits counts."""
    host = client[0] if client else ""
    with suppress(ValueError):
        address = ipaddress.IPv6Address(host)
        if address.ipv4_mapped:
            return str(address.ipv4_mapped)
        return str(ipaddress.IPv6Network((address, 64), strict=False))
    return host


class Shares:
    """Counts what is open: ``most`` in all, and ``of_one`` by one visitor.

    Args:
        proxies: the networks of proxies, as ``FORWARDED_ALLOW_IPS`` has them; they pass many
            visitors on, so they have no limit of their own.
    """

    def __init__(self, most: int, of_one: int, proxies: str = "") -> None:
        self.most, self.of_one = most, of_one
        self._proxies = []
        for name in proxies.split(","):
            with suppress(ValueError):  # a name or "*", for uvicorn alone
                self._proxies.append(ipaddress.ip_network(name.strip(), strict=False))
        self.open = 0
        self._open_of: Counter[str] = Counter()

    def take(self, who: str) -> bool:
        """Count one more if there is room for it."""
        full = self._open_of[who] >= self.of_one and not self._is_proxy(who)
        if full or self.open >= self.most:
            return False
        self.open += 1
        self._open_of[who] += 1
        return True

    def _is_proxy(self, who: str) -> bool:
        with suppress(ValueError):
            network = ipaddress.ip_network(who)  # of one address
            return any(network.overlaps(one) for one in self._proxies)
        return False

    def leave(self, who: str) -> None:
        """Count one less."""
        self.open -= 1
        self._open_of[who] -= 1
        if not self._open_of[who]:
            del self._open_of[who]


class Turns:
    """So many places. Visitors who wait take turns, however much each of them asks."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    @asynccontextmanager
    async def of(self, who: str) -> AsyncIterator[None]:
        """Wait for a place, and hold it within the block; cancel this to leave the queue."""
        if self._free:
            self._free -= 1
        else:
            called = asyncio.get_running_loop().create_future()
            self._waiting.setdefault(who, deque()).append(called)
            try:
                await called
            except asyncio.CancelledError:
                if not called.cancelled():  # its turn came at the same moment
                    self._call_next()
                raise
        try:
            yield
        finally:
            self._call_next()

    def _call_next(self) -> None:
        while self._waiting:
            who = next(iter(self._waiting))
            queue = self._waiting.pop(who)
            called = queue.popleft()
            if queue:
                self._waiting[who] = queue  # behind all others
            if not called.cancelled():
                called.set_result(None)
                return
        self._free += 1
