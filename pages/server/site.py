"""What a server's sockets and /frame.json share: the workers, and the newest frames."""

import asyncio
import json
import logging
import os
import random
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from hashlib import blake2b

from starlette.requests import Request
from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from lessons.outputs.catalogue import UnknownLessonError
from pages.labs.answer import MISTAKE, Reply, answer
from pages.labs.by_name import wish_at
from pages.server import WORDS
from pages.server.forkserver import DEV
from pages.server.lanes import Lane, LostError
from pages.server.limits import workers
from pages.server.socket import Socket
from pages.server.visitors import Shares, visitor

MOST_FRAMES = 256
"""Frames kept for the next learner who asks the same; one has 10 to 40 kB."""
MOST_KEPT = 400_000
"""Bytes of a kept frame; the cliff's has 340 kB, and quoted nonsense may have megabytes."""
MOST_SOCKETS, OF_ONE = 1_500, 500
"""Open sockets in a process, and of one visitor; the next one is told to try again later."""
MOST_QUESTIONS, ASKED_BY_ONE = 64, 16
"""Requests for /frame.json that wait, and of one visitor."""
TRY_LATER, REFUSED_WITHIN = 1013, 12.0
"""The code that refuses a socket, and within how many seconds at random: 1,100 that come back a
second after they were refused take up most of the server's core with handshakes."""
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
        self.sockets = Shares(MOST_SOCKETS, OF_ONE)
        self.questions = Shares(MOST_QUESTIONS, ASKED_BY_ONE)

    async def load(self) -> None:
        """Wait for the process that workers are forked from; after that, one starts in 20 ms.

        Where the server forks them itself, it does so before it has connections. A worker would
        keep those open.
        """
        for lane in self._lanes if DEV else [self.quick]:
            await lane.run(os.getpid)
        if not DEV:
            self.quick.end()

    def end(self) -> None:
        """Let all workers go, each when its job has ended."""
        for lane in self._lanes:
            lane.end()

    async def admit(self, websocket: WebSocket) -> None:
        """Serve one learner's socket until it closes."""
        await websocket.accept()
        who = visitor(websocket.scope.get("client"))
        if not self.sockets.take(who):
            await _refuse(websocket)
            return
        try:
            await Socket(websocket, self.frame, self.trainers, who).live()
        finally:
            self.sockets.leave(who)

    async def frame(self, text: str, who: str) -> Reply:
        """Compute a wish's frame when it is the visitor's turn, unless somebody had it computed."""
        key = blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
        known = partial(self._frames.get, key)
        reply = known() or await self._computed(text, who, known)
        if reply.kind != "mistake" and len(reply.content) < MOST_KEPT:
            self._frames[key] = reply
            self._frames.move_to_end(key)
            if len(self._frames) > MOST_FRAMES:
                self._frames.popitem(last=False)
        return reply

    async def _computed(self, text: str, who: str, known: Callable[[], Reply | None]) -> Reply:
        try:
            reply = await self.quick.run(answer, text, False, who=who, known=known)
            if reply.kind == "slow":
                reply = await self.slow.run(answer, text, True, who=who, known=known)
            return reply
        except LostError:
            logging.getLogger(__name__).error("a wish ended its worker twice")
            return Reply("mistake", MISTAKE)

    async def frame_json(self, request: Request) -> Response:
        """Answer an address with the frame that it names, or with why there is none."""
        who = visitor(request.scope.get("client"))
        if not self.questions.take(who):
            return _json(503, "The server is busy. Try again in a moment.")
        try:
            text = await asyncio.to_thread(wish_at, request.query_params)
            reply = await self.frame(text, who)
        except UnknownLessonError as error:
            return _json(404, str(error))
        except ValueError as error:
            return _json(400, str(error))
        finally:
            self.questions.leave(who)
        return _json({"frame": 200, "mistake": 500}.get(reply.kind, 400), reply.content)


async def _refuse(websocket: WebSocket) -> None:
    """Close a socket some seconds later; meanwhile drop what it sends."""
    with suppress(TimeoutError):
        async with asyncio.timeout(random.uniform(0, REFUSED_WITHIN)):
            while (await websocket.receive())["type"] != "websocket.disconnect":
                pass
            return
    with suppress(WebSocketDisconnect):
        await websocket.close(TRY_LATER, WORDS("many_labs"))


def _json(status: int, content: bytes | str) -> Response:
    # Any site may read it: it depends on no cookie.
    headers = {"Access-Control-Allow-Origin": "*"}
    if status == 200:  # until the app changes, the same address has the same frame
        headers["Cache-Control"] = "public, max-age=600"
    else:
        content = json.dumps({"error": content})
    return Response(content, status, headers, "application/json")
