"""The listening socket: it closes a connection at once if there is no room for it.

Without descriptors, asyncio logs thousands of tracebacks a second, and no worker can start.
"""

import logging
import socket
import time
from collections import Counter
from collections.abc import Collection
from typing import Any

import uvicorn
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from pages.server.limits import raise_file_limit
from pages.server.visitors import visitor

MOST_CONNECTIONS = 3_000
"""Open connections, if the descriptors allow as many. A visitor has half of them."""
FEWEST_FILES = 1_024
"""Descriptors that the server needs. With 256, eighty closed pages kept it from opening another."""
RESERVED_FILES = 512
"""File descriptors kept free for workers and for the 128 sessions that Streamlit keeps for two
minutes after a page closes."""
FILES_PER_PAGE = 4
"""An open page takes a socket, and three descriptors for an event loop."""
COUNT_EVERY = 0.2
"""Seconds between two counts of each visitor's connections; to count 3,000 takes a millisecond."""
ACCEPT_AT_ONCE = 8
"""Connections accepted or closed in a row before others are answered. A handshake takes 1 ms."""
QUEUE = 2048
"""Connections that may wait to be accepted."""


class Listener(socket.socket):
    """A listening socket that limits how many connections are open.

    Args:
        listening: the socket that this one takes over.
        server: it has the connections, and knows the proxies, which pass many visitors on.

    Raises:
        SystemExit: the process may open too few files.
    """

    def __init__(self, listening: socket.socket, server: uvicorn.Server) -> None:
        if (files := raise_file_limit()) < FEWEST_FILES:
            raise SystemExit(
                f"The server may open {files} files and needs {FEWEST_FILES}. Raise its limit: "
                f"ulimit -n {FEWEST_FILES}"
            )
        super().__init__(fileno=listening.detach())
        self._most = min(MOST_CONNECTIONS, (files - RESERVED_FILES) // FILES_PER_PAGE)
        self._connections: Collection[Any] = server.server_state.connections
        self._open_of: Counter[str] = Counter()
        self._counted = 0.0
        config: Any = server.config
        self._proxies = ProxyHeadersMiddleware(config.app, config.forwarded_allow_ips).trusted_hosts

    def listen(self, _: int = ACCEPT_AT_ONCE) -> None:
        super().listen(QUEUE)  # asyncio asks for a queue of as many as it accepts in a row

    def accept(self) -> tuple[socket.socket, Any]:
        """Accept the next connection that there is room for.

        Raises:
            BlockingIOError: none is waiting, or ``ACCEPT_AT_ONCE`` were closed.
        """
        half, now = self._most // 2, time.monotonic()
        if now >= self._counted + COUNT_EVERY:
            self._counted = now
            self._open_of = Counter(visitor(one.client) for one in self._connections)
        for _ in range(ACCEPT_AT_ONCE):
            accepted, address = super().accept()
            who, of_proxy = visitor(address), address[0] in self._proxies
            has_room = of_proxy or self._open_of[who] < half
            if has_room and len(self._connections) < self._most:
                self._open_of[who] += 1
                return accepted, address
            accepted.close()
            logging.getLogger(__name__).warning("no room for a connection: closed")
        raise BlockingIOError
