"""The process that the labs' sockets live in, started by ``labs``; it loads no torch, no Streamlit.

It reads lines as ``computer`` does, and answers them so; the work is a question of the numbers' API
or one of those below. Its argument is the handle that connections come by, each after its
websocket's handshake.
"""

import asyncio
import gc
import json
import logging
import os
import socket
import sys
from contextlib import suppress
from functools import partial
from typing import BinaryIO

from pages.server import log
from pages.server.child import output
from pages.server.line import Line
from pages.server.notice import MISTAKE, RESTARTED, STOPPED, Notice, message
from pages.server.socket import MOST_SOCKETS, Workshop

METERS, REFUSAL, DRAIN, THERE = "meters", "refusal", "drain", "there"
"""Work: tell what is counted; count one that was turned away; let all end, and say when; nothing
but answer."""
MOST_BYTES = 8 << 20
"""Of a message; .streamlit/config.toml has the same for Streamlit's own."""
_LINE = 16 << 20
_MANY = 64
"""Connections that are taken before others have their turn."""


class LabSockets:
    """Takes connections and lines until the server ends."""

    def __init__(self, way: socket.socket) -> None:
        self._way = way
        self._workshop = Workshop()
        self._jobs: dict[int, asyncio.Task[bytes | Notice]] = {}
        self._opening: set[asyncio.Task[None]] = set()
        server, own = ("server", os.getppid()), ("labs", os.getpid())
        workshop = self._workshop
        workshop.meters.watch(lambda: [server, own, *workshop.processes()])

    async def run(self, lines: asyncio.StreamReader, out: asyncio.WriteTransport) -> None:
        """Until the lines end, which they do when the server is gone."""
        self._out = out
        workshop = self._workshop
        workshop.on_restart(lambda kind: self._say(0, Notice(RESTARTED, kind)))
        await workshop.computers.ready()
        beside = [asyncio.create_task(one) for one in workshop.beside()]
        self._way.setblocking(False)
        asyncio.get_running_loop().add_reader(self._way, self._take)
        self._say(0, Notice("ready"))
        while line := await lines.readline():
            asked = json.loads(line)
            job = asked["job"]
            if "stop" in asked:
                if job in self._jobs:
                    self._jobs[job].cancel()
            elif "drop" not in asked:
                work = self._done(asked["work"], asked["text"])
                task = self._jobs[job] = asyncio.create_task(work)
                task.add_done_callback(partial(self._ended, job))
        for one in beside:
            one.cancel()

    def _take(self) -> None:
        """Connections have come."""
        for _ in range(_MANY):
            try:
                said, handles, _, _ = socket.recv_fds(self._way, 1, 1)
            except BlockingIOError:
                return
            if not said:  # the server has ended
                asyncio.get_running_loop().remove_reader(self._way)
                return
            if not handles:  # the system has thrown it away
                logging.getLogger(__name__).warning("no handle is left for a lab's socket")
            for handle in handles:
                connection = socket.socket(fileno=handle)
                connection.setblocking(False)
                opening = asyncio.ensure_future(self._open(connection))
                self._opening.add(opening)
                opening.add_done_callback(self._opening.discard)

    async def _open(self, connection: socket.socket) -> None:
        def line() -> Line:
            return Line(self._workshop.admit, MOST_BYTES)

        with suppress(OSError):  # it has gone already
            await asyncio.get_running_loop().connect_accepted_socket(line, connection)

    def _ended(self, job: int, task: asyncio.Task[bytes | Notice]) -> None:
        """A job is done, or was stopped, which may be before its task ran at all."""
        del self._jobs[job]
        if task.cancelled():
            self._say(job, STOPPED)
        elif error := task.exception():  # a mistake of ours
            logging.getLogger(__name__).error("work could not be done", exc_info=error)
            self._say(job, MISTAKE)
        else:
            self._say(job, task.result())

    async def _done(self, work: str, text: str) -> bytes | Notice:
        workshop = self._workshop
        if work == THERE:
            return b""
        if work == METERS:
            return workshop.meters.text()
        if work == REFUSAL:
            workshop.meters.refusal(text)
            return b""
        if work == DRAIN:
            await workshop.draining.finish()
            while workshop.sockets:
                await asyncio.sleep(0.01)
            return b""
        return await workshop.computed(work, text)

    def _say(self, job: int, reply: bytes | Notice) -> None:
        self._out.write(message(job, reply))


async def serve(way: socket.socket, out: BinaryIO) -> None:
    """Until the server ends."""
    loop = asyncio.get_running_loop()
    lines = asyncio.StreamReader(limit=_LINE)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin.buffer)
    answers, _ = await loop.connect_write_pipe(asyncio.Protocol, out)
    await LabSockets(way).run(lines, answers)


def open_many() -> None:
    """Let this process hold a handle for each socket, where the system lets it: a service often may
    open 1,024 until it asks for more."""
    import resource  # Windows has none

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 4 * MOST_SOCKETS  # with those that are told to come again later
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def main() -> None:
    """Serve until the server ends."""
    out = output()
    open_many()
    log.set_up()
    gc.freeze()  # what is loaded by now stays loaded
    with suppress(BrokenPipeError):  # the server ended meanwhile
        asyncio.run(serve(socket.socket(fileno=int(sys.argv[1])), out))
    os._exit(0)  # nobody waits for what is still under way


if __name__ == "__main__":
    main()
