"""One learner's socket. It answers wishes with frames, and sends the pictures of a training.

It computes one wish at a time, and next the newest wish that arrived in the meantime.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress

from starlette.websockets import WebSocket, WebSocketDisconnect

from pages.labs import wire
from pages.labs.answer import Reply
from pages.labs.messages import Aside, RefusedError, number_of, opened
from pages.server.lanes import Lane
from pages.server.trainings import Training


class Socket:
    """A visitor's accepted socket; ``compute`` turns the text of a wish into a frame."""

    def __init__(
        self,
        websocket: WebSocket,
        compute: Callable[[str, str], Awaitable[Reply]],
        trainers: list[Lane],
        who: str,
    ) -> None:
        self._websocket, self._compute, self._who = websocket, compute, who
        self._newest = 0, ""  # number and text of a wish
        self._changed = asyncio.Event()
        self._sending = asyncio.Lock()
        self._training = Training(trainers, self._send, who)

    async def serve(self) -> None:
        """Read and answer messages until the browser disconnects."""
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._answer())
                tasks.create_task(self._training.serve())
                await self._read()
        except* WebSocketDisconnect:
            pass

    async def _read(self) -> None:
        while True:  # without a name for the message: a socket that waits would keep it
            await self._take(await self._text())

    async def _text(self) -> str:
        message = await self._websocket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1000))
        return message.get("text") or ""  # bytes are refused as an empty text is

    async def _take(self, text: str) -> None:
        try:
            message = opened(text)
            if message.training or message.kind == "train":
                self._training.wish(message)
        except RefusedError as error:
            # Await this, so that we stop reading from a browser that doesn't read our answers.
            await self._aside({"seq": number_of(text), "kind": "refused", "text": str(error)})
            return
        if message.kind == "taken":
            self._training.taken()
        elif message.kind == "ask":
            self._newest = message.seq, message.wish
            self._changed.set()

    async def _answer(self) -> None:
        """Answer the newest wish each time one arrives."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            await self._answer_newest()

    async def _answer_newest(self) -> None:
        (seq, text), self._newest = self._newest, (0, "")
        reply = await self._compute(text, self._who)
        if isinstance(reply.content, bytes):
            await self._send(wire.message(seq, "frame", reply.content))
        else:
            again = reply.kind == "again"  # "refused" also covers our own errors
            await self._aside(
                {"seq": seq, "kind": "again" if again else "refused", "text": reply.content}
            )

    async def _aside(self, aside: Aside) -> None:
        await self._send(json.dumps(aside))

    async def _send(self, text: str) -> None:
        async with self._sending:
            with suppress(WebSocketDisconnect, RuntimeError):  # the socket has just closed
                await self._websocket.send({"type": "websocket.send", "text": text})
