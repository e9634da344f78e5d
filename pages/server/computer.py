"""A process that computes, started by ``computers``: work in, answers out.

Each line that comes in is JSON: ``{"job": 7, "work": "frame", "text": "…", "who": 3}``, or ``job``
with ``stop`` or ``drop``. A message that goes out has the job, 1 where it is the answer or 0 where
it is JSON of what is said instead. The first one, of job 0, says that everything is loaded.
"""

import json
import os
import sys
import threading
from contextlib import suppress
from typing import BinaryIO

from pages.server.child import HEAD, output
from pages.server.computing import Computing, Said
from pages.server.prepared import prepare


class Computer:
    """Takes work until its input ends.

    Args:
        came, out: where lines come from and answers go to.
    """

    def __init__(self, came: BinaryIO, out: BinaryIO) -> None:
        self._came, self._out = came, out
        self._computing = Computing()
        self._writing = threading.Lock()

    def run(self) -> None:
        """Until the input ends, which it does when the server is gone."""
        threading.Thread(target=self._computing.tidy.run, daemon=True).start()
        self._tell(0, Said("ready"))
        for line in self._came:
            one = json.loads(line)
            job = one["job"]
            if "stop" in one:
                self._computing.stop(job)
            elif "drop" in one:
                self._computing.drop(job)
            else:
                self._ask(job, one["work"], one["text"], one["who"])

    def _ask(self, job: int, work: str, text: str, who: int) -> None:
        self._computing.ask(job, work, text, lambda come: self._tell(job, come), who)

    def _tell(self, job: int, come: bytes | Said) -> None:
        answer = isinstance(come, bytes)
        content = come if isinstance(come, bytes) else json.dumps(come).encode()
        with self._writing:
            self._out.write(HEAD.pack(job, answer, len(content)) + content)
            self._out.flush()


def main() -> None:
    """Compute until the server ends."""
    out = output()
    prepare()
    with suppress(BrokenPipeError):  # the server ended meanwhile
        Computer(sys.stdin.buffer, out).run()
    os._exit(0)  # nobody waits for what is still computed


if __name__ == "__main__":
    main()
