"""What the benchmarks share: the app's server, what a learner who may see everything has answered,
and how a report is written.
"""

import datetime
import importlib.metadata
import os
import platform
import statistics
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from lessons.contract.lesson import Lesson
from lessons.outputs.typed import Typed
from lessons.prose.steps import Question
from pages.ui import memory
from tests.support.server import ROOT, Server, free_port, serve

BESIDE = os.environ.get("BESIDE", "")
"""The checkout of another commit, to measure in the same run, with its own environment if it has
one."""


def app(root: Path | str = ROOT) -> AbstractContextManager[Server]:
    """The app of this checkout, or of the one in that folder, on a port of its own."""
    folder, port = Path(root).resolve(), free_port()
    command = [streamlit_python(folder), "-m", "pages.server", f"--server.port={port}"]
    return serve(command, port, "/readyz", folder)


def streamlit_python(root: Path = ROOT) -> str:
    """The app's own environment where there is one: without what the peers bring along."""
    places = (folder / ".venv" / "bin" / "python" for folder in (root, ROOT))
    return next((str(one) for one in places if one.exists()), sys.executable)


def everything_answered(lesson: Lesson) -> tuple[str, str]:
    """The app's memory of a learner who has answered all, so that no curve is covered."""
    trail = memory.Trail(step=len(lesson.prose.steps), done=True)
    for question in lesson.prose.questions:
        trail.commit(question, _an_answer(lesson, question), right=True)
    return memory.COOKIE, memory.pack({lesson.slug: trail}, {})


def _an_answer(lesson: Lesson, question: Question) -> str:
    key = question.options[0].key
    if question.kind == "number":
        return str(Typed(0.0, key, 0.0))
    if question.kind == "sketch":
        return "0" * len(lesson.sketches[question.name].x)
    return key


def percentile(values: Sequence[float], percent: int) -> float:
    if len(values) == 1:
        return values[0]
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def milliseconds(values: Sequence[float], *percents: int) -> dict[str, str]:
    """Cells of a table."""
    return {f"p{at}, ms": f"{percentile(values, at):.0f}" for at in percents}


def table(rows: Iterable[Mapping[str, object]]) -> list[str]:
    """A table in Markdown, of cells by the heads of their columns."""
    first, *others = rows
    lines = (f"| {' | '.join(map(str, row.values()))} |" for row in (first, *others))
    return [f"| {' | '.join(first)} |", "|---" * len(first) + "|", *lines]


def target(reached: bool, text: str) -> str:
    """A line of a report."""
    return f"- {'PASS' if reached else 'MISS'}: {text}"


def surroundings(*packages: str) -> Callable[[str, str], str]:
    """Describe the machine, with the versions of these packages, before a benchmark.

    Returns:
        A function to call at the end, with what was done and the version of the browser, if any.
    """
    before = os.getloadavg()[0]

    def text(done: str, browser: str = "") -> str:
        versions = [f"Python {platform.python_version()}"]
        versions += [f"{name} {importlib.metadata.version(name)}" for name in packages]
        versions += [f"Chromium {browser}"] if browser else []
        load = f"load {before:.1f} before, {os.getloadavg()[0]:.1f} after"
        return (
            f"{datetime.date.today()}: {os.cpu_count()} cores ({load}), {', '.join(versions)}. "
            f"{done}"
        )

    return text
