"""What runs in a worker process: frames, the API's answers, and the steps of trainings.

Each function takes and returns plain values; whatever goes wrong becomes a reply.
"""

import json
import logging
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple, Protocol

from lessons.contract.environment import CUDA
from lessons.outputs import numbers_api
from lessons.outputs.catalogue import UnknownLessonError, find
from lessons.text import cited
from pages.labs import home, lesson, playground, wire
from pages.labs.lesson import RefusedTextError
from pages.labs.messages import Frame, RefusedError, Wish, read, read_training
from pages.labs.training import Watch
from pages.server import log, memory

SHORT = 0.05
"""Seconds of computing that a wish may take in the quick lane."""
HEAVY = 0.2
"""Seconds of computing after which freed memory goes back to the system: it may be much."""
KEPT = 5.0
"""Seconds that a run is kept after it was asked for last."""
MOST_RUNS = 200
"""Runs in one process; the largest holds 9 MB."""
MISTAKE = "Something went wrong on the server. Change a setting to go on."
RUN_LOST = "Something went wrong on the server, and this run is lost. Start begins another."


def begin(niceness: int, device: int) -> None:
    """Set this process up; called once, before its first job."""
    os.environ[CUDA] = str(device)
    # A terminal sends Ctrl-C, and a service manager SIGTERM, to all processes of a group. The
    # server ends its workers itself.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    if niceness and hasattr(os, "nice"):  # Windows has none
        os.nice(niceness)
    log.set_up()
    threading.Thread(target=_end_with_server, daemon=True).start()


def _end_with_server() -> None:
    """End this process when the server is gone, however it ended."""
    if server := multiprocessing.parent_process():
        server.join()
        os._exit(0)


class Lab(Protocol):
    """A module that computes a lab's frames."""

    def frame(self, wish: Wish) -> Frame:
        """Compute the frame."""

    def seconds(self, wish: Wish) -> float:
        """Estimate, by arithmetic, how long that takes."""


LABS: Mapping[str, Lab] = {"home": home, "playground": playground}
"""Labs by name; any other name is a lesson's."""


class Reply(NamedTuple):
    """What comes of a wish.

    Attributes:
        kind: ``frame``; ``slow``, if it must be asked for in the slow lane; ``mistake``, if we made
            one; else as ``pages.labs.messages.Aside`` has it.
        content: the encoded frame, or text for people.
        seconds: of computing.
    """

    kind: Literal["frame", "slow", "again", "refused", "mistake"]
    content: bytes | str = ""
    seconds: float = 0.0


ComputeFrame = Callable[[str, bool], Reply]


def frame(text: str, slow: bool, labs: Mapping[str, Lab] = LABS) -> Reply:
    """Compute the frame that a wish asks for.

    Args:
        text: the wish as it came.
        slow: whether it may take long.
        labs: by name, besides those of the lessons.
    """
    start = time.thread_time()
    try:
        wish = read(text)
        lab = labs.get(wish.lab, lesson)
        if not slow and lab.seconds(wish) > SHORT:
            return Reply("slow")
        content = wire.encode(lab.frame(wish), wish.have)
    except RefusedTextError:
        return Reply("again")
    except RefusedError as error:
        return Reply("refused", str(error))
    except BaseException:  # a mistake of ours, or a panic of a library in Rust
        logging.getLogger(__name__).exception("a frame could not be computed")
        return Reply("mistake", MISTAKE)
    return Reply("frame", content, _spent(start))


def answer(kind: str, question: str) -> bytes:
    """Compute an answer of the numbers' API."""
    start = time.thread_time()
    try:
        return numbers_api.answer(kind, question)
    except BaseException:  # as above
        logging.getLogger(__name__).exception("a question could not be answered")
        return json.dumps((500, MISTAKE, "")).encode()
    finally:
        _spent(start)


def _spent(start: float) -> float:
    """Return the seconds of computing since ``start``; after many of them, clean up."""
    seconds = time.thread_time() - start
    if seconds > HEAVY:
        memory.clean()
    return seconds


class Chunk(NamedTuple):
    """What comes of some steps of a training.

    Attributes:
        there: whether there is a run.
        wants: whether there are more steps to make.
        fresh: whether there is something that was not shown yet.
        picture: the encoded picture; None if none was due, or nothing was new.
        have: digests of the charts in it.
        refusal: an aside's kind and text; None if all went well.
    """

    there: bool = False
    wants: bool = False
    fresh: bool = False
    picture: bytes | None = None
    have: Mapping[str, str] = {}
    refusal: tuple[Literal["again", "refused", "failed"], str] | None = None


_runs: dict[str, tuple[float, Watch]] = {}
"""The trainings of this process by token, the one that was asked for last at the end."""


def train(
    token: str, news: tuple[str, str] | None, seconds: float, due: float, have: Mapping[str, str]
) -> Chunk:
    """Take in what a learner wants of a training, make its next steps, and draw it.

    Args:
        token: names the training.
        news: the wish, and what is wanted of the training, as they came; None for no change.
        seconds: how long to make steps; one is made at least.
        due: the seconds from now on after which a picture is drawn, if there is anything new.
        have: digests of the charts that the browser has.
    """
    start = time.perf_counter()
    try:
        while _runs and start - next(iter(_runs.values()))[0] > KEPT:
            del _runs[next(iter(_runs))]
        _, watch = _runs.pop(token, (0.0, None))
        watch, refusal = _take(watch, *news) if news else (watch, None)
        if watch is None:
            return Chunk(refusal=refusal)
        if watch.wants:
            watch.advance(seconds)
        picture, drawn = None, dict[str, str]()
        if watch.fresh and time.perf_counter() - start >= due:
            picture = wire.encode(watch.picture(), have, drawn)
    except BaseException:  # as above
        logging.getLogger(__name__).exception("a training could not go on")
        return Chunk(refusal=("failed", RUN_LOST))
    _runs[token] = start, watch
    return Chunk(True, watch.wants, watch.fresh, picture, drawn, refusal)


def _take(
    watch: Watch | None, wish_text: str, training_text: str
) -> tuple[Watch | None, tuple[Literal["again", "refused"], str] | None]:
    """Take in what a learner wants; what is refused changes nothing."""
    try:
        wish, asked = read(wish_text), read_training(training_text)
        trained = find(wish.lab)
        if trained.lab.training is None:
            raise RefusedError(f"The lesson {cited(trained.slug)} trains nothing. Ask for its lab.")
        if watch and watch.lesson is trained:
            watch.take(wish, asked)
        elif len(_runs) >= MOST_RUNS:
            raise RefusedError("Too many trainings run here. Try again in a minute.")
        else:
            watch = Watch(trained, wish, asked)
    except RefusedTextError:
        return watch, ("again", "")
    except (RefusedError, UnknownLessonError) as error:
        return watch, ("refused", str(error))
    return watch, None


def forget() -> None:
    """Drop the trainings that nobody has asked for lately."""
    now = time.perf_counter()
    for token, (asked_for, _) in [*_runs.items()]:
        if now - asked_for > KEPT:
            del _runs[token]
    memory.clean()
