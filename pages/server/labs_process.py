"""The process that the labs' sockets live in, with a way for them to go there."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Sequence

from pages.server.computer_process import Computer
from pages.server.notice import RESTARTED, Notice


class LabsProcess(Computer):
    """The process of ``lab_sockets``, seen from the server's event loop."""

    def __init__(self) -> None:
        super().__init__(kind="labs", module="pages.server.lab_sockets")
        self._ours: socket.socket | None = None
        self._its: socket.socket | None = None

    def inherited(self) -> Sequence[int]:
        """Its end of the way."""
        self.close()
        self._ours, self._its = socket.socketpair()
        self._ours.setblocking(False)
        return (self._its.fileno(),)

    def started(self) -> None:
        """It has its end; what was asked meanwhile is asked now."""
        if self._its:
            self._its.close()
        super().started()

    def ended(self) -> None:
        """All that was open there is closed; whoever waits for an answer is told."""
        self.close()
        super().ended()

    def received(self, job: int, kind: int, content: bytes) -> None:
        """As of one that computes; it also says what it has started again."""
        if job == 0 and (notice := Notice(*json.loads(content))).kind == RESTARTED:
            self.on_restart(notice.text)
        else:
            super().received(job, kind, content)

    def close(self) -> None:
        """Forget the way."""
        for end in (self._ours, self._its):
            if end:
                end.close()
        self._ours = self._its = None

    async def take(self, connection: int) -> None:
        """Give it a connection.

        Raises:
            OSError: it is not there.
        """
        while self._ours:
            try:
                socket.send_fds(self._ours, [b"."], [connection])
            except BlockingIOError:  # many at once
                await asyncio.sleep(0.005)
            else:
                return
        raise ConnectionError("the labs' process is not there")
