"""Many learners at once, over the wire, without browsers: `make load LEARNERS=100`.

Each opens a lesson's page over Streamlit's own socket, which stays open, and its lab over the labs'
socket, and sets something once a second. Measured is the time from a wish to its frame on the wire.
Server and learners share the machine, the learners in one process, and nothing leaves it.
"""

import asyncio
import gc
import os
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, field

from lessons.chapters.stop_gradient.shared_noise.lab import MOST_DRAWS
from lessons.outputs.catalogue import lessons
from pages.server.site import MOST_FRAMES
from tests.bench.learner import Heard, Learner
from tests.bench.shared import app, percentile, surroundings, table, target
from tests.bench.usage import cpu_seconds, resident_memory
from tests.support.server import Server

LEARNERS = int(os.environ.get("LEARNERS", "100"))
CLASS, HOGS = 200, 10
SOCKETS, ROUNDS, FULL = 200, 8, 4  # after so many rounds the server keeps all frames that it may
SECONDS = 30  # of each scenario
REST = 0.25  # after a move, the hand rests
AT_ONCE = 10  # pages that are being opened
# Pass or miss; never loosened: p95 in ms of learners each in a lesson, of a class that opened one
# link, of one learner beside ten who ask for the most draws; and no error in any. MB by which the
# server grows while sockets come and go, once its store of frames is full.
EACH_MS, CLASS_MS, BESIDE_MS, GROWTH_MB = 150, 250, 300, 10
LINK = "step=2&noise_low=0.5&hide=draws&fix=noise_low"


@dataclass
class Scenario:
    """What is to happen, and what came of it.

    Attributes:
        growth: MB that the server has grown by, for each learner.
        cores: that the server computed on, its workers included.
        own: the same for the learners' process.
    """

    name: str
    count: int
    most_ms: float
    run: Callable[[Server, "Scenario"], Coroutine[None, None, None]]
    heard: Heard = field(default_factory=Heard)
    growth: float = 0.0
    cores: float = 0.0
    own: float = 0.0


async def arrive(learners: list[Learner], server: Server, scenario: Scenario) -> None:
    """Open all pages and labs, a few at a time; the first ones alone, to warm the server up."""
    room = asyncio.Semaphore(AT_ONCE)

    async def one(learner: Learner) -> None:
        async with room:
            await learner.open_page()
            await learner.open_lab()

    await one(learners[0])
    before = resident_memory(server)
    await asyncio.gather(*(one(learner) for learner in learners[1:]))
    scenario.growth = (resident_memory(server) - before) / max(1, len(learners) - 1)
    scenario.heard.waits.clear()
    gc.collect()
    gc.freeze()


async def every_second(learner: Learner, start: float, seconds: int = SECONDS) -> None:
    """Move a slider once a second, as a hand does, and let it rest."""
    for number in range(seconds):
        await asyncio.sleep(max(0.0, start + number - time.perf_counter()))
        learner.move()
        await learner.ask(live=True)
        await asyncio.sleep(max(0.0, start + number + REST - time.perf_counter()))
        await learner.rest()


async def measured(
    scenario: Scenario, server: Server, work: Iterable[Coroutine[None, None, None]]
) -> None:
    """Do all of it at once, and measure the CPU time of server and learners."""
    start, used, own = time.perf_counter(), cpu_seconds(server), time.process_time()
    await asyncio.gather(*work)
    passed = time.perf_counter() - start
    scenario.cores = (cpu_seconds(server) - used) / passed
    scenario.own = (time.process_time() - own) / passed


async def each(server: Server, scenario: Scenario) -> None:
    """Each learner in a lesson, spread over all that do not train, at moments of their own."""
    slugs = [one.slug for one in lessons() if one.lab.training is None]
    learners = [
        Learner(server.url, slugs[number % len(slugs)], scenario.heard, seed=number)
        for number in range(scenario.count)
    ]
    await arrive(learners, server, scenario)
    start = time.perf_counter() + 1
    apart = random.Random(0)
    work = (every_second(one, start + apart.random()) for one in learners)
    await measured(scenario, server, work)
    await asyncio.gather(*(one.close() for one in learners))


async def together(server: Server, scenario: Scenario) -> None:
    """A class that opened one teacher's link, and moves the same slider at the same moment."""
    learners = [
        Learner(server.url, "noise_leaks", scenario.heard, words=LINK)  # all with the same seed
        for _ in range(scenario.count)
    ]
    await arrive(learners, server, scenario)
    start = time.perf_counter() + 1
    work = (every_second(one, start) for one in learners)
    await measured(scenario, server, work)
    await asyncio.gather(*(one.close() for one in learners))


async def beside(server: Server, scenario: Scenario) -> None:
    """One learner, while others ask for the most draws without end."""
    one = Learner(server.url, "flip", scenario.heard)
    others = Heard()
    hogs = [Learner(server.url, "noise_leaks", others, seed=number) for number in range(HOGS)]
    await arrive([one], server, scenario)
    for number, hog in enumerate(hogs):
        await hog.open_lab()
        hog.form |= {"draws": str(MOST_DRAWS), "seed": str(number)}

    async def hold(hog: Learner, number: int) -> None:
        while True:
            await hog.ask(live=False)
            number += HOGS
            hog.form |= {"seed": str(number)}

    held = [asyncio.create_task(hold(hog, number)) for number, hog in enumerate(hogs)]
    await asyncio.sleep(1)
    work = [every_second(one, time.perf_counter())]
    await measured(scenario, server, work)
    for task in held:
        task.cancel()
    scenario.heard.errors += others.errors
    await asyncio.gather(*(learner.close() for learner in (one, *hogs)))


def scenarios() -> list[Scenario]:
    return [
        Scenario("each in a lesson", LEARNERS, EACH_MS, each),
        Scenario("a class with one link", CLASS, CLASS_MS, together),
        Scenario(f"one beside {HOGS} × the most draws", 1, BESIDE_MS, beside),
    ]


async def come_and_go(server: Server) -> list[float]:
    """The server's MB before, after the first sockets came and went, and after each more."""
    await Learner(server.url, "noise_leaks", Heard()).open_lab()
    found = [resident_memory(server)]
    for number in range(ROUNDS):
        learners = [
            Learner(server.url, "noise_leaks", Heard(), seed=SOCKETS * number + one)
            for one in range(SOCKETS)
        ]
        for one in learners:
            await one.open_lab()
            one.move()
        await asyncio.gather(*(one.ask(live=False) for one in learners))
        await asyncio.gather(*(one.close() for one in learners))
        await asyncio.sleep(1)
        found.append(resident_memory(server))
    return found


def in_words(errors: Counter[tuple[str, str]]) -> str:
    """What went wrong and how often; where, for those of which there is most."""
    kinds = Counter[str]()
    for (kind, _), count in errors.items():
        kinds[kind] += count
    text = ", ".join(f"{count} × {kind}" for kind, count in kinds.most_common())
    where = ", ".join(lesson for (_, lesson), _ in errors.most_common(3))
    return f"{text} ({where})" if text else "none"


def report(all_: list[Scenario], held: list[float]) -> list[str]:
    head = (
        *("", "learners", "frames", "p50, ms", "p95, ms", "p99, ms", "errors", "kB a frame"),
        *("page run p50, ms", "MB a learner", "server, cores", "learners, cores"),
    )
    rows, verdicts = [], []
    for one in all_:
        waits, errors = one.heard.waits, one.heard.errors
        p50, p95, p99 = (percentile(waits, at) for at in (50, 95, 99))
        failed = in_words(errors)
        rows.append(
            (
                *(one.name, str(one.count), f"{len(waits):,}"),
                *(f"{p50:.0f}", f"{p95:.0f}", f"{p99:.0f}", failed),
                f"{one.heard.bytes / len(waits) / 1000:.1f}",
                f"{statistics.median(one.heard.pages):.0f}",
                f"{one.growth:.2f}" if one.growth else "",
                *(f"{one.cores:.2f}", f"{one.own:.2f}"),
            )
        )
        good = p95 <= one.most_ms and not errors
        text = f"{one.name}: p95 {p95:.0f} ms (at most {one.most_ms:g}), errors: {failed}"
        verdicts.append(target(good, text))
    growth = held[-1] - held[FULL]
    text = f"{growth:+.1f} MB while {SOCKETS} more came and went {ROUNDS - FULL} times"
    return [
        "## Many learners",
        "",
        "From a wish to its frame on the wire, without browsers; each sets something once a second "
        f"for {SECONDS} s, no two the same unless they share a link:",
        "",
        *table(head, rows),
        "",
        f"{SOCKETS} labs opened, moved and closed, {ROUNDS} times. The server's memory before and "
        f"after each: {', '.join(f'{one:.0f}' for one in held)} MB. It keeps up to "
        f"{MOST_FRAMES} frames.",
        "",
        "Targets:",
        "",
        *verdicts,
        target(growth <= GROWTH_MB, f"{text} (at most {GROWTH_MB})"),
    ]


def main() -> str:
    """The report, as Markdown; progress goes to stderr."""
    measured_on = surroundings("streamlit", "starlette", "uvicorn", "websockets", "torch")
    all_ = scenarios()
    for one in all_:
        print(f"{one.count} learners: {one.name}", file=sys.stderr)
        with app() as server:
            asyncio.run(one.run(server, one))
    print(f"{ROUNDS} × {SOCKETS} sockets", file=sys.stderr)
    with app() as server:
        held = asyncio.run(come_and_go(server))
    done = "A server of its own for each row; its learners are one process on the same machine."
    return "\n".join([*report(all_, held), "", measured_on(done, "")])


if __name__ == "__main__":
    print(main())
