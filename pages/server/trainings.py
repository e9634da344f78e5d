"""The server's side of the trainings: the processes that train, and who gets whose pictures."""

import asyncio
import json
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path
from zlib import crc32

from pages.labs.messages import TrainingWish, read_training
from pages.server.trainer import HEAD

ROOT = Path(__file__).parents[2]
Listener = Callable[[bytes], None]


def processes() -> int:
    """How many processes train: one on two cores, so that the pages have the other."""
    return max(1, min(4, (os.cpu_count() or 2) // 2))


class Worker:
    """One process that trains; started again if it ends by itself."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._task: asyncio.Task[None] | None = None
        self._listeners: dict[int, Listener] = {}
        self._wishes: dict[int, tuple[int, str, str]] = {}  # the newest of each

    def start(self) -> None:
        """Start it, in the background; does nothing where it is there already."""
        self._task = self._task or asyncio.create_task(self._live())

    async def stop(self) -> None:
        """End it now."""
        if self._task:
            self._task.cancel()
        if self._process and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()

    def wish(self, who: int, listener: Listener, seq: int, wish: str, training: str) -> None:
        """Pass on what a learner wants; pictures go to the listener, on the event loop."""
        self.start()
        self._listeners[who] = listener
        self._wishes[who] = seq, wish, training
        self._send({"who": who, "seq": seq, "wish": wish, "training": training})

    def taken(self, who: int) -> None:
        """The learner's browser has taken in a picture."""
        if who in self._listeners:
            self._send({"who": who, "taken": 1})

    def gone(self, who: int) -> None:
        """The learner has left."""
        if self._listeners.pop(who, None):
            del self._wishes[who]
            self._send({"who": who, "gone": 1})

    def _send(self, message: dict[str, object]) -> None:
        if self._process and self._process.stdin and self._process.returncode is None:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")

    async def _live(self) -> None:
        while True:
            try:
                self._process = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-m", "pages.server.trainer"),
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    cwd=ROOT,
                )
            except OSError:  # no memory for it now, say
                logging.getLogger(__name__).exception("no process to train in could be started")
                await asyncio.sleep(5.0)
                continue
            for who, (seq, wish, training) in list(self._wishes.items()):
                self._send({"who": who, "seq": seq, "wish": wish, "training": training})
            await self._read()
            # It ended by itself: out of memory, say. Whoever trained is told that the run is lost.
            for who, (seq, wish, training) in self._wishes.items():
                known = read_training(training)
                lost = TrainingWish(**known.model_dump() | {"run": known.run or "lost"})
                self._wishes[who] = seq, wish, lost.model_dump_json()
            await asyncio.sleep(0.5)

    async def _read(self) -> None:
        assert self._process
        assert self._process.stdout
        try:
            while True:
                head = await self._process.stdout.readexactly(HEAD.size)
                who, _, length = HEAD.unpack(head)
                content = await self._process.stdout.readexactly(length)
                if who in self._listeners:
                    self._listeners[who](content)
        except asyncio.IncompleteReadError:
            await self._process.wait()


class Trainings:
    """All processes that train; a learner stays with one, also after a broken connection."""

    def __init__(self, count: int | None = None) -> None:
        self._workers = [Worker() for _ in range(processes() if count is None else count)]

    def start(self, after: float = 0.0) -> None:
        """Start them in the background, so many seconds from now if nobody trains before that."""
        for worker in self._workers:
            asyncio.get_running_loop().call_later(after, worker.start)

    async def stop(self) -> None:
        """End them now."""
        for worker in self._workers:
            await worker.stop()

    def of(self, token: str) -> Worker:
        """The process of the learner with this token."""
        return self._workers[crc32(token.encode()) % len(self._workers)]
