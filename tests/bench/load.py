"""Many learners at once, over the wire, without browsers: `make load LEARNERS=100`.

Each opens a lesson's page over Streamlit's own socket, which stays open, and its lab over the labs'
socket, and sets something once a second. Measured is the time from a wish to its frame on the wire.
Server and learners share the machine, the learners in one process, and nothing leaves it.
"""

import asyncio
import gc
import itertools
import os
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field

from lessons.chapters.stop_gradient.shared_noise.lab import MOST_DRAWS
from lessons.outputs.catalogue import lessons
from tests.bench.learner import Heard, Learner, arrive, move_until
from tests.bench.shared import app, milliseconds, percentile, surroundings, table, target
from tests.support.server import Server
from tests.support.usage import cpu_seconds

LEARNERS = int(os.environ.get("LEARNERS", "100"))
CLASS, HOGS = 200, 10
SECONDS = 30  # of each scenario
# Pass or miss; never loosened: p95 in ms of learners each in a lesson, of a class that opened one
# link, of one learner beside ten who ask for the most draws; and no error in any.
EACH_MS, CLASS_MS, BESIDE_MS = 150, 250, 300
LINK = "step=2&noise_low=0.5&hide=draws&fix=noise_low"


async def nothing(server: Server, heard: Heard) -> None:
    """Leave the server alone."""


@dataclass
class Scenario:
    """What happens in one row of the table, and what was measured.

    Attributes:
        link: all opened one teacher's link, and set the same at the same moment; else they are
            spread over the lessons that do not train, and no two set the same.
        most_ms: the bound of the p95, where no connection breaks.
        happens: what is done to the server meanwhile.
        most_away: seconds in which every learner goes on, where connections break.
        cores, own: how many cores the server and the learners' process used.
    """

    name: str
    count: int
    link: bool = False
    most_ms: float = 0.0
    happens: Callable[[Server, Heard], Awaitable[None]] = nothing
    most_away: float = 0.0
    heard: Heard = field(default_factory=Heard)
    cores: float = 0.0
    own: float = 0.0


async def run(server: Server, one: Scenario) -> None:
    """Let the learners come, move a slider once a second until it is over, and leave."""
    slugs = [lesson.slug for lesson in lessons() if lesson.lab.training is None]
    learners = [
        Learner(server.url, "noise_leaks", one.heard, words=LINK)
        if one.link
        else Learner(server.url, slugs[number % len(slugs)], one.heard, seed=number)
        for number in range(one.count)
    ]
    await arrive(learners[:1])  # alone, to warm the server up
    await arrive(learners[1:])
    one.heard.waits.clear()
    gc.collect()
    gc.freeze()
    start, used, own = time.perf_counter(), cpu_seconds(server.pid), time.process_time()
    meanwhile = asyncio.gather(one.happens(server, one.heard), asyncio.sleep(SECONDS))
    await move_until(meanwhile, learners, together=one.link)
    passed = time.perf_counter() - start
    # A process that is killed takes its CPU time out of the sum.
    one.cores = max(0.0, cpu_seconds(server.pid) - used) / passed
    one.own = (time.process_time() - own) / passed
    await asyncio.gather(*(learner.close() for learner in learners))


async def hogs(server: Server, heard: Heard) -> None:
    """Let others ask for the most draws, without a pause."""
    others = Heard(away=heard.away, errors=heard.errors)

    async def hog(first: int) -> None:
        one = Learner(server.url, "noise_leaks", others)
        for seed in itertools.count(first, HOGS):
            one.form = one.form | {"draws": str(MOST_DRAWS), "seed": str(seed)}
            await one.ask()

    with suppress(TimeoutError):
        async with asyncio.timeout(SECONDS):
            await asyncio.gather(*(hog(number) for number in range(HOGS)))


def report(title: str, about: str, all_: Sequence[Scenario]) -> list[str]:
    rows, verdicts = [], []
    for one in all_:
        heard, p95 = one.heard, percentile(one.heard.waits, 95)
        labs, pages = (max(times, default=0.0) for times in (heard.away, heard.pages_away))
        rows.append({
            "": one.name,
            "learners": one.count,
            "frames": f"{len(heard.waits):,}",
            **milliseconds(heard.waits, 50, 95, 99),
            "errors": heard,
            "labs back after at most, s": f"{labs:.1f}",
            "pages back": f"{pages:.1f}",
            "kB a frame": f"{heard.bytes / len(heard.waits) / 1000:.1f}",
            "page run p50, ms": f"{statistics.median(heard.pages):.0f}",
            "server, cores": f"{one.cores:.2f}",
            "learners, cores": f"{one.own:.2f}",
        })  # fmt: skip
        if one.most_away:
            away = max(labs, pages)
            good = away <= one.most_away and not heard.errors
            text = f"every lab and page went on after {away:.1f} s (at most {one.most_away:g})"
        else:
            good = p95 <= one.most_ms and str(heard) == "none"
            text = f"p95 {p95:.0f} ms (at most {one.most_ms:g})"
        verdicts.append(target(good, f"{one.name}: {text}, errors: {heard}"))
    return [f"## {title}", "", about, "", *table(rows), "", "Targets:", "", *verdicts, ""]


def measured(
    title: str,
    about: str,
    all_: Sequence[Scenario],
    start: Callable[[], AbstractContextManager[Server]],
) -> str:
    """The report, as Markdown; progress goes to stderr."""
    measured_on = surroundings("streamlit", "starlette", "uvicorn", "websockets", "torch")
    for one in all_:
        print(f"{one.count} learners: {one.name}", file=sys.stderr)
        with start() as server:
            asyncio.run(run(server, one))
    done = "A server of its own for each row; its learners are one process on the same machine."
    return "\n".join([*report(title, about, all_), measured_on(done, "")])


def main() -> str:
    about = (
        "From a wish to its frame on the wire, without browsers; each sets something once a second "
        f"for {SECONDS} s, no two the same unless they share a link:"
    )
    all_ = [
        Scenario("each in a lesson", LEARNERS, most_ms=EACH_MS),
        Scenario("a class with one link", CLASS, link=True, most_ms=CLASS_MS),
        Scenario(f"one beside {HOGS} × the most draws", 1, most_ms=BESIDE_MS, happens=hogs),
    ]
    return measured("Many learners", about, all_, app)
