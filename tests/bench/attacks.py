"""What one abuser can send, for `make abuse`.

`python -m tests.bench.attacks NAME URL` does it until it is ended.

Each of them is a process beside the server and the polite learners. What faults there were is in
the names; everything goes through the same doors as a learner's browser.
"""

import asyncio
import contextlib
import itertools
import json
import random
import sys
import urllib.request
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Origin

from lessons.chapters.stop_gradient.shared_noise.lab import MOST_DRAWS, MOST_NUMBERS
from lessons.playground.document.as_text import to_url
from lessons.playground.document.contents import Document, Input
from pages.labs.playground_form import form_of
from pages.server.application import SOCKET
from pages.server.socket_guard import STREAM
from pages.ui.page import PLOTLY
from tests.bench.learner import Heard, Learner
from tests.playground.heavy import heavy

Attack = Callable[[str], Awaitable[None]]


def line(url: str) -> Any:
    """A lab's socket, with room for whatever comes."""
    return connect(f"ws://{urlsplit(url).netloc}/{SOCKET}", origin=Origin(url), max_size=None)


async def read(socket: ClientConnection) -> None:
    """Take everything that comes."""
    with contextlib.suppress(WebSocketException):
        async for _ in socket:
            pass


async def ask(socket: ClientConnection, seq: int, **wish: Any) -> None:
    await socket.send(f"{seq} ask {json.dumps(wish)}")


async def flood(
    url: str, sockets: int, pause: float, wishes: Callable[[int], dict[str, Any]]
) -> None:
    """So many sockets, each sending without waiting for an answer; opened again once closed."""

    async def one(number: int) -> None:
        seqs = itertools.count(1)
        while True:
            with contextlib.suppress(ConnectionResetError, WebSocketException):
                async with line(url) as socket:
                    reading = asyncio.create_task(read(socket))
                    for seq in seqs:
                        await ask(socket, seq, **wishes(number * 1_000_000 + seq))
                        await asyncio.sleep(pause)
                    await reading

    await asyncio.gather(*(one(number) for number in range(sockets)))


async def answered(url: str, sockets: int, wishes: Callable[[int], dict[str, Any]]) -> None:
    """So many sockets, each asking again as soon as it was answered."""

    async def one(number: int) -> None:
        async with line(url) as socket:
            for seq in itertools.count(1):
                await ask(socket, seq, **wishes(number * 1_000_000 + seq))
                await socket.recv()

    await asyncio.gather(*(one(number) for number in range(sockets)))


def slider(number: int) -> dict[str, Any]:
    return {"lab": "flip", "values": {"scale": f"{number % 9_973 / 1000:.4f}"}, "live": True}


def draws(number: int) -> dict[str, Any]:
    x = ", ".join(f"{one / 50:g}" for one in range(256))
    most = str(MOST_NUMBERS // 256)
    return {"lab": "noise_leaks", "values": {"draws": most, "seed": str(number), "x": x}}


def most_draws(number: int) -> dict[str, Any]:
    return {"lab": "noise_leaks", "values": {"draws": str(MOST_DRAWS), "seed": str(number)}}


def too_many_draws(number: int) -> dict[str, Any]:
    """More than the lesson allows: refused, and the picture is that of what was good."""
    values = {"draws": "1000000", "seed": str(number)}
    return {"lab": "noise_leaks", "values": values, "good": {}}


def program(number: int) -> dict[str, Any]:
    """A playground's program at the edge of what is accepted."""
    return {"lab": "playground", "values": form_of(heavy(random.Random(number))), "good": {}}


def refused(number: int) -> dict[str, Any]:
    """3.8 kB of address that once left 430 MB: 190 × softmax on 4,096 numbers."""
    column = tuple((one / 1024 + number * 1e-9,) for one in range(1024))
    text = "a0 = x*w\n" + "\n".join(f"a{n + 1}=softmax(a{n})" for n in range(190))
    document = Document((Input("x", column), Input("w", (1.0, 2.0, 3.0, 4.0))), text)
    return {"lab": "playground", "values": form_of(document), "good": {}}


def growing(number: int) -> dict[str, Any]:
    """A form with inputs under ever new names."""
    values = {f"in.v{number}_{one}.entry": "1," * 10_000 for one in range(4)}
    return {"lab": "playground", "values": values, "good": {}}


async def trainings(url: str) -> None:
    """Ten trainings, each begun anew every second."""

    async def one(number: int) -> None:
        async with line(url) as socket:
            reading = asyncio.create_task(read(socket))
            for seq in itertools.count(1):
                wish = {"lab": "moons", "values": {"lambda_": f"{seq % 97 / 100}"}}
                training = {"token": f"abuse{number}", "phase": "run", "begun": seq, "count": seq}
                await socket.send(f"{seq} ask {json.dumps(wish)}\n{json.dumps(training)}")
                await asyncio.sleep(1)
            await reading

    await asyncio.gather(*(one(number) for number in range(10)))


async def sessions(url: str) -> None:
    """Pages opened in four loops, each left as soon as it is there."""

    async def one(number: int) -> None:
        for seed in itertools.count(number, 4):
            learner = Learner(url, "flip", Heard(), seed)
            with contextlib.suppress(TimeoutError, WebSocketException):
                await learner.open_page()
            await learner.close()

    await asyncio.gather(*(one(number) for number in range(4)))


async def idle(url: str) -> None:
    """Three hundred pages and labs that are open and do nothing."""
    learners = [Learner(url, "flip", Heard(), seed) for seed in range(300)]
    room = asyncio.Semaphore(8)

    async def one(learner: Learner) -> None:
        async with room:
            with contextlib.suppress(TimeoutError, WebSocketException):
                await learner.open_page()
                await learner.open_lab()

    await asyncio.gather(*(one(learner) for learner in learners))
    await asyncio.Event().wait()


async def come_and_go(url: str) -> None:
    """Sockets opened and closed in ten loops."""

    async def one() -> None:
        while True:
            with contextlib.suppress(ConnectionResetError, WebSocketException):
                async with line(url) as socket:
                    await ask(socket, 1, **slider(1))

    await asyncio.gather(*(one() for _ in range(10)))


async def deaf(url: str) -> None:
    """Twenty who ask and never read."""

    async def one(number: int) -> None:
        async with connect(
            f"ws://{urlsplit(url).netloc}/{SOCKET}", origin=Origin(url), max_queue=1
        ) as socket:
            for seq in itertools.count(number * 1_000_000):
                await ask(socket, seq, lab="cliff", values={"seed": str(seq)})
                await asyncio.sleep(0.02)

    await asyncio.gather(*(one(number) for number in range(20)))


async def nonsense(url: str) -> None:
    """Texts of 100 kB that are no wishes, deep and wide, on five sockets."""
    texts = ["[" * 100_000, "1 ask " + "{" * 99_000, '1 ask {"lab":"' + "a" * 99_000 + '"}']

    async def one() -> None:
        while True:
            with contextlib.suppress(ConnectionResetError, WebSocketException):
                async with line(url) as socket:
                    reading = asyncio.create_task(read(socket))
                    for text in itertools.cycle(texts):
                        await socket.send(text)
                        await asyncio.sleep(0.01)
                    await reading

    await asyncio.gather(*(one() for _ in range(5)))


async def numbers(url: str) -> None:
    """The numbers' API, in eight loops."""

    def get(number: int) -> None:
        address = f"{url}/api/lessons/noise_leaks?draws={MOST_DRAWS}&seed={number}"
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=60) as answer:
            answer.read()

    async def one(first: int) -> None:
        for number in itertools.count(first, 8):
            await asyncio.to_thread(get, number)

    await asyncio.gather(*(one(number) for number in range(8)))


async def reruns(url: str) -> None:
    """A page asked to run again, as often as the socket takes it; opened anew once closed."""
    message = BackMsg()
    message.rerun_script.query_string = "lesson=flip"
    message.rerun_script.page_name = "reversal"
    while True:
        learner = Learner(url, "flip", Heard())
        with contextlib.suppress(TimeoutError, WebSocketException):
            await learner.open_page()
            page = learner.page
            assert page
            reading = asyncio.create_task(read(page))
            while not reading.done():
                await page.send(message.SerializeToString())
                await asyncio.sleep(0.005)
        await learner.close()


async def long_messages(url: str) -> None:
    """To a page, of a million parts: where so many files may be put, and what widgets say."""
    files, widgets = BackMsg(), BackMsg()
    files.file_urls_request.file_names.extend([""] * 1_000_000)
    widgets.rerun_script.widget_states.widgets.extend([WidgetState()] * 1_000_000)
    for message in itertools.cycle((files.SerializeToString(), widgets.SerializeToString())):
        learner = Learner(url, "flip", Heard())
        with contextlib.suppress(TimeoutError, WebSocketException):
            await learner.open_page()
            assert learner.page
            await learner.page.send(message)
            await asyncio.sleep(1)
        await learner.close()


async def heavy_pages(url: str) -> None:
    """Twenty pages at a time, each opened by the address of a heavy program of its own."""

    async def one(first: int) -> None:
        for seed in itertools.count(first, 20):
            with contextlib.suppress(ConnectionResetError, WebSocketException):
                async with connect(
                    f"ws://{urlsplit(url).netloc}/{STREAM}", origin=Origin(url), max_size=None
                ) as page:
                    message = BackMsg()
                    client = message.rerun_script
                    client.query_string = f"program={to_url(heavy(random.Random(seed)))}"
                    client.page_name = "playground"
                    await page.send(message.SerializeToString())
                    async for said in page:
                        if ForwardMsg.FromString(said).HasField("script_finished"):
                            break

    await asyncio.gather(*(one(number) for number in range(20)))


async def unread_files(url: str) -> None:
    """Two hundred who ask for the largest file and read nothing of it."""
    netloc = urlsplit(url).netloc
    host, port = netloc.split(":")
    asked = f"GET /{PLOTLY} HTTP/1.1\r\nHost: {netloc}\r\n\r\n".encode()
    kept = []
    for _ in range(200):
        reader, writer = await asyncio.open_connection(host, int(port), limit=1)
        writer.write(asked)
        kept.append((reader, writer))
    await asyncio.Event().wait()


ATTACKS: dict[str, Attack] = {
    "slider flood, one socket": lambda url: flood(url, 1, 0.0, slider),
    "ten sockets × 100 a second": lambda url: flood(url, 10, 0.01, slider),
    "ten × the most draws": lambda url: answered(url, 10, most_draws),
    "ten × the most draws at 256 inputs": lambda url: answered(url, 10, draws),
    "ten × more draws than allowed": lambda url: answered(url, 10, too_many_draws),
    "ten trainings, begun anew": trainings,
    "eight heavy programs": lambda url: answered(url, 8, program),
    "twenty refused programs": lambda url: answered(url, 20, refused),
    "a form under ever new names": lambda url: flood(url, 4, 0.05, growing),
    "pages opened in four loops": sessions,
    "300 idle pages and labs": idle,
    "a page rerun 200 × a second": reruns,
    "sockets opened and closed": come_and_go,
    "twenty who never read": deaf,
    "100 kB of nonsense": nonsense,
    "the API, eight loops": numbers,
    "long messages to a page": long_messages,
    "twenty heavy programs by address": heavy_pages,
    "200 who read no file": unread_files,
}


if __name__ == "__main__":
    try:
        asyncio.run(ATTACKS[sys.argv[1]](sys.argv[2]))  # type: ignore[arg-type]
    except KeyboardInterrupt:
        pass
    except (WebSocketException, OSError) as error:
        sys.exit(f"the attack is over: {error!r}")
