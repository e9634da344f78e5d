"""A class on several processes behind nginx: `make load LEARNERS=200 REPLICAS=2`.

Each learner has a page and a lab, and moves a slider once a second. Then the same while a process
for pages and one for labs are killed, and while all are restarted one after the other. Nothing
leaves the machine; the learners, nginx and the app share it.
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
from tests.support.server import ROOT, START_SECONDS, Server, free_port, serve

LEARNERS = int(os.environ.get("LEARNERS", "200"))
REPLICAS = int(os.environ.get("REPLICAS", "2"))
SECONDS = 30
# Pass or miss; never loosened: p95 in ms, and seconds until every learner goes on.
P95_MS, BACK_S = 250, 5
Happens = Callable[[Server], Coroutine[None, None, None]]


@dataclass
class Scenario:
    """What happens to the processes meanwhile, and what came of it.

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
    """After a third of the time, kill one process of each kind, with its workers."""
    await asyncio.sleep(SECONDS / 3)
    for kind in ("pages", "labs"):
        os.killpg(replicas(server, kind)[0], signal.SIGKILL)


async def restarted(server: Server) -> None:
    """Restart all processes, one after the other; return when all are new."""
    await asyncio.sleep(SECONDS / 6)
    command = [streamlit_python(), "-m", "deploy.serve", "--restart"]
    command += ["--listen", server.url.removeprefix("http://")]
    done = await asyncio.create_subprocess_exec(*command, cwd=ROOT)
    if await done.wait():
        raise RuntimeError("the processes were not restarted")


def replicas(server: Server, kind: str = "") -> list[int]:
    """Return the app's processes of this kind, or all, in the order of their starts."""
    return children(server, f"pages.server\0--{kind}".encode())


def site(count: int, *more: str) -> tuple[list[str], int]:
    """Return the command that serves so many processes of each kind, and the port of the site."""
    port, first = free_port(), free_port()
    command = [streamlit_python(), "-m", "deploy.serve", "--first-port", str(first), *more]
    command += ["--replicas", str(count), "--labs", str(count)]
    return [*command, "--listen", f"127.0.0.1:{port}"], port


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


async def run(server: Server, scenario: Scenario, count: int) -> None:
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
    await asyncio.gather(scenario.happens(server), asyncio.sleep(SECONDS))
    over.set()
    await asyncio.gather(*moving)
    passed = time.perf_counter() - start
    scenario.cores = max(0.0, (cpu_of(server) - used) / passed)  # the killed one's went with it
    scenario.own = (time.process_time() - own) / passed
    await asyncio.gather(*(one.leave() for one in learners))


def cpu_of(server: Server) -> float:
    """Add up all processes of the app; nginx takes little."""
    return sum(cpu_seconds(Server(server.url, pid, server.log_file)) for pid in replicas(server))


def report(all_: list[Scenario], count: int) -> list[str]:
    head = (
        *("", "asked", "p50, ms", "p95, ms", "p99, ms", "asked again", "back after at most, s"),
        *("pages back after at most, s", "lost", "wrong", "forgot", "errors", "app, cores"),
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
        f"## {count} learners on {REPLICAS} processes for pages and {REPLICAS} for labs",
        "",
        "Through nginx, without browsers: from a released slider to its frame on the wire, one a "
        "second of each learner. In the first row no two set the same; in the others all opened "
        "one teacher's link, and a labs process sends what it has computed to all its learners. "
        "An interaction that a broken connection took is asked for again, as the page does.",
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
        Scenario("a process of each kind is killed", killed),
        Scenario("all are restarted in turn", restarted),
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
    """Wait until every process is ready."""
    until = time.monotonic() + START_SECONDS
    while "processes behind" not in server.log():
        if time.monotonic() > until:
            raise RuntimeError(f"not all processes are ready:\n{server.log()}")
        time.sleep(0.2)


if __name__ == "__main__":
    main()
