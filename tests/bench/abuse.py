"""What one abuser costs others, and whether memory returns: `make abuse`.

`python -m tests.bench.abuse NAME …` tries some of them.

For each attack a server of its own with five polite learners, each setting something once a second:
first alone, then beside the abuser, who is a process of its own. Then all leave.
"""

import asyncio
import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass, field

from tests.bench.attacks import ATTACKS
from tests.bench.learner import Heard, Learner
from tests.bench.load import every_second, in_words
from tests.bench.shared import app, percentile, surroundings, table, target
from tests.bench.usage import memory
from tests.support.server import Server

LESSONS = ("flip", "noise_leaks", "clip_identity", "straight_through", "several_inputs")
REST_SECONDS, IMPORTS, SECONDS, LEFT = 12, 5, 20, 30
# Pass or miss; never loosened: the polite learners' p95 in ms; how much more memory than idle 30 s
# after the last one left.
MOST_MS, BACK = 300, 1.2


@dataclass
class Row:
    """What an attack came to.

    Attributes:
        rest, beside: the polite learners alone, and beside the abuser.
        idle, peak, after: MB of the server and all that work for it.
        ended: how the abuser ended, where it did so before the row was over.
    """

    name: str
    rest: Heard = field(default_factory=Heard)
    beside: Heard = field(default_factory=Heard)
    idle: float = 0.0
    peak: float = 0.0
    after: float = 0.0
    ended: str = ""


async def polite(learners: list[Learner], heard: Heard, seconds: int) -> None:
    """Each sets something once a second, at a moment of its own."""
    start = time.perf_counter() + 0.2
    apart = random.Random(1)
    for learner in learners:
        learner.heard = heard
    await asyncio.gather(
        *(every_second(learner, start + apart.random(), seconds) for learner in learners)
    )


async def warm(server: Server) -> None:
    """Everything that a server starts and keeps is there: processes, threads, one of each frame."""
    crowd = [Learner(server.url, slug, Heard(), seed) for seed, slug in enumerate(LESSONS * 4)]
    await crowd[0].open_page()
    for learner in crowd:
        await learner.open_lab()
    for _ in range(20):
        for learner in crowd:
            learner.move()
        await asyncio.gather(*(learner.ask(live=False) for learner in crowd))
    await asyncio.sleep(8)  # those who train are started 10 s after the server
    await asyncio.gather(*(learner.close() for learner in crowd))
    await asyncio.sleep(3)


async def attacked(server: Server, row: Row) -> None:
    """One row of the table."""
    await warm(server)
    row.idle = memory(server)
    learners = [Learner(server.url, slug, row.rest) for slug in LESSONS]
    for learner in learners:
        await learner.open_page()
        await learner.open_lab()
    await polite(learners, Heard(), 3)
    await polite(learners, row.rest, REST_SECONDS)
    command = [sys.executable, "-m", "tests.bench.attacks", row.name, server.url]
    abuser = subprocess.Popen(command, env=os.environ | {"OMP_NUM_THREADS": "1"})
    watching = asyncio.create_task(watch(server, row))
    try:
        await asyncio.sleep(IMPORTS)
        await polite(learners, row.beside, SECONDS)
        if (code := abuser.poll()) is not None:
            row.ended = f"exit code {code}"
    finally:
        abuser.kill()
        abuser.wait()
        watching.cancel()
    await asyncio.gather(*(one.close() for one in learners))
    await asyncio.sleep(LEFT)
    row.after = memory(server)


async def watch(server: Server, row: Row) -> None:
    while True:
        row.peak = max(row.peak, await asyncio.to_thread(memory, server))
        await asyncio.sleep(0.5)


def report(rows: list[Row]) -> list[str]:
    head = ("abuser", "at rest p50 / p95, ms", "beside it p50 / p95, ms", "errors",
            "idle, MB", "at most, MB", "30 s after, MB")  # fmt: skip
    lines, verdicts = [], []
    for row in rows:
        rest, beside = (
            [percentile(heard.waits, at) for at in (50, 95)] for heard in (row.rest, row.beside)
        )
        errors = in_words(row.beside.errors)
        lines.append(
            (
                row.name,
                f"{rest[0]:.0f} / {rest[1]:.0f}",
                f"{beside[0]:.0f} / {beside[1]:.0f}",
                errors,
                *(f"{one:.0f}" for one in (row.idle, row.peak, row.after)),
            )
        )
        good = (
            beside[1] < MOST_MS
            and not row.beside.errors
            and row.after < BACK * row.idle
            and not row.ended
        )
        text = f"{row.name}: p95 {beside[1]:.0f} ms, errors: {errors}; "
        text += f"memory afterwards {row.after / row.idle:.2f} × idle"
        if row.ended:
            text += f"; the abuser was there for a part of it only, and ended with {row.ended}"
        verdicts.append(target(good, text))
    return [
        "## One abuser beside five polite learners",
        "",
        *table(head, lines),
        "",
        f"Targets (p95 under {MOST_MS} ms, no error, memory within {BACK:g} × idle):",
        "",
        *verdicts,
    ]


def main(names: list[str] | None = None) -> str:
    """The report, as Markdown; progress goes to stderr."""
    measured_on = surroundings("streamlit", "starlette", "uvicorn", "websockets", "torch")
    rows = [Row(name) for name in names or ATTACKS]
    for row in rows:
        print(row.name, file=sys.stderr)
        with app() as server:
            asyncio.run(attacked(server, row))
    done = "A server of its own for each row; abuser and learners are processes beside it."
    return "\n".join([*report(rows), "", measured_on(done, "")])


if __name__ == "__main__":
    print(main(sys.argv[1:]))
