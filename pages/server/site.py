"""What a server's sockets and /frame.json share: the workers, and the newest frames."""

import asyncio
import json
import logging
import os
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from hashlib import blake2b

from starlette.requests import Request
from starlette.responses import Response
from starlette.websockets import WebSocket

from pages.labs.answer import MISTAKE, Reply, answer
from pages.server.forkserver import DEV
from pages.server.lanes import Lane, LostError
from pages.server.limits import workers
from pages.server.socket import Socket
from pages.server.visitors import visitor

MOST_FRAMES = 256
"""Frames kept for the next learner who asks the same; one has 10 to 40 kB."""
LARGEST_KEPT = 400_000
"""Bytes of a kept frame; the cliff's has 340 kB, and quoted nonsense may have megabytes."""
NICE, NICER = 5, 10
"""The niceness of the slow lane and of the training lanes."""
IDLE = None if DEV else 20.0
"""Seconds without a job after which the workers of the slow lane and of the training lanes end."""


class Site:
    """One server's labs."""

    def __init__(self) -> None:
        count = workers()
        half = max(1, count // 2)
        self.quick = Lane("quick", count)
        # One more than a visitor may use: nobody waits for another one's long job.
        self.slow = Lane("slow", half + 1, NICE, idle=IDLE, of_one=half)
        self.trainers = [Lane("training", 1, NICER, n, IDLE) for n in range(half)]
        self._lanes = [self.quick, self.slow, *self.trainers]
        self._frames: OrderedDict[bytes, Reply] = OrderedDict()

    async def load(self) -> None:
        """Start a worker of each lane, when the process that they are forked from has loaded.

        Where the server forks them itself, it does so before it has connections. A worker would
        keep those open.
        """
        for lane in self._lanes:
            await lane.run(os.getpid)

    def end(self) -> None:
        """End all workers."""
        for lane in self._lanes:
            lane.end()

    async def admit(self, websocket: WebSocket) -> None:
        """Serve one learner's socket until it closes."""
        await websocket.accept()
        who = visitor(websocket.scope.get("client"))
        await Socket(websocket, self.frame, self.trainers, who).serve()

    async def frame(self, text: str, who: str) -> Reply:
        """Compute a wish's frame when it is the visitor's turn, unless somebody had it computed."""
        key = blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
        cached = partial(self._frames.get, key)
        reply = cached() or await self._computed(text, who, cached)
        if reply.kind != "mistake" and len(reply.content) < LARGEST_KEPT:
            self._frames[key] = reply
            self._frames.move_to_end(key)
            if len(self._frames) > MOST_FRAMES:
                self._frames.popitem(last=False)
        return reply

    async def _computed(self, text: str, who: str, cached: Callable[[], Reply | None]) -> Reply:
        try:
            reply = await self.quick.run(answer, text, False, who=who, cached=cached)
            if reply.kind == "slow":
                reply = await self.slow.run(answer, text, True, who=who, cached=cached)
            return reply
        except LostError:
            logging.getLogger(__name__).error("a wish ended its worker twice")
            return Reply("mistake", MISTAKE)

    async def frame_json(self, request: Request) -> Response:
        """Answer an address with the frame that it names, or with why there is none."""
        who = visitor(request.scope.get("client"))
        query = request.scope["query_string"].decode("latin-1")
        asking = asyncio.create_task(self.frame(f"?{query}", who))
        leaving = asyncio.create_task(_disconnected(request))
        leaving.add_done_callback(lambda _: asking.cancel())
        try:
            reply = await asking
        except asyncio.CancelledError:
            return Response()  # nobody is there to read it
        finally:
            leaving.cancel()
        return _json({"frame": 200, "mistake": 500}.get(reply.kind, 400), reply.content)


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _json(status: int, content: bytes | str) -> Response:
    # Any site may read it: it depends on no cookie.
    headers = {"Access-Control-Allow-Origin": "*"}
    if status == 200:  # until the app changes, the same address has the same frame
        headers["Cache-Control"] = "public, max-age=600"
    else:
        content = json.dumps({"error": content})
    return Response(content, status, headers, "application/json")
