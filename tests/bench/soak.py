"""Half an hour of a class that comes, moves, trains and leaves: `make soak LEARNERS=60 MINUTES=30`.

What is looked at is memory, of the server and of those that compute and train for it, each minute.
"""

import asyncio
import json
import os
import random
import struct
import sys
import time
from contextlib import suppress
from dataclasses import dataclass

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException
from websockets.typing import Origin

from lessons.outputs.catalogue import lessons
from pages.server.application import SOCKET
from tests.bench.lasting import Lasted, Lasting
from tests.bench.load import in_words
from tests.bench.shared import app, surroundings, table, target
from tests.bench.usage import memory
from tests.support.decoded import decode
from tests.support.server import Server

LEARNERS = int(os.environ.get("LEARNERS") or 60)
MINUTES = int(os.environ.get("MINUTES") or 30)
SETTLED = 10  # minutes after which the server has kept what it keeps
MOST = 1.10  # times what it held then; never loosened
STAY = (20.0, 60.0)  # seconds
TRAIN = 0.2  # of those who come
SILENT = 30.0  # seconds without a picture: an error of a training that runs
OVER = ("done", "stopped")


@dataclass
class Soaked(Lasted):
    """What the class has met besides.

    Attributes:
    """


async def visit(server: Server, heard: Lasted, seed: int) -> None:
    """One learner in one lesson, from coming to leaving."""
    luck = random.Random(seed)
    lesson = luck.choice([one for one in lessons() if one.lab.training is None])
    learner = Lasting(server.url, lesson.slug, heard, seed=seed)
    await learner.open_page()
    await learner.open_lab()
    until = time.monotonic() + luck.uniform(*STAY)
    while time.monotonic() < until:
        await learner.interact()
        await asyncio.sleep(luck.uniform(0.5, 2.0))
    await learner.leave()


async def train(server: Server, heard: Soaked, seed: int) -> None:
    """One learner who starts a training, watches it and leaves: done or not, or tired of waiting.

    A training that is over sends no more pictures; any other silence is an error.
    """
    luck = random.Random(seed)
    lesson = luck.choice([one for one in lessons() if one.lab.training is not None])
    wish = {"lab": lesson.slug, "step": 99, "answers": [q.name for q in lesson.prose.questions]}
    run = {"phase": "run", "begun": 1, "count": 1, "token": f"soak {seed}"}
    address = server.url.replace("http", "ws") + f"/{SOCKET}"
    async with connect(address, origin=Origin(server.url), max_size=None) as line:
        await line.send(f"1 ask {json.dumps(wish)}\n{json.dumps(run)}")
        until, pictures, last = time.monotonic() + luck.uniform(*STAY), 0, b""
        while time.monotonic() < until:
            try:
                content = await asyncio.wait_for(line.recv(), SILENT)
            except TimeoutError:
                if state(last) in OVER:
                    break
                heard.errors["no picture", lesson.slug] += 1
                return
            if isinstance(content, bytes) and struct.unpack_from("<I", content, 4)[0]:
                pictures, last = pictures + 1, content
                await line.send("1 taken")
                if pictures % 50 == 0 and state(last) in OVER:
                    break
        heard.pages.append(float(pictures))


def state(picture: bytes) -> str:
    """How the training stands, by its last picture; to read one takes as long as to make it."""
    return decode(picture)[2]["training"]["state"] if picture else "no picture yet"


async def soak(server: Server, heard: Soaked) -> list[float]:
    """MB each minute, the first before anybody has come."""
    over = time.monotonic() + 60 * MINUTES
    found = [memory(server)]

    async def seat(number: int) -> None:
        round_ = 0
        while time.monotonic() < over:
            seed = number + LEARNERS * round_
            round_ += 1
            goes = train if random.Random(seed).random() < TRAIN else visit
            try:
                await goes(server, heard, seed)
            except (WebSocketException, OSError, TimeoutError) as error:
                heard.errors[type(error).__name__, goes.__name__] += 1
                await asyncio.sleep(1)

    seats = [asyncio.create_task(seat(number)) for number in range(LEARNERS)]
    for minute in range(1, MINUTES + 1):
        await asyncio.sleep(max(0.0, over - 60 * (MINUTES - minute) - time.monotonic()))
        found.append(memory(server))
        print(f"minute {minute}: {found[-1]:.0f} MB", file=sys.stderr, flush=True)
    for task in seats:
        task.cancel()
    with suppress(asyncio.CancelledError):
        await asyncio.gather(*seats, return_exceptions=True)
    return found


def main() -> str:
    """The report, as Markdown; each minute goes to stderr."""
    measured_on = surroundings("streamlit", "starlette", "uvicorn", "torch")
    heard = Soaked()
    with app() as server:
        found = asyncio.run(soak(server, heard))
    shown = [minute for minute in range(len(found)) if minute % 5 == 0 or minute == len(found) - 1]
    rows = [[f"{found[minute]:.0f}" for minute in shown]]
    at = found[min(SETTLED, len(found) - 1)]
    wrong = heard.lost + heard.wrong
    return "\n".join(
        [
            f"## {MINUTES} minutes of {LEARNERS} learners",
            "",
            f"They come, move something every second or so for {STAY[0]:.0f} to {STAY[1]:.0f} s, "
            "or train, and leave; others take their seats. Memory of all processes, MB, after so "
            "many minutes:",
            "",
            *table([str(minute) for minute in shown], rows),
            "",
            f"{heard.asked:,} interactions, {len(heard.pages):,} pages and trainings; ",
            "Targets:",
            "",
            target(
                found[-1] <= MOST * at,
                f"{found[-1]:.0f} MB at the end, {found[-1] / at:.2f} × that of minute "
                f"{min(SETTLED, len(found) - 1)} (at most {MOST})",
            ),
            target(
                not wrong and not heard.errors,
                f"{heard.lost} lost, {heard.wrong} wrong, errors: {in_words(heard.errors)}",
            ),
            "",
            measured_on("The learners are one process on the same machine.", ""),
        ]
    )


if __name__ == "__main__":
    main()
