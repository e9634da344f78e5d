"""A class on several replicas behind nginx: `make load LEARNERS=200 REPLICAS=2`.

Each learner has a page and a lab, and moves a slider once a second. Then the same while one replica
is killed, and while all are restarted one after the other. Nothing leaves the machine; learners,
nginx and replicas share it.
"""

import asyncio
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field

from lessons.outputs.catalogue import lessons
from tests.bench.lasting import Lasted, Lasting
from tests.bench.load import AT_ONCE, LINK, in_words
from tests.bench.shared import percentile, streamlit_python, surroundings, table, target
from tests.bench.usage import children, cpu_seconds
from tests.support.server import START_SECONDS, Server, free_port, serve

LEARNERS = int(os.environ.get("LEARNERS", "200"))
REPLICAS = int(os.environ.get("REPLICAS", "2"))
SECONDS = 30
# Pass or miss; never loosened: p95 in ms, and seconds until every learner goes on.
P95_MS, BACK_S = 250, 5
Happens = Callable[[Server], Coroutine[None, None, None]]


@dataclass
class Scenario:
    """What happens to the replicas meanwhile, and what came of it.

    ``link``: all opened one teacher's link, and set the same; else they are spread over lessons,
    and no two set the same.
    """

    name: str
    happens: Happens
    link: bool = True
    heard: Lasted = field(default_factory=Lasted)
    cores: float = 0.0
    own: float = 0.0


async def nothing(server: Server) -> None:
    """All is well."""


async def killed(server: Server) -> None:
    """After a third of the time one replica is gone from one moment to the next."""
    await asyncio.sleep(SECONDS / 3)
    os.killpg(replicas(server)[0], signal.SIGKILL)  # with those that compute and train for it


async def rolled(server: Server) -> None:
    """All replicas are replaced, one after the other; back when all are new."""
    await asyncio.sleep(SECONDS / 6)
    os.kill(server.pid, signal.SIGHUP)
    until = time.monotonic() + 300
    while "all replicas restarted" not in server.log() and time.monotonic() < until:
        await asyncio.sleep(0.5)


def replicas(server: Server) -> list[int]:
    """The processes of the replicas, in the order of their starts."""
    return children(server, b"pages.server")


def site(count: int) -> tuple[list[str], int]:
    """The command that serves so many replicas, and the port of the site."""
    port, first = free_port(), free_port()
    command = [streamlit_python(), "-m", "deploy.serve", "--replicas", str(count)]
    return [*command, "--listen", f"127.0.0.1:{port}", "--first-port", str(first)], port


async def crowd(server: Server, count: int, heard: Lasted, link: bool) -> list[Lasting]:
    """So many learners who have come, in lessons that do not train."""
    slugs = [one.slug for one in lessons() if one.lab.training is None]
    learners = [
        Lasting(server.url, "noise_leaks", heard, words=LINK)
        if link
        else Lasting(server.url, slugs[number % len(slugs)], heard, seed=number)
        for number in range(count)
    ]
    room = asyncio.Semaphore(AT_ONCE)

    async def arrive(learner: Lasting) -> None:
        async with room:
            await learner.open_page()
            await learner.open_lab()
            await learner.stay()
        learner.plan(SECONDS)

    await asyncio.gather(*(arrive(one) for one in learners))
    heard.waits.clear()
    return learners


async def run(server: Server, scenario: Scenario, count: int, seconds: float = SECONDS) -> None:
    """Let them move a slider once a second until it is over."""
    learners = await crowd(server, count, scenario.heard, scenario.link)
    over = asyncio.Event()
    apart = random.Random(0)

    async def moves(learner: Lasting) -> None:
        await asyncio.sleep(apart.random())
        while not over.is_set():
            begun = time.perf_counter()
            await learner.interact()
            await asyncio.sleep(max(0.0, begun + 1 - time.perf_counter()))

    start, used, own = time.perf_counter(), cpu_of(server), time.process_time()
    moving = [asyncio.create_task(moves(one)) for one in learners]
    await asyncio.gather(scenario.happens(server), asyncio.sleep(seconds))
    over.set()
    await asyncio.gather(*moving)
    passed = time.perf_counter() - start
    scenario.cores = max(0.0, (cpu_of(server) - used) / passed)  # the killed one's went with it
    scenario.own = (time.process_time() - own) / passed
    await asyncio.gather(*(one.leave() for one in learners))


def cpu_of(server: Server) -> float:
    """Of all replicas; nginx takes little."""
    return sum(cpu_seconds(Server(server.url, pid, server.log_file)) for pid in replicas(server))


def report(all_: list[Scenario], count: int) -> list[str]:
    head = (
        *("", "asked", "p50, ms", "p95, ms", "p99, ms", "asked again", "back after at most, s"),
        *("pages back after at most, s", "lost", "wrong", "forgot", "errors", "replicas, cores"),
        "learners, cores",
    )
    rows, verdicts = [], []
    for one in all_:
        heard = one.heard
        p50, p95, p99 = (percentile(heard.waits, at) for at in (50, 95, 99))
        errors = in_words(heard.errors)
        away, pages = max(heard.away, default=0.0), max(heard.pages_away, default=0.0)
        rows.append(
            (
                *(one.name, f"{heard.asked:,}", f"{p50:.0f}", f"{p95:.0f}", f"{p99:.0f}"),
                *(f"{heard.again}", f"{away:.1f}", f"{pages:.1f}", f"{heard.lost}"),
                *(f"{heard.wrong}", f"{heard.forgot}", errors, f"{one.cores:.2f}"),
                f"{one.own:.2f}",
            )
        )
        right = not (heard.lost or heard.wrong or heard.forgot or heard.errors)
        said = f"{one.name}: {heard.lost} lost, {heard.wrong} wrong, {heard.forgot} forgot"
        verdicts.append(target(right, f"{said}, errors: {errors}"))
        if one.happens is nothing:
            verdicts.append(
                target(p95 <= P95_MS, f"{one.name}: p95 {p95:.0f} ms (at most {P95_MS})")
            )
        else:
            text = f"{one.name}: every lab went on after {away:.1f} s, every page after {pages:.1f}"
            verdicts.append(target(max(away, pages) <= BACK_S, f"{text} (at most {BACK_S})"))
    return [
        f"## {count} learners on {REPLICAS} replicas",
        "",
        "Through nginx, without browsers: from a released slider to its frame on the wire, one a "
        "second of each learner. In the first row no two set the same; in the others all opened "
        "one teacher's link, and what one replica has computed it sends to all its learners. An "
        "interaction that a broken connection took is asked for again, as the page does.",
        "",
        *table(head, rows),
        "",
        "Targets:",
        "",
        *verdicts,
    ]


def main() -> str:
    """The report, as Markdown; progress goes to stderr."""
    measured_on = surroundings("streamlit", "starlette", "uvicorn", "websockets", "torch")
    all_ = [
        Scenario("each in a lesson of their own", nothing, link=False),
        Scenario("a class with one link", nothing),
        Scenario("one replica is killed", killed),
        Scenario("all are restarted in turn", rolled),
    ]
    command, port = site(REPLICAS)
    for one in all_:
        print(f"{LEARNERS} learners: {one.name}", file=sys.stderr)
        with serve(command, port, "/readyz") as server:
            wait_for_all(server)
            asyncio.run(run(server, one, LEARNERS))
    done = "A site of its own for each row; its learners are one process on the same machine."
    return "\n".join([*report(all_, LEARNERS), "", measured_on(done, "")])


def wait_for_all(server: Server) -> None:
    """Until every replica takes learners."""
    until = time.monotonic() + START_SECONDS
    while "replicas behind" not in server.log():
        if time.monotonic() > until:
            raise RuntimeError(f"not all replicas came:\n{server.log()}")
        time.sleep(0.2)


if __name__ == "__main__":
    main()
