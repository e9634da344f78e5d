"""The process that trains, started by ``trainings``: many learners' wishes in, pictures out.

It is a process of its own, so that no training holds up a slider: Python runs one thread at a time.
Each line that comes in is JSON: ``client`` with the parts of an ``Opened`` message, or with
``taken`` or ``gone``. What goes out has a head of three uint32: the client, what it is
(``pages.server.trainings``), and its length.
"""

import json
import logging
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Literal

from lessons.contract.lesson import Lesson
from lessons.kit.process import leave_unsaid, suit_small_tensors
from lessons.outputs.catalogue import UnknownLessonError, find
from lessons.text import cited
from pages.labs import wire
from pages.labs.lesson import RefusedTextError
from pages.labs.messages import Aside, RefusedError, read, read_training
from pages.labs.training import Watch
from pages.server import log
from pages.server.child import HEAD, output, say
from pages.server.trainings import ASIDE, COUNTS, PICTURE

AT_ONCE = 2
"""Trainings that make steps by turns; the others wait."""
SLICE = 0.02
"""Seconds of steps before somebody else's, or before a picture that is due sooner."""
EVERY = 0.046
"""Seconds from one picture of a training to the next, on the mean: 21 a second look smooth, and
what is not drawn is left to the steps."""
UNSEEN = 2
"""Pictures on their way to a browser at most."""
RETURN = 5.0
"""Seconds for which a run waits for a browser whose connection broke …"""
MOST_AWAY = 64
"""… and how many of them wait at most."""
MISTAKE = "Something went wrong on the server, and this run is lost. Start begins another."


@dataclass
class Learner:
    """One browser's training.

    Args:
        watch: what is trained.
        token: by which the browser is known again.
        seq: the newest message.
        unseen: pictures sent and not yet taken in.
        due: when the next one may be sent, in seconds of ``time.monotonic``.
        before: how many are before it, as it was told.
        have: digests of the charts it has.
    """

    watch: Watch
    token: str
    seq: int
    unseen: int = 0
    due: float = 0.0  # at once
    before: int = 0
    have: dict[str, str] = field(default_factory=dict)

    def sent(self, now: float) -> None:
        """A picture went out. One that was late does not delay those behind it."""
        self.unseen += 1
        self.due = max(self.due + EVERY, now + EVERY / 2)

    def slice(self, now: float) -> float:
        """Seconds of steps: until the next picture where the browser waits for one."""
        return SLICE if self.unseen >= UNSEEN else min(SLICE, max(0.0, self.due - now))


class Trainer:
    """Takes wishes and makes steps, by turns, until its input ends.

    Args:
        lines, out: where lines come from and pictures go to.
    """

    def __init__(self, lines: BinaryIO, out: BinaryIO) -> None:
        self._lines, self._out = lines, out
        self._news = threading.Condition()
        self._inbox: list[dict[str, Any]] = []
        self._ended = False
        self._learners: dict[int, Learner] = {}
        self._queue: list[int] = []  # those who want steps, in the order of coming
        self._away: dict[str, tuple[float, Watch]] = {}
        self._wishes: dict[int, dict[str, Any]] = {}  # the newest of each, not yet taken in
        self._counts: dict[str, int] = {}  # as it was last told

    def run(self) -> None:
        """Until the input ends, which it does when the server is gone."""
        threading.Thread(target=self._read, daemon=True).start()
        while True:
            with self._news:
                if not self._inbox and not self._ended:
                    self._news.wait(self._pause())
                news, self._inbox = self._inbox, []
            if self._ended:
                return
            self._take(news)
            self._step()
            self._show()
            self._count()

    def _read(self) -> None:
        for line in self._lines:
            with self._news:
                self._inbox.append(json.loads(line))
                self._news.notify()
        with self._news:
            self._ended = True
            self._news.notify()

    def _pause(self) -> float | None:
        """How long there is nothing to do but wait."""
        if self._wishes:
            return 0.0
        if any(self._learners[client].watch.wants for client in self._queue):
            return 0.0
        if any(learner.watch.fresh for learner in self._learners.values()):
            return EVERY / 2
        return 1.0 if self._away else None

    def _take(self, news: list[dict[str, Any]]) -> None:
        for message in news:
            client = message["client"]
            if "gone" in message:
                self._wishes.pop(client, None)
                self._gone(client)
            elif "taken" in message:
                if client in self._learners:
                    self._learners[client].unseen = max(0, self._learners[client].unseen - 1)
            else:
                self._wishes[client] = message
        if self._wishes:  # one at a time: to begin a run may take as long as many steps
            client = next(iter(self._wishes))
            message = self._wishes.pop(client)
            with self._guarded(client, message["seq"]):
                self._wish(client, message)
        now = time.monotonic()
        away = [(t, kept) for t, kept in self._away.items() if now - kept[0] < RETURN]
        self._away = dict(away[-MOST_AWAY:])

    @contextmanager
    def _guarded(self, client: int, seq: int) -> Iterator[None]:
        """A mistake of ours in one learner's training ends that one, who is told, and no other."""
        try:
            yield
        except Exception:
            logging.getLogger(__name__).exception("a training could not go on")
            self._learners.pop(client, None)
            self._queue = [other for other in self._queue if other != client]
            self._aside(client, seq, "failed", MISTAKE)

    def _aside(
        self, client: int, seq: int, kind: Literal["refused", "again", "failed"], text: str
    ) -> None:
        aside: Aside = {"seq": seq, "kind": kind, "text": text}
        self._say(client, ASIDE, json.dumps(aside).encode())

    def _say(self, client: int, what: int, content: bytes) -> None:
        say(self._out, HEAD.pack(client, what, len(content)) + content)

    def _wish(self, client: int, message: dict[str, Any]) -> None:
        """Take in what a learner wants. Where it came with a question, that is answered elsewhere;
        where it came alone and is refused, the learner is told here."""
        alone = message["kind"] == "train"
        try:
            self._follow(client, message)
        except RefusedTextError:
            if alone:
                self._aside(client, message["seq"], "again", "")
        except (RefusedError, UnknownLessonError) as error:
            if alone:
                self._aside(client, message["seq"], "refused", str(error))

    def _follow(self, client: int, message: dict[str, Any]) -> None:
        """Train as a learner wants.

        Raises:
            RefusedError, RefusedTextError, UnknownLessonError: the wish is none of a training's;
                all goes on as before.
        """
        wish, asked = read(message["wish"]), read_training(message["training"])
        lesson = find(wish.lab)
        if lesson.lab.training is None:
            raise RefusedError(f"The lesson {cited(lesson.slug)} trains nothing. Ask for its lab.")
        learner = self._learners.get(client)
        if learner and learner.watch.lesson is not lesson:
            learner = None
        if learner:
            learner.watch.take(wish, asked)
        elif watch := self._returned(client, asked.token, lesson):
            learner = Learner(watch, asked.token, message["seq"])
            watch.take(wish, asked)
        else:
            learner = Learner(Watch(lesson, wish, asked), asked.token, message["seq"])
        learner.seq, learner.due = message["seq"], 0.0
        self._learners[client] = learner

    def _returned(self, client: int, token: str, lesson: Lesson) -> Watch | None:
        """The training of a browser whose line broke, noticed or not."""
        for other in [
            o for o, learner in self._learners.items() if learner.token == token and o != client
        ]:
            self._gone(other)
        watch = self._away[token][1] if token in self._away else None
        if watch is None or watch.lesson is not lesson:
            return None
        del self._away[token]
        return watch

    def _gone(self, client: int) -> None:
        learner = self._learners.pop(client, None)
        if learner:
            learner.watch.pause()
            self._away[learner.token] = (time.monotonic(), learner.watch)

    def _step(self) -> None:
        """A slice for the one whose turn it is."""
        wanting = [client for client, learner in self._learners.items() if learner.watch.wants]
        self._queue = [client for client in self._queue if client in wanting]
        self._queue += [client for client in wanting if client not in self._queue]
        for place, client in enumerate(self._queue):
            before = max(0, place + 1 - AT_ONCE)
            learner = self._learners[client]
            if learner.before != before:
                learner.before, learner.watch.fresh = before, True
        if not self._queue:
            return
        client = self._queue[0]
        learner = self._learners[client]
        with self._guarded(client, learner.seq):
            learner.watch.advance(learner.slice(time.monotonic()), lambda: bool(self._inbox))
        if client in self._learners:  # it has met no mistake
            # Among those who may train, whoever was first is last now; who waits stays behind them.
            turn = self._queue[:AT_ONCE]
            self._queue[: len(turn)] = [*turn[1:], turn[0]]

    def _show(self) -> None:
        now = time.monotonic()
        for client, learner in list(self._learners.items()):
            if not learner.watch.fresh or learner.unseen >= UNSEEN or now < learner.due:
                continue
            before = learner.before if learner.watch.wants else 0
            had, learner.have = learner.have, {}
            with self._guarded(client, learner.seq):
                encoded = wire.encode(learner.watch.picture(before), had, learner.have)
                self._say(client, PICTURE, wire.addressed(learner.seq, encoded, wire.PICTURE))
                learner.sent(now)

    def _count(self) -> None:
        """Tell how many train and how many wait, where that has changed: as of no client."""
        running = min(AT_ONCE, len(self._queue))
        counts = {"running": running, "waiting": len(self._queue) - running}
        if counts != self._counts:
            self._counts = counts
            self._say(0, COUNTS, json.dumps(counts).encode())


def main() -> None:
    """Train until the server ends."""
    out = output()
    log.set_up()
    suit_small_tensors()
    leave_unsaid()
    Trainer(sys.stdin.buffer, out).run()


if __name__ == "__main__":
    main()
