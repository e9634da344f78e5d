"""Half an hour of a class that comes, moves, trains and leaves: `make soak LEARNERS=60 MINUTES=30`.

What is looked at is memory, of the server and of those that compute and train for it, each minute.
"""

import asyncio
import json
import os
import random
import sys
import time

from lessons.outputs.catalogue import lessons
from pages.server.application import SOCKET
from tests.bench.learner import BROKEN, Heard, Learner, arrive, connected
from tests.bench.shared import app, surroundings, table, target
from tests.support.server import Server
from tests.support.usage import memory

LEARNERS = int(os.environ.get("LEARNERS") or 60)
MINUTES = int(os.environ.get("MINUTES") or 30)
SETTLED = 10  # minutes after which the server has kept what it keeps
MOST = 1.10  # times what it held then; never loosened
STAY = (20.0, 60.0)  # seconds
TRAIN = 0.2  # of those who come
SILENT = 30.0  # seconds without a picture: an error of a training that runs


async def visit(server: Server, heard: Heard, luck: random.Random) -> None:
    """One learner in one lesson, from coming to leaving."""
    lesson = luck.choice([one for one in lessons() if one.lab.training is None])
    learner = Learner(server.url, lesson.slug, heard, seed=luck.randrange(2**32))
    await arrive([learner])
    until = time.monotonic() + luck.uniform(*STAY)
    while time.monotonic() < until:
        learner.move()
        await learner.ask()
        await asyncio.sleep(luck.uniform(0.5, 2.0))
    await learner.close()


async def train(server: Server, heard: Heard, luck: random.Random) -> None:
    """One learner who starts a training, watches it and leaves: done, or tired of waiting."""
    lesson = luck.choice([one for one in lessons() if one.lab.training is not None])
    wish = {"lab": lesson.slug, "step": 99, "answers": [q.name for q in lesson.prose.questions]}
    run = {"phase": "run", "begun": 1, "count": 1, "token": f"soak {luck.random()}"}
    async with await connected(server.url, SOCKET) as line:
        await line.send(f"1 ask {json.dumps(wish)}\n{json.dumps(run)}")
        until = time.monotonic() + luck.uniform(*STAY)
        while time.monotonic() < until:
            message = json.loads(await asyncio.wait_for(line.recv(), SILENT))
            if "content" not in message:
                heard.errors[message["kind"], lesson.slug] += 1
                return
            if trained := message["content"].get("training"):
                if trained["state"] in ("done", "stopped"):
                    return
                await line.send("1 taken")


async def soak(server: Server, heard: Heard) -> list[float]:
    """MB each minute, the first before anybody has come."""
    over = time.monotonic() + 60 * MINUTES
    found = [memory(server.pid)]

    async def seat(number: int) -> None:
        luck = random.Random(number)
        while True:
            goes = train if luck.random() < TRAIN else visit
            try:
                await goes(server, heard, luck)
            except BROKEN as error:
                heard.errors[type(error).__name__, goes.__name__] += 1
                await asyncio.sleep(1)

    seats = [asyncio.create_task(seat(number)) for number in range(LEARNERS)]
    for minute in range(1, MINUTES + 1):
        await asyncio.sleep(max(0.0, over - 60 * (MINUTES - minute) - time.monotonic()))
        found.append(memory(server.pid))
        print(f"minute {minute}: {found[-1]:.0f} MB", file=sys.stderr, flush=True)
    for task in seats:
        task.cancel()
    await asyncio.gather(*seats, return_exceptions=True)
    return found


def main() -> str:
    """The report, as Markdown; each minute goes to stderr."""
    measured_on = surroundings("streamlit", "starlette", "uvicorn", "torch")
    heard = Heard()
    with app() as server:
        found = asyncio.run(soak(server, heard))
    minutes = [minute for minute in range(len(found)) if minute % 5 == 0 or minute == MINUTES]
    settled = min(SETTLED, MINUTES)
    text = f"{found[-1]:.0f} MB at the end, {found[-1] / found[settled]:.2f} × that of minute"
    return "\n".join([
        f"## {MINUTES} minutes of {LEARNERS} learners",
        "",
        f"They come, move something every second or so for {STAY[0]:.0f} to {STAY[1]:.0f} s, "
        "or train, and leave; others take their seats. Memory of all processes, MB, after so "
        "many minutes:",
        "",
        *table([{str(minute): f"{found[minute]:.0f}" for minute in minutes}]),
        "",
        f"{len(heard.waits):,} interactions on {len(heard.pages):,} pages. Targets:",
        "",
        target(found[-1] <= MOST * found[settled], f"{text} {settled} (at most {MOST})"),
        target(str(heard) == "none", f"errors: {heard}"),
        "",
        measured_on("The learners are one process on the same machine.", ""),
    ])  # fmt: skip
