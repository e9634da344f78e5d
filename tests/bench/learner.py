"""A learner without a browser: opens a lesson's page over Streamlit's socket and its lab over the
lab's own, and sends what the page and the lab in a browser would send.
"""

import asyncio
import json
import random
import struct
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Origin, Subprotocol

from lessons.contract.lesson import Lesson
from lessons.contract.parameters import InvalidParametersError, Number, Numbers
from lessons.outputs.catalogue import find
from pages.server.application import SOCKET
from tests.bench.shared import everything_answered
from tests.support.decoded import without_arrays

PATIENCE = 20  # seconds without a word; then the lab takes its line for dead, and so do we


@dataclass
class Heard:
    """What a crowd of learners has met.

    Attributes:
        waits, pages: milliseconds from a wish to its frame, and to a page's end.
        bytes: of all frames.
        errors: what went wrong, by its kind and the lesson.
    """

    waits: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    bytes: int = 0
    errors: Counter[tuple[str, str]] = field(default_factory=Counter)


class Learner:
    """One learner in one lesson. What they set is drawn from ``seed``: no two ask the same.

    Args:
        url: of the app.
        lesson, words: what the address says; the step is the first.
        heard: takes what comes of it.
    """

    def __init__(
        self, url: str, lesson: str, heard: Heard, seed: int = 0, words: str = "step=1"
    ) -> None:
        self.lesson: Lesson = find(lesson)
        self._url, self.heard, self._words = url, heard, f"lesson={lesson}&{words}"
        self._random = random.Random(seed)
        self._place: dict[str, Any] = {}
        self.form: dict[str, str] = {}
        self._have: dict[str, str] = {}
        self._seq = 0
        self._planned: list[dict[str, str]] = []
        self.page: ClientConnection | None = None
        self._line: ClientConnection | None = None
        self._unread: bytes | None = None
        self._settled = True

    async def open_page(self) -> None:
        """The page's first run, up to its end."""
        cookie = "=".join(everything_answered(self.lesson))
        start = time.perf_counter()
        self.page = await connect(
            self._socket("_stcore/stream"),
            origin=Origin(self._url),
            subprotocols=[Subprotocol("streamlit"), Subprotocol("PLACEHOLDER_AUTH_TOKEN")],
            additional_headers={"Cookie": cookie},
            max_size=None,
        )
        message = BackMsg()
        client = message.rerun_script
        client.query_string, client.page_name = self._words, self.lesson.chapter
        client.context_info.url = f"{self._url}/{self.lesson.chapter}?{self._words}"
        client.context_info.timezone = "UTC"
        client.context_info.locale = "en"
        await self.page.send(message.SerializeToString())
        async with asyncio.timeout(PATIENCE):
            while not self._finished(ForwardMsg.FromString(await self.page.recv())):
                pass
        self.heard.pages.append((time.perf_counter() - start) * 1000)

    def _finished(self, message: ForwardMsg) -> bool:
        component = message.delta.new_element.bidi_component
        if component.component_name.endswith("gradient_lab"):
            self._place = json.loads(component.json or component.mixed.json)
            for order in self._place["orders"]:
                self.form |= order["values"]
        return (
            message.WhichOneof("type") == "script_finished"
            and message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
        )

    async def open_lab(self) -> None:
        """The lab's line and its first frame, as the page wants it or else the lesson's own."""
        self.form = self.form or self.lesson.defaults
        self._line = await self._connect_lab()
        await self.ask(live=False)

    async def _connect_lab(self) -> ClientConnection:
        return await connect(self._socket(SOCKET), origin=Origin(self._url), max_size=None)

    def _socket(self, path: str) -> str:
        return f"ws://{urlsplit(self._url).netloc}/{path}"

    async def ask(self, live: bool) -> None:
        """Send what is set now and wait for the frame."""
        assert self._line
        self._seq += 1
        text = f"{self._seq} ask {self.wish(live)}"
        start = time.perf_counter()
        try:
            await self._line.send(text)
            content = await self._answer()
        except (WebSocketException, TimeoutError) as error:
            self.heard.errors[type(error).__name__, self.lesson.slug] += 1
            return
        if content:
            self.heard.waits.append((time.perf_counter() - start) * 1000)
            self.heard.bytes += len(content)
            self._unread = content

    async def _answer(self) -> bytes | None:
        assert self._line
        while True:
            content = await asyncio.wait_for(self._line.recv(), PATIENCE)
            if isinstance(content, str):
                aside = json.loads(content)
                self.heard.errors[aside["kind"], self.lesson.slug] += 1
                return None
            if struct.unpack_from("<I", content)[0] == self._seq:
                return content

    async def rest(self) -> None:
        """The hand lies still: a frame that was only a preview is asked for again."""
        self._read()
        if not self._settled:
            await self.ask(live=False)

    def wish(self, live: bool) -> str:
        """As wish.js writes it."""
        self._read()
        wish = {
            "lab": self.lesson.slug,
            "values": self.form,
            "live": live,
            "good": None,
            "cuts": "",
            "step": self._place.get("step", 1),
            "answers": self._place.get("answers", []),
            "hide": self._place.get("hide", []),
            "fix": self._place.get("fix", []),
            "touched": [],
            "do": "",
            "have": self._have,
        }
        return json.dumps(wish, ensure_ascii=False, separators=(",", ":"))

    def _read(self) -> None:
        """Take in the last frame. Not when it comes: others are waiting for theirs."""
        if self._unread is None:
            return
        frame = without_arrays(self._unread)
        self._unread, self._settled = None, frame["settled"]
        self._have = {figure["id"]: figure["digest"] for figure in frame["figures"]}
        for part in ("graph", "code"):
            if frame[part]:
                self._have[part] = frame[part]["digest"]

    def plan(self, moves: int) -> None:
        """Think of so many moves now, so that it takes no time from the others later."""
        self._planned = [self._new() for _ in range(moves)]

    def move(self) -> None:
        """Set the first slider, or where there is none the inputs x, to something new."""
        self.form = self.form | (self._planned.pop() if self._planned else self._new())

    def _new(self) -> dict[str, str]:
        for _ in range(100):
            new = self._another()
            with suppress(InvalidParametersError):
                self.lesson.validate(self.form | new)
                return new
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
        for socket in (self._line, self.page):
            if socket:
                await socket.close()
