"""What runs in a worker process: its begin, each job, and the steps of trainings.

``pages.labs.answer`` computes the frames.
"""

import logging
import os
import signal
import threading
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import NamedTuple

from lessons.contract.environment import CUDA
from lessons.contract.lesson import RefusedTextError
from lessons.gradient_tricks.text import cited
from lessons.outputs.catalogue import UnknownLessonError, find
from pages.labs import wire
from pages.labs.messages import Opened, RefusedError, read, read_training
from pages.labs.training import Watch
from pages.server import WORDS, log, process

CHUNK = 0.04
"""Seconds of steps between two pictures: more than twenty pictures a second look smooth. The worker
waits some milliseconds between two chunks."""
MOST_RUNS = 200
"""Runs in one process; the largest holds 9 MB. Where there are more, the visitor with the most runs
loses the oldest."""
DROP_AFTER = 30.0
"""Seconds after a run's last job until the next job of any run drops it. With 200 runs, each waits
8 to 15 s for its turn."""
STILL_HERE = 2.0
"""Seconds after which a paused run is asked for, so that it is kept."""


def work(pipe: Connection, niceness: int, device: int) -> None:
    """Run the jobs that come through this pipe, until its other end is closed."""
    os.environ[CUDA] = str(device)
    # A terminal sends Ctrl-C, and a service manager SIGTERM, to all processes of a group. The
    # server ends its workers itself.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    with suppress(OSError, AttributeError):  # a sandbox refuses it, and Windows has none
        os.nice(niceness)
    log.set_up()
    threading.Thread(target=process.keep_house, daemon=True).start()
    with suppress(EOFError, OSError):  # the server is gone
        pipe.send("ready")
        while True:
            function, *args = pipe.recv()
            pipe.send(function(*args))


class Chunk(NamedTuple):
    """The outcome of some steps of a training.

    Attributes:
        wait: seconds until somebody should ask again; None if there is no run.
        picture: the picture as JSON; None if none was wanted, or nothing was new.
        refusal: an aside's kind and text; None if all went well.
    """

    wait: float | None = None
    picture: bytes | None = None
    refusal: tuple[str, str] | None = None


LOST = Chunk(refusal=("failed", WORDS("run_lost")))
"""The outcome if the run no longer exists."""
_runs: dict[str, tuple[float, str, Watch]] = {}
"""The trainings of this process by token, with their visitors and the times at which they were last
asked for, the latest last."""


def train(token: str, who: str, news: Opened | None, shows: bool) -> Chunk:
    """Take in what a learner wants of a training, make its next steps, and draw it.

    Args:
        token: names the training.
        who: the visitor, as ``pages.server.visitors`` has it.
        news: the wish, and what is wanted of the training, as they came; None for no change.
        shows: whether to draw it, if there is anything new.
    """
    try:
        oldest = time.perf_counter() - DROP_AFTER
        for left in [one for one, (asked, *_) in _runs.items() if asked < oldest]:
            del _runs[left]
        *_, watch = _runs.pop(token, (0.0, "", None))
        if not (watch or news):
            return LOST
        refusal = None
        try:
            watch = _take(watch, news) if news else watch
        except RefusedTextError:
            refusal = "again", ""
        except (RefusedError, UnknownLessonError) as error:
            refusal = "refused", str(error)
        if watch is None:
            return Chunk(refusal=refusal)
        if watch.wants:
            watch.advance(0.0 if news else CHUNK)  # after a change, one step and a picture at once
        picture = wire.encode(watch.picture()) if shows and watch.fresh else None
    except BaseException:  # our mistake, or a panic of a library in Rust
        logging.getLogger(__name__).exception("a training could not go on")
        return LOST
    _runs[token] = time.perf_counter(), who, watch
    return Chunk(0.0 if watch.wants else STILL_HERE, picture, refusal)


def _take(watch: Watch | None, news: Opened) -> Watch:
    """Take in what a learner wants.

    Raises:
        RefusedError, UnknownLessonError: it is refused, and changes nothing.
    """
    wish, asked = read(news.wish), read_training(news.training)
    trained = find(wish.lab)
    if trained.lab.training is None:
        raise RefusedError(f"The lesson {cited(trained.slug)} trains nothing. Ask for its lab.")
    if watch and watch.lesson is trained:
        watch.take(wish, asked)
        return watch
    if len(_runs) >= MOST_RUNS:
        visitors = [of for _, of, _ in _runs.values()]
        busiest = max(visitors, key=visitors.count)
        del _runs[next(one for one, (_, of, _) in _runs.items() if of == busiest)]
    return Watch(trained, wish, asked)
