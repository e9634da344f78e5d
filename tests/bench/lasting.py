"""A learner who stays: comes back when a connection breaks, as the browser's scripts do, and looks
whether what comes is what was asked for.
"""

import asyncio
import json
import random
import re
import time
from contextlib import suppress
from dataclasses import dataclass, field

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed, WebSocketException

from lessons.contract.parameters import InvalidParametersError
from tests.bench.learner import Heard, Learner
from tests.support.decoded import without_arrays

DELAYS = (0.2, 0.4, 0.8, 1.5)
"""Seconds before a line is opened again, as pages/ui/live/wire/socket.js has them; a page's too."""
GIVES_UP = 20.0
"""Seconds until an interaction counts as lost."""
SAMPLED = 5
"""One answer in so many is read, and each after a break; when the learner leaves, so that reading
takes no time from the others."""
_QUERY = re.compile(rb'"query":\s*("(?:[^"\\]|\\.)*")')
_BROKEN = (WebSocketException, OSError, TimeoutError)


@dataclass
class Lasted(Heard):
    """What such a crowd has met besides.

    Attributes:
        asked: interactions.
        again: those that had to be asked for once more.
        lost: those without an answer in the end.
        wrong: answers that are of another lab, or of other settings.
        away: seconds from a broken connection to the next answer.
        forgot: pages that came back without what was set.
        pages_away: seconds until a broken page stood again.
    """

    asked: int = 0
    again: int = 0
    lost: int = 0
    wrong: int = 0
    forgot: int = 0
    away: list[float] = field(default_factory=list)
    pages_away: list[float] = field(default_factory=list)


class Lasting(Learner):
    """As a ``Learner``, over whatever happens to the server."""

    heard: Lasted

    def __init__(
        self, url: str, lesson: str, heard: Lasted, seed: int = 0, words: str = "step=1"
    ) -> None:
        super().__init__(url, lesson, heard, seed, words)
        self._first_words = f"lesson={lesson}&step=1"
        self._apart = random.Random(seed)
        self._query = ""
        self._answered: dict[str, str] = {}  # what was set when the address said so
        self._expected: dict[str, str] = {}
        self._returns = False
        self._keeping: asyncio.Task[None] | None = None
        self._sampled: list[tuple[bytes, dict[str, str]]] = []  # answers, and what was set

    async def stay(self) -> None:
        """Keep the page open, from now on."""
        self._keeping = asyncio.create_task(self._keep_page())

    async def interact(self) -> None:
        """Move something and wait for its frame, however often that takes."""
        self.move()
        self.heard.asked += 1
        start = time.perf_counter()
        broken, tries = 0.0, 0
        while time.perf_counter() - start < GIVES_UP:
            try:
                if self._line is None or broken:
                    await self._reopen()
                assert self._line
                self._seq += 1
                await self._line.send(f"{self._seq} ask {self.wish(live=False)}")
                content = await self._answer()
            except _BROKEN:
                broken = broken or time.perf_counter()
                self._have = {}  # who comes back has what is drawn, and asks for all of it
                wait = DELAYS[min(tries, len(DELAYS) - 1)]
                tries += 1
                await asyncio.sleep(wait * (0.8 + 0.4 * self._apart.random()))
                continue
            if content is None:  # told to try later: an error that was counted
                return
            self.heard.waits.append((time.perf_counter() - start) * 1000)
            self.heard.bytes += len(content)
            self._unread = content
            if broken:
                self.heard.again += 1
                self.heard.away.append(time.perf_counter() - broken)
            if found := _QUERY.search(content):
                self._query, self._answered = json.loads(found[1]), dict(self.form)
            if broken or self._seq % SAMPLED == 0:
                self._sampled.append((content, dict(self.form)))
            return
        self.heard.lost += 1

    async def _reopen(self) -> None:
        if self._line:
            with suppress(*_BROKEN):
                await asyncio.wait_for(self._line.close(), 0.2)
        self._line = await asyncio.wait_for(self._connect_lab(), 5)

    def _look(self, content: bytes, form: dict[str, str]) -> None:
        """Whether it is this lab, set so."""
        frame = without_arrays(content)
        try:
            asked = self.lesson.text(self.lesson.validate(form))
            shown = self.lesson.text(self.lesson.validate(frame["form"]))
        except InvalidParametersError:
            self.heard.wrong += 1
            return
        if asked != shown:
            self.heard.wrong += 1

    async def _keep_page(self) -> None:
        while True:
            page = self.page
            assert page
            await _end(page)
            start, tries = time.perf_counter(), 0
            while True:
                wait = DELAYS[min(tries, len(DELAYS) - 1)]
                tries += 1
                await asyncio.sleep(wait * (0.8 + 0.4 * self._apart.random()))
                try:
                    # The browser's address has followed the lab.
                    self._words = self._query.removeprefix("?") or self._words
                    self._expected, self._returns = dict(self._answered), True
                    await self.open_page()
                except _BROKEN:
                    continue
                break
            self.heard.pages_away.append(time.perf_counter() - start)

    def _finished(self, message: object) -> bool:
        """Keeps what the hand has set: what a page that came back says is looked at only."""
        hand, place = dict(self.form), self._place
        done = super()._finished(message)  # type: ignore[arg-type]
        if self._returns and self._place is not place:
            said = dict(self._expected)
            for order in self._place["orders"]:
                said |= order["values"]
            if self._set(said) != self._set(self._expected):
                self.heard.forgot += 1
        self.form = hand or self.form
        return done

    def _set(self, form: dict[str, str]) -> dict[str, str]:
        """What a form sets, however it is written."""
        try:
            return self.lesson.text(self.lesson.validate(form))
        except InvalidParametersError:
            return form

    async def leave(self) -> None:
        """Close all, and look at what came."""
        if self._keeping:
            self._keeping.cancel()
        with suppress(*_BROKEN):
            await asyncio.wait_for(self.close(), 2)
        for content, form in self._sampled:
            self._look(content, form)


async def _end(page: ClientConnection) -> None:
    """Until the server has closed it; what it says meanwhile is not read by anybody."""
    with suppress(ConnectionClosed):
        while True:
            await page.recv()
