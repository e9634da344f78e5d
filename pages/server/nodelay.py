"""Nothing that is sent waits for word that what was sent before has come (TCP_NODELAY).

asyncio sees to it where a listening socket says that it is TCP's. The one that Streamlit makes says
nothing of the kind: its protocol is 0. A second message, sent soon after a first, would wait there
until the browser acknowledges that one: up to 40 ms on one machine, a way there and back on a net.
"""

import os
import socket
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_OPEN = Path("/dev/fd")  # where Linux and macOS list what a process has open; Windows does not


def send_at_once() -> None:
    """Set the listening sockets of this process so; whom they accept inherits it."""
    for one in _listening():
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def _listening() -> Iterator[socket.socket]:
    """Those of IPv4 and IPv6, each under a second handle that is closed again."""
    if not _OPEN.is_dir():
        return
    for name in os.listdir(_OPEN):
        with suppress(OSError):  # closed meanwhile, as the list of these itself is
            if not stat.S_ISSOCK(os.fstat(int(name)).st_mode):
                continue
            with socket.socket(fileno=os.dup(int(name))) as one:
                internet = one.family in (socket.AF_INET, socket.AF_INET6)
                if internet and one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                    yield one
