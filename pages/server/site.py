"""What all sockets of a server and its API share: workers, trainings, frames, meters."""

import asyncio
import logging

from starlette.websockets import WebSocket

from pages.server import worker
from pages.server.frame_cache import FrameCache
from pages.server.lanes import FullError, Lane, LostError, cores
from pages.server.memory import Tidy
from pages.server.meters import Meters
from pages.server.socket import Socket
from pages.server.trainings import Trainings
from pages.server.worker import MISTAKE, Reply

KEPT = 24 << 20
"""Bytes of frames that are kept for the next learner who asks the same."""
MOST_SOCKETS = 1_500
"""At once in a process; one more is told to come again later."""
MOST_QUESTIONS = 64
"""Questions of the API that wait; one is computed at a time, as for a socket."""
TRY_LATER = 1013
NICE, NICER = 5, 10
"""How much the slow lane, and those who train, stand back behind the quick lane and the pages."""
FULL = Reply("refused", "Too many labs are computed here. Change a setting to try again.")


class Site:
    """One server's labs.

    Args:
        quick, slow: the lanes that frames and answers are computed in.
        trainers: the lanes that train, of one worker each.
        frame: computes a frame, in a worker.
    """

    SLOW = 0.04
    """Seconds of computing; after a frame that took more, a socket's next one is computed in the
    slow lane."""

    def __init__(
        self,
        quick: Lane | None = None,
        slow: Lane | None = None,
        trainers: list[Lane] | None = None,
        frame: worker.ComputeFrame = worker.frame,
    ) -> None:
        count = min(8, cores())
        half = max(1, count // 2)
        self.meters = Meters()
        restarted = self.meters.restarted
        self.quick = quick or Lane("quick", count, on_restart=restarted)
        self.slow = slow or Lane("slow", half, NICE, restarted)
        trainers = trainers or [Lane("training", 1, NICER, restarted) for _ in range(half)]
        self.trainings = Trainings(trainers)
        self.tidy = Tidy()
        self._frames = FrameCache(KEPT)
        self._compute = frame
        self._sockets: set[Socket] = set()
        self._questions = 0
        self._asking = asyncio.Lock()
        self.meters.watch(
            lambda: len(self._sockets), lambda: sum(one.training.wants for one in self._sockets)
        )

    async def ready(self) -> None:
        """Wait until a worker has loaded everything."""
        await self.quick.run(worker.drop, "")

    def stop(self) -> None:
        """End all workers now."""
        for lane in (self.quick, self.slow, *self.trainings.lanes):
            lane.stop()

    async def admit(self, websocket: WebSocket) -> None:
        """Serve one learner's socket, which was accepted, until its end."""
        if len(self._sockets) >= MOST_SOCKETS:
            await websocket.close(TRY_LATER, "Too many labs are open here. Try again in a minute.")
            return
        one = Socket(self, websocket)
        self._sockets.add(one)
        try:
            await one.live()
        finally:
            self._sockets.discard(one)
            self.tidy.note()

    async def frame(self, key: bytes, text: str, slow: bool) -> Reply:
        """Compute what a wish asks for, or return the frame that is kept."""

        async def compute() -> Reply:
            if slow:
                return await self.slow.run(self._compute, text, True)
            reply = await self.quick.run(self._compute, text, False)
            if reply.kind == "slow":
                reply = await self.slow.run(self._compute, text, True)
            return reply

        try:
            return await self._frames.get(key, compute)
        except FullError:
            return FULL
        except LostError:
            logging.getLogger(__name__).error("a wish ended its worker twice")
            return Reply("refused", MISTAKE)

    async def ask(self, kind: str, question: str) -> bytes:
        """Compute an answer of the API.

        Raises:
            LostError: its worker died twice.
            FullError: too many questions wait.
        """
        if self._questions >= MOST_QUESTIONS:
            raise FullError("too many questions wait")
        self._questions += 1
        try:
            async with self._asking:
                return await self.slow.run(worker.answer, kind, question)
        finally:
            self._questions -= 1
