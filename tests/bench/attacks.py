"""What one abuser can send, for `make abuse`.

`python -m tests.bench.attacks NAME URL` runs one attack until somebody ends it.

Each attack is a process of its own, and sends only what a learner's browser could send.
"""

import asyncio
import contextlib
import itertools
import json
import random
import sys
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.asyncio.client import ClientConnection

from lessons.playground.document.as_text import packed, to_text
from lessons.playground.document.gestures import form_of
from pages.server.application import SOCKET
from pages.ui.page import PLOTLY
from tests.bench.learner import ERRORS, FROM, HEAVIEST, Heard, Learner, arrive, connected, open_page
from tests.support.heavy import heavy

Once = Callable[[str, int], Awaitable[None]]
"""Attacks the app at this address once; each number asks for something else."""


class Attack(NamedTuple):
    """So many loops; each attacks again and again, even if its connections break."""

    loops: int
    once: Once

    async def run(self, url: str) -> None:
        async def loop(first: int) -> None:
            for number in itertools.count(first, self.loops):
                with contextlib.suppress(*ERRORS):
                    await self.once(url, number)

        await asyncio.gather(*(loop(number) for number in range(self.loops)))


async def forever() -> None:
    await asyncio.Event().wait()


async def read(socket: ClientConnection) -> None:
    """Take everything that comes."""
    with contextlib.suppress(*ERRORS):
        async for _ in socket:
            pass


def flood(ask: Callable[[int], str], pause: float = 0.0, deaf: bool = False) -> Once:
    """Send without waiting for an answer until the socket is closed; read nothing if ``deaf``."""

    async def once(url: str, number: int) -> None:
        async with await connected(url, SOCKET, **({"max_queue": 1} if deaf else {})) as socket:

            async def send() -> None:
                for seq in itertools.count(1):
                    await socket.send(f"{seq} ask {ask(number * 1_000_000 + seq)}")
                    await asyncio.sleep(pause)

            await asyncio.gather(send(), *([] if deaf else [read(socket)]))

    return once


def answered(ask: Callable[[int], str]) -> Once:
    """Ask again as soon as there is an answer."""

    async def once(url: str, number: int) -> None:
        async with await connected(url, SOCKET) as socket:
            for seq in itertools.count(1):
                await socket.send(f"{seq} ask {ask(number * 1_000_000 + seq)}")
                await socket.recv()

    return once


def wish(lab: str, good: dict[str, str] | None = None, /, **values: Any) -> str:
    return json.dumps({"lab": lab, "good": good, "values": values})


def slider(number: int) -> str:
    return wish("flip", scale=f"{number % 9_973 / 1000:.4f}")


def rate(number: int) -> str:
    return f"{1 + number % 999_983 / 1e6:.6f}"


def longest_paths(number: int) -> str:
    return wish(HEAVIEST, rate=rate(number))


def program(number: int) -> str:
    """A playground's program at the edge of what is accepted."""
    return wish("playground", {}, **form_of(heavy(random.Random(number))))


def long_edges(number: int) -> str:
    """A program whose ops all read one input, under new names: its graph is hard to lay out."""
    lines = ["x = input([-2, -1, 1])", f"b0_{number} = x * 1"]
    lines += [f"b{op}_{number} = b{op - 1}_{number} * x" for op in range(1, 58)]
    return "\n".join(lines)


async def long_edges_page(url: str, number: int) -> None:
    socket, _ = await open_page(url, "playground", f"program={packed(long_edges(number))}")
    await socket.close()


def another_training(number: int) -> str:
    run = {"token": f"abuse{number}", "phase": "run", "begun": 1, "count": 1}
    return f"{wish('moons')}\n{json.dumps(run)}"


async def come_and_go(url: str, number: int) -> None:
    async with await connected(url, SOCKET) as socket:
        await socket.send(f"1 ask {slider(1)}")


async def page(url: str, number: int) -> None:
    """Leave a page as soon as it is there."""
    socket, _ = await open_page(url, "reversal", "lesson=flip")
    await socket.close()


async def heavy_page(url: str, number: int) -> None:
    """A page opened by the address of a heavy program."""
    query = f"program={packed(to_text(heavy(random.Random(number))))}"
    socket, _ = await open_page(url, "playground", query)
    await socket.close()


async def reruns(url: str, number: int) -> None:
    """Ask a page to run again, as often as the socket takes it."""
    message = BackMsg()
    message.rerun_script.query_string = "lesson=flip"
    message.rerun_script.page_name = "reversal"
    socket, _ = await open_page(url, "reversal", "lesson=flip")
    reading = asyncio.create_task(read(socket))
    while not reading.done():
        await socket.send(message.SerializeToString())
        await asyncio.sleep(0.005)


async def idle(url: str, number: int) -> None:
    """Three hundred pages and labs that are open and do nothing."""
    await arrive([Learner(url, "flip", Heard(), seed) for seed in range(300)], at_once=8)
    await forever()


async def requested(url: str, path: str, end: str = "\r\n\r\n") -> asyncio.StreamReader:
    """Send a request, or its beginning."""
    host = urlsplit(url)
    connecting = asyncio.open_connection(host.hostname, host.port, limit=1, local_addr=(FROM, 0))
    reader, writer = await connecting
    writer.write(f"GET /{path} HTTP/1.1\r\nHost: {host.netloc}{end}".encode())
    return reader


async def numbers(url: str, number: int) -> None:
    path = f"frame.json?lab={HEAVIEST}&rate={rate(number)}"
    await (await requested(url, path, "\r\nConnection: close\r\n\r\n")).read()


async def unread_file(url: str, number: int) -> None:
    """Ask for the largest file and read nothing of it."""
    await requested(url, PLOTLY)
    await forever()


async def half_a_request(url: str, number: int) -> None:
    """Begin a request, and wait until the server closes the connection."""
    await (await requested(url, "", "")).read()


async def silent(url: str, number: int) -> None:
    """Open a lab's socket and say nothing."""
    async with await connected(url, SOCKET) as socket:
        await read(socket)
    await asyncio.sleep(1)


ATTACKS = {
    "ten sockets × 100 a second": Attack(10, flood(slider, 0.01)),
    "eight heavy programs": Attack(8, answered(program)),
    "pages opened in four loops": Attack(4, page),
    "300 idle pages and labs": Attack(1, idle),
    "a page rerun 200 × a second": Attack(1, reruns),
    "sockets opened and closed": Attack(10, come_and_go),
    "twenty who never read": Attack(20, flood(lambda n: wish("cliff", seed=str(n)), 0.02, True)),
    "frames over HTTP, eight loops": Attack(8, numbers),
    "twenty heavy programs by address": Attack(20, heavy_page),
    "200 who read no file": Attack(200, unread_file),
    "ten × a graph with long edges": Attack(
        10, answered(lambda number: wish("playground", {}, program=long_edges(number)))
    ),
    "long edges by address": Attack(1, long_edges_page),
    "30 sockets that ask again": Attack(30, answered(slider)),
    "300 sockets that ask again": Attack(300, answered(slider)),
    "20 sockets, the cliff's paths": Attack(20, answered(longest_paths)),
    "a new training every 10 ms": Attack(1, flood(another_training, 0.01)),
    "1,600 silent sockets": Attack(1_600, silent),
    "4,000 halves of a request": Attack(4_000, half_a_request),
}


if __name__ == "__main__":
    asyncio.run(ATTACKS[sys.argv[1]].run(sys.argv[2]))
