"""A learner without a browser: opens a lesson's page over Streamlit's socket and its lab over the
lab's own, and sends what the page and the lab in a browser would send. A connection that breaks is
an error; the learner opens the lab's again.
"""

import asyncio
import itertools
import json
import os
import random
import time
from collections import Counter
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Origin, Subprotocol

from lessons.contract.parameters import InvalidParametersError, Number, Numbers
from lessons.outputs.catalogue import find
from pages.server.application import SOCKET
from pages.server.socket_guard import STREAM
from tests.bench.shared import everything_answered

PATIENCE = 20.0
"""Seconds until a page has failed, and an interaction is lost."""
REST = 0.25
"""Seconds after a move in which the hand rests."""
FROM = os.environ.get("FROM", "127.0.0.1")
"""The client address, which the server takes for one visitor."""
ERRORS = (WebSocketException, OSError, TimeoutError)
HEAVIEST = "cliff"
"""The lesson whose settings, at rest, take longest to compute: a third of a second."""


@dataclass
class Heard:
    """What a crowd of learners got.

    Attributes:
        waits: milliseconds from each wish to its frame.
        pages: milliseconds until each page was complete.
        bytes: of all frames.
        errors: what went wrong, by its kind and the lesson. A wrong answer is for other settings.
    """

    waits: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    bytes: int = 0
    errors: Counter[tuple[str, str]] = field(default_factory=Counter)

    def __str__(self) -> str:
        """What went wrong and how often, and in which lessons most of it."""
        kinds = Counter[str]()
        for (kind, _), count in self.errors.items():
            kinds[kind] += count
        text = ", ".join(f"{count} × {kind}" for kind, count in kinds.most_common() if count)
        where = ", ".join(lesson for (_, lesson), _ in self.errors.most_common(3))
        return f"{text} ({where})" if where else text or "none"


async def connected(url: str, path: str, **more: Any) -> ClientConnection:
    """A socket of the app, with room for whatever comes."""
    address = f"ws://{urlsplit(url).netloc}/{path}"
    more = {"origin": Origin(url), "max_size": None, "local_addr": (FROM, 0), **more}
    return await connect(address, **more)


async def open_page(
    url: str, page: str, query: str, cookie: str = ""
) -> tuple[ClientConnection, list[ForwardMsg]]:
    """Open a page over Streamlit's socket; return the socket and what the page's first run drew."""
    protocols = [Subprotocol("streamlit"), Subprotocol("PLACEHOLDER_AUTH_TOKEN")]
    headers = {"Cookie": cookie}
    socket = await connected(url, STREAM, subprotocols=protocols, additional_headers=headers)
    asked = BackMsg()
    client = asked.rerun_script
    client.query_string, client.page_name = query, page
    client.context_info.url = f"{url}/{page}?{query}"
    client.context_info.timezone, client.context_info.locale = "UTC", "en"
    await socket.send(asked.SerializeToString())
    drawn: list[ForwardMsg] = []
    async with asyncio.timeout(PATIENCE):
        while True:
            message = ForwardMsg.FromString(await socket.recv())
            drawn.append(message)
            ended = message.HasField("script_finished")
            if ended and message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                return socket, drawn


class Learner:
    """One learner in one lesson. What they set is drawn from ``seed``: no two ask the same.

    Args:
        url: of the app.
        lesson, words: what the address says; the step is the first.
        heard: collects what the learner gets.
    """

    def __init__(
        self, url: str, lesson: str, heard: Heard, seed: int = 0, words: str = "step=1"
    ) -> None:
        self.lesson = find(lesson)
        self.form = dict(self.lesson.defaults)
        self.heard = heard
        self._url, self._words = url, f"lesson={lesson}&{words}"
        self._random = random.Random(seed)
        self._place: dict[str, Any] = {}  # what the page told its lab
        self._seq = 0
        self._page: ClientConnection | None = None
        self._staying: asyncio.Task[None] | None = None
        self._lab: ClientConnection | None = None
        self._unread: tuple[str, dict[str, str]] | None = None  # a frame, and what was set
        self._settled = True

    async def open_page(self) -> None:
        """Open the lesson's page, which says what is set, and keep it open."""
        start = time.perf_counter()
        cookie = "=".join(everything_answered(self.lesson))
        self._page, drawn = await open_page(self._url, self.lesson.chapter, self._words, cookie)
        for message in drawn:
            component = message.delta.new_element.bidi_component
            if component.component_name.endswith("gradient_lab"):
                self._place = json.loads(component.json or component.mixed.json)
        self.heard.pages.append((time.perf_counter() - start) * 1000)
        for order in self._place["orders"]:
            self.form |= order["values"]
        self._staying = asyncio.create_task(self._stay())

    async def _stay(self) -> None:
        """Read what comes to the page until its socket breaks."""
        assert self._page
        with suppress(WebSocketException):
            async for _ in self._page:
                pass
        self._fails("broken page")

    async def ask(self, moving: bool = False) -> None:
        """Send what is set and wait for its frame."""
        start = time.perf_counter()
        try:
            self._lab = self._lab or await connected(self._url, SOCKET, open_timeout=5)
            self._seq += 1
            await self._lab.send(f"{self._seq} ask {self._wish(moving)}")
            content = await self._answer()
        except ERRORS:
            self._lab = None
            self._fails("broken")
            return
        if content is not None:
            self.heard.waits.append((time.perf_counter() - start) * 1000)
            self.heard.bytes += len(content.encode())
            self._unread = content, self.form

    async def _answer(self) -> str | None:
        """The frame for the last wish; nothing if the lab says something else."""
        assert self._lab
        while True:
            content = str(await asyncio.wait_for(self._lab.recv(), PATIENCE))
            if content.startswith(f'{{"seq":{self._seq},"kind":"frame"'):
                return content
            if (kind := json.loads(content)["kind"]) not in ("frame", "picture"):
                self._fails(kind)
                return None

    def _fails(self, kind: str) -> None:
        self.heard.errors[kind, self.lesson.slug] += 1

    def _wish(self, moving: bool) -> str:
        """Write the lab's message as wish.js does."""
        self._read()
        named = ("step", "answers", "hide", "fix")
        place = {name: self._place[name] for name in named if name in self._place}
        wish = {"lab": self.lesson.slug, "values": self.form, "moving": moving}
        return json.dumps(wish | place, ensure_ascii=False, separators=(",", ":"))

    def _read(self) -> None:
        """Read the last frame: only now, so that decoding it delays no other learner."""
        if self._unread is None:
            return
        content, form = self._unread
        frame = json.loads(content)["content"]
        self._unread, self._settled = None, frame["settled"]
        asked, shown = (self.lesson.validate(one) for one in (form, frame["form"]))
        if self.lesson.text(asked) != self.lesson.text(shown):
            self._fails("wrong")

    async def rest(self) -> None:
        """Ask again if the last frame was only a preview, as the lab does when the hand rests."""
        self._read()
        if not self._settled:
            await self.ask()

    def move(self) -> None:
        """Set the first slider, or without one the inputs x, to something new."""
        for _ in range(100):
            new = self.form | self._another()
            with suppress(InvalidParametersError):
                self.lesson.validate(new)
                self.form = new
                return
        raise ValueError(f"{self.lesson.slug} refuses whatever is set")

    def _another(self) -> dict[str, str]:
        held = {*self._place.get("hide", []), *self._place.get("fix", [])}
        free = (one for one in self.lesson.lab.parameters if one.name not in held)
        plain = [one for one in free if not one.advanced]
        for one in plain:
            if isinstance(one, Number):
                return {one.name: f"{self._random.uniform(*one.slider):.6f}"}
        inputs = next(one for one in plain if isinstance(one, Numbers))
        return {inputs.name: ", ".join(f"{self._random.uniform(-3, 3):.4f}" for _ in range(3))}

    async def close(self) -> None:
        """Leave."""
        self._read()
        if self._staying:
            self._staying.cancel()
        for socket in (self._lab, self._page):
            if socket:
                await socket.close()


async def arrive(learners: Sequence[Learner], at_once: int = 10) -> None:
    """Open all pages and labs, so many at a time."""
    room = asyncio.Semaphore(at_once)

    async def one(learner: Learner) -> None:
        async with room:
            await learner.open_page()
            await learner.ask()

    await asyncio.gather(*(one(learner) for learner in learners))


async def move_until(
    over: Awaitable[object], learners: Sequence[Learner], together: bool = False
) -> None:
    """Let each learner move a slider once a second, at moments of their own or all together."""
    apart = random.Random(0)
    ended = asyncio.Event()

    async def sleep_until(moment: float) -> None:
        await asyncio.sleep(max(0.0, moment - time.perf_counter()))

    async def one(learner: Learner, start: float) -> None:
        for moment in itertools.count(start):
            await sleep_until(moment)
            if ended.is_set():
                return
            learner.move()
            await learner.ask(moving=True)
            await sleep_until(moment + REST)
            await learner.rest()

    start = time.perf_counter()
    moving = [
        asyncio.create_task(one(learner, start + (0 if together else apart.random())))
        for learner in learners
    ]
    await over
    ended.set()
    await asyncio.gather(*moving)
