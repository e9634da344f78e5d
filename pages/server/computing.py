"""What is computed for learners: each piece of work on a thread, by turns.

It runs in the processes of ``computers``, and in tests in the process of the test.
"""

import logging
import math
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from pages.labs import home, lesson, playground, wire
from pages.labs.lesson import RefusedTextError
from pages.labs.messages import Frame, RefusedError, Wish, read
from pages.labs.turn import Turn
from pages.server import api_answers
from pages.server.notice import FRAME, GIVEN_UP, MISTAKE, STOPPED, TOO_LONG_HERE, Deliver, Notice
from pages.server.tidy import HEAVY, Tidy
from pages.server.turns import Busy, LearnersTurn, Overtaken, Stopped, TooLong, TooLongHere, Turns

THREADS = 32
"""Pieces of work that are begun at once: each holds its memory. The others wait for a thread."""


_BUSY = Notice("busy", "Many long computations are under way here. Try again in ten seconds.")

Lab = Callable[[Wish, Turn], Frame]
"""Computes a frame."""
LABS: Mapping[str, Lab] = {"home": home.frame, "playground": playground.frame}
"""Labs by name; any other name is a lesson's."""


@dataclass
class _Flags:
    """Why work is to be given up, as somebody else's thread says it."""

    stopped: bool = False
    dropped: bool = False


class Computing:
    """Does work for many, one piece at a time; long work makes room for others.

    Args:
        labs: by name, besides those of the lessons.
    """

    def __init__(self, labs: Mapping[str, Lab] = LABS) -> None:
        self.turns = Turns(1)  # Python runs one thread at a time, and a process does for one core
        self.tidy = Tidy()
        self._labs = labs
        self._threads = ThreadPoolExecutor(THREADS, "lab")
        self._flags: dict[int, _Flags] = {}
        self._lock = threading.Lock()

    def ask(
        self,
        job: int,
        work: str,
        text: str,
        deliver: Deliver,
        late: float = 0.0,
        here: float = math.inf,
    ) -> None:
        """Begin work; returns at once.

        Args:
            job: a number of the caller's own, for ``stop`` and ``drop``.
            work: what kind of work.
            text: what for.
            deliver: takes what comes of it.
            late: seconds that whoever wants it has computed of late.
            here: seconds that it may take; then ``deliver`` takes ``TOO_LONG_HERE``.
        """
        flags = _Flags()
        with self._lock:
            self._flags[job] = flags
        self._threads.submit(self._do, job, flags, work, text, deliver, late, here)

    def stop(self, job: int) -> None:
        """The learner pressed Stop, or nobody waits for it any more."""
        if flags := self._flags.get(job):
            flags.stopped = True

    def drop(self, job: int) -> None:
        """The learner wants something newer."""
        if flags := self._flags.get(job):
            flags.dropped = True

    def frame(self, text: str, turn: Turn) -> bytes:
        """The encoded frame of a wish.

        Raises:
            RefusedError, RefusedTextError: it is not answered.
            Interrupted: it is given up.
        """
        wish = read(text)
        return wire.encode(self._labs.get(wish.lab, lesson.frame)(wish, turn), wish.have)

    def _do(
        self,
        job: int,
        flags: _Flags,
        work: str,
        text: str,
        deliver: Deliver,
        late: float,
        here: float,
    ) -> None:
        def report(share: float, seconds: float) -> None:
            text = f"{share:.0%} done, about {seconds:.0f} s left"
            deliver(Notice("progress", text, share), 0.0)

        def crowded() -> bool:
            return len(self._flags) > THREADS

        turn = LearnersTurn(
            self.turns,
            overtaken=lambda: flags.dropped,
            stopped=lambda: flags.stopped,
            on_progress=report,
            crowded=crowded,
            before=late,
            here=here,
        )
        begun = time.thread_time()
        try:
            if flags.stopped:  # while it waited for this thread
                raise Stopped
            reply: bytes | Notice = (
                self.frame(text, turn) if work == FRAME else api_answers.answer(work, text)
            )
        except RefusedTextError:
            reply = Notice("again")
        except RefusedError as error:
            reply = Notice("refused", str(error))
        except Overtaken:
            reply = GIVEN_UP
        except Stopped:
            reply = STOPPED
        except TooLongHere:
            reply = TOO_LONG_HERE
        except Busy:
            reply = _BUSY
        except TooLong as error:
            reply = Notice("refused", str(error))
        except BaseException:  # a mistake of ours, or a panic of a library in Rust: said, and kept
            logging.getLogger(__name__).exception("work could not be done")
            reply = MISTAKE
        finally:
            with self._lock:
                del self._flags[job]
            spent = time.thread_time() - begun
            if spent > HEAVY:
                self.tidy.note()
        deliver(reply, spent)
