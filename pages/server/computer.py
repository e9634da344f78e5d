"""A process that computes, started by ``computers``: work in, answers out.

Each line that comes in is JSON: ``{"job": 7, "work": "frame", "text": "…", "late": 0.2,
"here": null}``, or ``job`` with ``stop`` or ``drop``. A message that goes out has the job and what
``told`` makes of it; what is no answer is JSON of a ``Notice``. The first one, of job 0, says that
everything is loaded.
"""

import json
import math
import os
import sys
import threading
from typing import BinaryIO

from pages.server import log
from pages.server.child import output, say
from pages.server.computing import Computing
from pages.server.notice import Notice, message
from pages.server.prepared import prepare


class Computer:
    """Takes work until its input ends.

    Args:
        lines, out: where lines come from and answers go to.
    """

    def __init__(self, lines: BinaryIO, out: BinaryIO) -> None:
        self._lines, self._out = lines, out
        self._computing = Computing()
        self._writing = threading.Lock()

    def run(self) -> None:
        """Until the input ends, which it does when the server is gone."""
        threading.Thread(target=self._computing.tidy.run, daemon=True).start()
        self._send(0, Notice("ready"))
        for line in self._lines:
            asked = json.loads(line)
            job = asked["job"]
            if "stop" in asked:
                self._computing.stop(job)
            elif "drop" in asked:
                self._computing.drop(job)
            else:
                self._ask(job, asked["work"], asked["text"], asked["late"], asked["here"])

    def _ask(self, job: int, work: str, text: str, late: float, here: float | None) -> None:
        def deliver(reply: bytes | Notice, spent: float) -> None:
            self._send(job, reply, spent)

        self._computing.ask(job, work, text, deliver, late, math.inf if here is None else here)

    def _send(self, job: int, reply: bytes | Notice, spent: float = 0.0) -> None:
        with self._writing:
            say(self._out, message(job, reply, spent))


def main() -> None:
    """Compute until the server ends."""
    out = output()
    prepare()
    log.set_up()
    Computer(sys.stdin.buffer, out).run()
    os._exit(0)  # nobody waits for what is still computed


if __name__ == "__main__":
    main()
