"""Find the bug: a real mistake as code, the assertion that fails on it, and fixes to choose from.

It lies in ``bug.py`` beside the lesson and names a ``BUG``; the text of its step, with an option
for each fix, stands in the lesson's Markdown under ``<!-- bug: -->``. Nothing says which fix is
right: the assertion does, run on the fix that the learner chose.
"""

import inspect
import linecache
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from lessons.gradient_tricks.text.words import Texts

WORDS = Texts(__file__)

Code = Callable[..., Any]
"""The function with the mistake, or one of its fixes."""
C = TypeVar("C", bound=Code)


@dataclass(frozen=True)
class Bug:
    """One mistake that somebody really made.

    Args:
        source: the thread, as people cite it: ``pytorch/pytorch#48574``. If it isn't on GitHub,
            its address without ``https://``.
        title: of the thread, as it was read there.
        opened: the day it was opened, as 2019-03-05.
        broken: the function with the mistake. Learners read its name, so it's one of the field.
        fixes: by the key of its option in the text; each the whole code once more, ``changed``.
        check: the assertion, on any of these; raises AssertionError that says the result and
            the expected result.
    """

    source: str
    broken: Code
    fixes: Mapping[str, Code]
    check: Callable[[Code], None]
    title: str
    opened: str

    @property
    def url(self) -> str:
        """The thread's address. GitHub redirects an issue's address if it is a pull request."""
        repository, _, number = self.source.partition("#")
        path = f"github.com/{repository}/issues/{number}" if number else self.source
        return f"https://{path}"

    def failure(self, code: Code) -> str | None:
        """What the assertion or an error says of this code; nothing if the assertion holds."""
        try:
            self.check(code)
        except AssertionError as error:
            return str(error) or WORDS("assertion_failed")
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


def changed(code: C, parts: Mapping[str, str]) -> C:
    """Copy a function, with parts of its text replaced wherever they are.

    Args:
        code: a function of bug.py.
        parts: what a line has, and what it has instead. Further lines are indented as the first;
            a line of which nothing is left goes.

    Raises:
        ValueError: there is no such part.
    """
    lines = inspect.getsource(code).splitlines()
    for was, now in parts.items():
        if not any(was in line for line in lines):
            raise ValueError(f"{code.__module__}: no line of {code.__name__} has {was!r}")
        lines = [new for line in lines for new in _lines(line, was, now)]
    text = "\n".join(lines) + "\n"
    file = f"<{code.__module__}, {parts}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file  # for getsource
    names = dict(code.__globals__)
    exec(compile(text, file, "exec"), names)
    made: C = names[code.__name__]
    return made


def _lines(line: str, was: str, now: str) -> list[str]:
    if was not in line:
        return [line]
    start = line[: len(line) - len(line.lstrip())]
    new = line.replace(was, now.replace("\n", f"\n{start}"))
    return new.split("\n") if new.strip() else []
