"""What is said between the server and the processes that compute for it."""

import json
from collections.abc import Callable
from typing import NamedTuple

from pages.server.child import HEAD

FRAME = "frame"
"""The work that a wish asks for; the others are those of ``api_answers``."""


class Notice(NamedTuple):
    """What is said instead of an answer, or before it.

    Attributes:
        kind: as ``pages.labs.messages.Aside`` has it.
        share: of the work that is done, for progress.
    """

    kind: str
    text: str = ""
    share: float = 0.0

    @property
    def last(self) -> bool:
        """Whether nothing else follows."""
        return self.kind != "progress"


RESTARTED = "restarted"
"""Of a notice to no job: a process of this kind, its text, was started again."""
Deliver = Callable[[bytes | Notice, float], None]
"""Takes the answer, and the seconds that it took to compute; before it what is said meanwhile, with
0 seconds. From any thread."""


def told(answer: bool, spent: float) -> int:
    """Whether it is an answer, and the seconds that were computed for it, as one number."""
    return round(spent * 1e6) << 1 | answer


def message(job: int, reply: bytes | Notice, spent: float = 0.0) -> bytes:
    """A process's reply to a job, as ``Child`` reads it."""
    content = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
    return HEAD.pack(job, told(isinstance(reply, bytes), spent), len(content)) + content


def heard(kind: int) -> tuple[bool, float]:
    """The same, read again."""
    return bool(kind & 1), (kind >> 1) / 1e6


GIVEN_UP = Notice("given up")
"""Something newer is wanted, or nobody is there any more: nothing is to be said."""
TOO_LONG_HERE = Notice("too long here")
"""It takes longer than work may take in this process: another is to do it."""
MISTAKE = Notice("refused", "Something went wrong on the server. Change a setting to go on.")
LOST = Notice("lost", MISTAKE.text)
"""The process has ended that was at it."""
STOPPED = Notice(
    "stopped",
    "Stopped: the picture is the last one that was finished. Change a setting to go on.",
)
