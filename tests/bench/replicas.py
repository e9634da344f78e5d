"""A class on several processes behind nginx: `make load LEARNERS=200 REPLICAS=2`.

As in `load.py`; then the same while a process for pages and one for labs are killed, and while all
are restarted one after the other.
"""

import asyncio
import os
import signal
from typing import Any

from tests.bench.learner import Heard
from tests.bench.load import SECONDS, Scenario, measured
from tests.bench.shared import streamlit_python
from tests.support.server import ROOT, Server
from tests.support.site import replicas, site

LEARNERS = int(os.environ.get("LEARNERS", "200"))
REPLICAS = int(os.environ.get("REPLICAS", "2"))
# Pass or miss; never loosened: p95 in ms, and seconds until every learner goes on.
P95_MS, BACK_S = 250, 5


async def killed(server: Server, heard: Heard) -> None:
    """After a third of the time, kill one process of each kind, with its workers."""
    await asyncio.sleep(SECONDS / 3)
    for kind in ("pages", "labs"):
        os.killpg(replicas(server, kind)[0], signal.SIGKILL)


async def restarted(server: Server, heard: Heard) -> None:
    """Restart all processes, one after the other; return when all are new."""
    await asyncio.sleep(SECONDS / 6)
    command = [streamlit_python(), "-m", "deploy.serve", "--restart"]
    command += ["--listen", server.url.removeprefix("http://")]
    done = await asyncio.create_subprocess_exec(*command, cwd=ROOT)
    if await done.wait():
        raise RuntimeError("the processes were not restarted")


def main() -> str:
    """The report, as Markdown; progress goes to stderr."""
    broken: Any = {"count": LEARNERS, "link": True, "most_away": BACK_S}
    all_ = [
        Scenario("each in a lesson of their own", LEARNERS, most_ms=P95_MS),
        Scenario("a class with one link", LEARNERS, link=True, most_ms=P95_MS),
        Scenario("a process of each kind is killed", happens=killed, **broken),
        Scenario("all are restarted in turn", happens=restarted, **broken),
    ]
    title = f"{LEARNERS} learners on {REPLICAS} processes for pages and {REPLICAS} for labs"
    about = (
        "As above, through nginx. A labs process sends what it has computed to all its learners. "
        "An interaction that a broken connection took is asked for again, as the page does."
    )
    return measured(title, about, all_, lambda: site(REPLICAS, python=streamlit_python()))
