"""Throws random and hostile documents at the playground: ``python -m tests.playground.fuzz``.

Each must give numbers or a `PlaygroundError` with a message, within its time, and run no Python:
an audit hook watches for exec, imports, files and processes while the playground works. The only
thing it may do is what `ast.parse` does.
"""

import ast
import random
import sys
import threading

from lessons.playground.document.as_text import from_text, packed, to_text, unpacked
from lessons.playground.document.check import check
from lessons.playground.document.contents import Document
from lessons.playground.document.presets import presets
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.running.outcome import Outcome, run
from lessons.playground.running.recorded import edges, snip
from tests.playground.programs import mutated, wild
from tests.support.fuzzing import fuzz

DOCUMENT_SECONDS = 4.0
"""Seconds of this thread's own work that one document may take; the playground's bound is 3."""


class Watch:
    """Notes what Python does in this thread while armed."""

    def __init__(self) -> None:
        self.armed = False
        self.seen: list[str] = []
        self._thread = threading.get_ident()
        sys.addaudithook(self._hook)

    def _hook(self, event: str, given: tuple[object, ...]) -> None:
        if not self.armed or threading.get_ident() != self._thread:
            return
        # ast.parse makes no code of what it reads: it calls its file <unknown>.
        if event == "compile" and given[1] == "<unknown>":
            return
        # To show a line in its SyntaxError, Python itself looks for that file.
        if event == "open" and given[0] == "<unknown>":
            return
        watched = ("exec", "compile", "import", "open", "os.", "subprocess", "socket", "ctypes",
                   "shutil", "pty", "marshal", "code.", "builtins.input", "pickle")  # fmt: skip
        if event.startswith(watched):
            self.seen.append(f"{event} {given!r}"[:200])


def one(random_: random.Random, place: int) -> str:
    """Run one document in one of the ways a page would; what came of it, in a word."""
    document = wild(random_)
    try:
        outcome = worked(document, random_, place % 10)
    except PlaygroundError as error:
        refusal = error
    else:
        assert outcome.values, "numbers of nothing"
        return "ran"
    assert refusal.message.strip(), "an empty message"
    assert str(refusal).isprintable(), f"a message that cannot be shown: {refusal!r}"
    assert refusal.line >= 0 <= refusal.column
    return "refused"


def worked(document: Document, random_: random.Random, way: int) -> Outcome:
    if way == 7:
        text = mutated(random_, to_text(random_.choice(presets()).document), 3)
        document = from_text(text)
    elif way == 8:
        address = packed(to_text(random_.choice(presets()).document))
        address = mutated(random_, address, 1) if random_.random() < 0.7 else address
        document = from_text(unpacked(address))
    outcome = run(document, curves=way == 1)
    if way in (7, 8, 9):
        text = to_text(document)
        ast.parse(text)
        assert to_text(from_text(text)) == text, "a text that is not read back as it is"
        there = list(edges(check(document).program))
        if there:
            run(snip(document, random_.choice(there)), curves=False)
    return outcome


def main() -> int:
    for preset in presets():  # so that what torch imports late is there
        run(preset.document)
        to_text(preset.document)
    watch = Watch()

    def watched(random_: random.Random, place: int) -> list[str]:
        watch.seen.clear()
        watch.armed = True
        try:
            came = one(random_, place)
        finally:
            watch.armed = False
        assert not watch.seen, watch.seen
        return [came]

    return fuzz(watched, DOCUMENT_SECONDS, __doc__ or "")


if __name__ == "__main__":
    sys.exit(main())
