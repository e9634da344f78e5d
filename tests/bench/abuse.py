"""What one abuser costs others, and whether memory returns: `make abuse`.

`python -m tests.bench.abuse NAME …` tries some of them; with ``BESIDE=…`` on another checkout.

For each attack a server of its own with five polite learners, each setting something once a second:
first alone, then beside the abuser, who is a process of its own. Then all leave.
"""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.bench.attacks import ATTACKS
from tests.bench.learner import Heard, Learner, arrive, move_until
from tests.bench.shared import BESIDE, app, percentile, surroundings, table, target
from tests.support.server import ROOT, Server
from tests.support.usage import memory

LESSONS = ("flip", "noise_leaks", "clip_identity", "straight_through", "several_inputs")
WARM_UP, REST_SECONDS, IMPORTS, SECONDS, LEFT = 20, 12, 5, 20, 60
# Pass or miss; never loosened: the polite learners' p95 in ms; how much more memory than idle a
# minute after the last one left.
MOST_MS, BACK = 300, 1.2
ABUSER = {"OMP_NUM_THREADS": "1", "FROM": "127.0.0.2"}
"""The abuser's environment: another visitor than the learners."""


@dataclass
class Row:
    """What was measured of an attack.

    Attributes:
        rest, beside: the polite learners alone, and beside the abuser.
        idle, peak, after: MB of the server and all that work for it.
    """

    name: str
    rest: Heard = field(default_factory=Heard)
    beside: Heard = field(default_factory=Heard)
    idle: float = 0.0
    peak: float = 0.0
    after: float = 0.0


@contextmanager
def abuser(heard: Heard, command: Sequence[str]) -> Iterator[None]:
    """Run an abuser until the block ends; one that ends before is an error."""
    process = subprocess.Popen(command, env=os.environ | ABUSER)
    try:
        yield
        if (code := process.poll()) is not None:
            heard.errors[f"abuser gone, exit code {code}", ""] += 1
    finally:
        process.kill()
        process.wait()


async def attacked(server: Server, row: Row) -> None:
    """Fill in one row of the table."""
    # Everything that a server starts and keeps must be there: processes, threads, enough frames.
    crowd = [Learner(server.url, slug, Heard(), seed) for seed, slug in enumerate(LESSONS * 4)]
    await arrive(crowd)
    await move_until(asyncio.sleep(WARM_UP), crowd)
    await asyncio.gather(*(learner.close() for learner in crowd))
    await asyncio.sleep(3)
    row.idle = memory(server.pid)
    learners = [Learner(server.url, slug, row.rest) for slug in LESSONS]
    await arrive(learners)
    row.rest.waits.clear()
    await move_until(asyncio.sleep(REST_SECONDS), learners)
    command = [sys.executable, "-m", "tests.bench.attacks", row.name, server.url]
    with abuser(row.beside, command):
        await asyncio.sleep(IMPORTS)
        for learner in learners:
            learner.heard = row.beside
        await move_until(watch(server, row), learners)
    await asyncio.gather(*(learner.close() for learner in learners))
    await asyncio.sleep(LEFT)
    row.after = memory(server.pid)


async def watch(server: Server, row: Row) -> None:
    for _ in range(SECONDS):
        row.peak = max(row.peak, await asyncio.to_thread(memory, server.pid))
        await asyncio.sleep(1)


def report(all_: list[Row]) -> list[str]:
    rows, verdicts = [], []
    for row in all_:
        rest, beside = (
            [percentile(heard.waits, at) for at in (50, 95)] for heard in (row.rest, row.beside)
        )
        rows.append({
            "abuser": row.name,
            "at rest p50 / p95, ms": f"{rest[0]:.0f} / {rest[1]:.0f}",
            "beside it p50 / p95, ms": f"{beside[0]:.0f} / {beside[1]:.0f}",
            "errors": row.beside,
            "idle, MB": f"{row.idle:.0f}",
            "at most, MB": f"{row.peak:.0f}",
            f"{LEFT} s after, MB": f"{row.after:.0f}",
        })  # fmt: skip
        good = str(row.beside) == "none" and beside[1] < MOST_MS and row.after < BACK * row.idle
        text = f"{row.name}: p95 {beside[1]:.0f} ms, errors: {row.beside}; "
        verdicts.append(target(good, f"{text}memory afterwards {row.after / row.idle:.2f} × idle"))
    bounds = f"p95 under {MOST_MS} ms, no error, memory within {BACK:g} × idle"
    title = "## One abuser beside five polite learners"
    return [title, "", *table(rows), "", f"Targets ({bounds}):", "", *verdicts]


def main(names: Sequence[str] = ()) -> str:
    """The report, as Markdown; progress goes to stderr."""
    measured_on = surroundings("streamlit", "starlette", "uvicorn", "websockets", "torch")
    rows = [Row(name) for name in names or ATTACKS]
    for row in rows:
        print(row.name, file=sys.stderr)
        with app(BESIDE or ROOT) as server:
            asyncio.run(attacked(server, row))
    done = "A server of its own for each row; abuser and learners are processes beside it."
    return "\n".join([*report(rows), "", measured_on(done, "")])


if __name__ == "__main__":
    print(main(sys.argv[1:]))
