"""How many learners so many processes serve: `python -m tests.bench grow`.

More and more learners, each moving a slider once a second, until the 95th percentile of the time to
a frame is above what a class is promised; behind nginx, for one process of each kind and for two.
"""

import asyncio
import sys
from dataclasses import dataclass

from tests.bench.replicas import (
    P95_MS,
    Scenario,
    nothing,
    replicas,
    run,
    site,
    wait_for_all,
)
from tests.bench.shared import percentile, surroundings, table
from tests.bench.usage import memory
from tests.support.server import Server, serve

STEPS = (25, 50, 100, 150, 200, 250, 300, 400)
SECONDS = 12


@dataclass
class Point:
    """So many learners, and how it went: ms, cores of the app and of the learners, MB."""

    learners: int
    p50: float
    p95: float
    cores: float
    own: float
    megabytes: float


def held(server: Server) -> float:
    """Return the MB of all processes of the app, with their workers."""
    return sum(memory(Server(server.url, pid, server.log_file)) for pid in replicas(server))


def measured(count: int) -> tuple[float, list[Point]]:
    """Return the MB of so many of each kind at rest, and points until it is too slow."""
    points: list[Point] = []
    command, port = site(count)
    with serve(command, port, "/readyz") as server:
        wait_for_all(server)
        rest = held(server)
        for learners in STEPS:
            one = Scenario("", nothing, link=False)
            asyncio.run(run(server, one, learners, SECONDS))
            p50, p95 = (percentile(one.heard.waits, at) for at in (50, 95))
            points.append(Point(learners, p50, p95, one.cores, one.own, held(server)))
            print(f"{count} of each kind: {points[-1]}", file=sys.stderr, flush=True)
            if p95 > P95_MS:
                break
    return rest, points


def most(points: list[Point]) -> float:
    """Learners at the promised time, between the last step that kept it and the next."""
    good = [one for one in points if one.p95 <= P95_MS]
    if not good:
        return 0.0
    last = good[-1]
    after = points[len(good) :]
    if not after:
        return float(last.learners)
    share = (P95_MS - last.p95) / (after[0].p95 - last.p95)
    return last.learners + share * (after[0].learners - last.learners)


def main() -> str:
    """The report, as Markdown; each point goes to stderr."""
    measured_on = surroundings("streamlit", "uvicorn", "torch")
    head = (
        "of each kind",
        "learners",
        "p50, ms",
        "p95, ms",
        "app, cores",
        "learners, cores",
        "MB",
    )
    rows, said = [], []
    for count in (1, 2):
        rest, points = measured(count)
        for one in points:
            numbers = (one.p50, one.p95)
            rows.append(
                (
                    *(str(count), str(one.learners), *(f"{n:.0f}" for n in numbers)),
                    *(f"{one.cores:.2f}", f"{one.own:.2f}", f"{one.megabytes:.0f}"),
                )
            )
        busiest = max(points, key=lambda one: one.cores)
        cost = 1000 * busiest.cores / busiest.learners
        grown = (busiest.megabytes - rest) / busiest.learners
        said.append(
            f"- {count} × : about {most(points):.0f} learners at p95 {P95_MS} ms; "
            f"{rest:.0f} MB at rest; a learner costs {cost:.1f} thousandths of a core and "
            f"{grown:.1f} MB"
        )
    return "\n".join(
        [
            "## How it grows",
            "",
            f"Each learner moves a slider once a second, for {SECONDS} s, no two the same:",
            "",
            *table(head, rows),
            "",
            *said,
            "",
            measured_on("The learners are one process on the same machine.", ""),
        ]
    )


if __name__ == "__main__":
    main()
