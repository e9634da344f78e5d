"""Find the bug: a real mistake as code, the assertion that fails on it, and fixes to choose from.

It lies in ``bug.py`` beside the lesson and names a ``BUG``; the text of its step, with an option
for each fix, stands in the lesson's Markdown under ``<!-- bug: -->``. Nothing says which fix is
right: the assertion does, run on the fix that the learner chose.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Bug:
    """One mistake that somebody really made.

    Args:
        source: where, as people cite it: ``pytorch/pytorch#48574``.
        url: the same as an address.
        title: of the thread, as it was read there.
        opened: the day it was opened, as 2019-03-05.
        broken: the code with the mistake.
        fixes: by the key of its option in the text; each the whole code once more, changed.
        check: the assertion, on any of these; raises AssertionError that says what came and what
            was expected.
    """

    source: str
    url: str
    broken: Callable[..., Any]
    fixes: Mapping[str, Callable[..., Any]]
    check: Callable[[Callable[..., Any]], None]
    title: str
    opened: str

    def failure(self, code: Callable[..., Any]) -> str | None:
        """What the assertion or an error says of this code; nothing if the assertion holds."""
        try:
            self.check(code)
        except AssertionError as error:
            return str(error) or "the assertion failed"
        except Exception as error:  # a wrong fix may well raise; the learner is to see what
            return f"{type(error).__name__}: {error}"
        return None

    def right(self) -> str:
        """The key of the first fix that the assertion lets pass.

        Raises:
            ValueError: no fix passes.
        """
        for key, fix in self.fixes.items():
            if self.failure(fix) is None:
                return key
        raise ValueError(f"no fix for {self.source} passes its own assertion")
