"""The listening socket: it closes a connection at once if there is no room for it.

Without descriptors, asyncio logs thousands of tracebacks a second, and no worker can start.
"""

import logging
import socket
from collections.abc import Callable
from functools import partial
from typing import Any

from pages.server.limits import raise_file_limit
from pages.server.visitors import Shares, visitor

MOST, LEAST = 3_000, 16
"""Open connections: as many as the descriptors allow, between these. A visitor has half of them."""
KEPT, OF_A_PAGE = 512, 4
"""Descriptors for the workers, and for the 128 sessions that Streamlit keeps for two minutes after
their pages were closed; and those of an open page: a socket, and an event loop with three."""
AT_ONCE = 8
"""Connections accepted or closed in a row before others are answered. A websocket's handshake takes
a millisecond, and asyncio would accept all that wait, 2,048 at most, and shake hands with all."""


class Connection(socket.socket):
    """An accepted connection. It calls ``left`` when it is closed."""

    left: Callable[[], None] | None = None

    def close(self) -> None:
        super().close()
        left, self.left = self.left, None
        if left:
            left()


class Listener(socket.socket):
    """A listening socket with room for so many connections.

    Args:
        listening: the socket that this one takes over.
        proxies: as in ``Shares``.
    """

    def __init__(self, listening: socket.socket, proxies: str = "") -> None:
        super().__init__(fileno=listening.detach())
        most = max(LEAST, min(MOST, (raise_file_limit() - KEPT) // OF_A_PAGE))
        self._shares = Shares(most, most // 2, proxies)
        self._in_a_row = 0

    def accept(self) -> tuple[socket.socket, Any]:
        """Accept the next connection that there is room for.

        Raises:
            BlockingIOError: none is waiting, or ``AT_ONCE`` were accepted or closed.
        """
        while self._in_a_row < AT_ONCE:
            try:
                accepted, address = super().accept()
            except BlockingIOError:
                break
            self._in_a_row += 1
            who = visitor(address)
            if self._shares.take(who):
                connection = Connection(fileno=accepted.detach())
                connection.left = partial(self._shares.leave, who)
                return connection, address
            accepted.close()
            logging.getLogger(__name__).warning("no room for a connection: closed")
        self._in_a_row = 0
        raise BlockingIOError
