"""A small balancer: a cookie keeps a visitor on one replica; if that is gone, another answers."""

import asyncio
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from queue import Queue

COOKIE = "replica"
_CHOSEN = re.compile(rb"\r\ncookie:[^\r]*\b%s=(\d)" % COOKIE.encode(), re.IGNORECASE)
_END = b"\r\n\r\n"


@contextmanager
def balanced(ports: Sequence[int], newcomers: Iterator[int]) -> Iterator[str]:
    """Serve these replicas at one address; yield it.

    Args:
        ports: where the replicas listen.
        newcomers: for each connection without a cookie, the number of the replica that gets it.
    """

    open_ = set[asyncio.StreamWriter]()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        open_.add(writer)
        with suppress(OSError, asyncio.IncompleteReadError):
            head = await reader.readuntil(_END)
            found = _CHOSEN.search(head)
            wanted = int(found[1]) if found else next(newcomers)
            number, (answers, asks) = await _connected(wanted)
            open_.add(asks)
            asks.write(head)
            passing = asyncio.create_task(_passed_on(reader, asks))
            if not found or number != wanted:
                line, _, rest = (await answers.readuntil(_END)).partition(b"\r\n")
                kept = f"Set-Cookie: {COOKIE}={number}; Path=/; HttpOnly; SameSite=Lax\r\n"
                writer.write(line + b"\r\n" + kept.encode() + rest)
            await _passed_on(answers, writer)
            passing.cancel()
            _ended(asks)
        _ended(writer)

    async def _connected(
        wanted: int,
    ) -> tuple[int, tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        for number in [wanted, *range(len(ports))]:
            with suppress(OSError):
                return number, await asyncio.open_connection("127.0.0.1", ports[number])
        raise ConnectionRefusedError

    async def _passed_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while piece := await reader.read(1 << 16):
                writer.write(piece)
                await writer.drain()
        _ended(writer)

    def _ended(writer: asyncio.StreamWriter) -> None:
        writer.close()
        open_.discard(writer)

    addresses, ends = Queue[str](), threading.Event()

    async def listen() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        addresses.put(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        await asyncio.to_thread(ends.wait)
        server.close()
        while len(asyncio.all_tasks()) > 1:
            for writer in [*open_]:  # one may still come: its replica was being connected
                writer.transport.abort()
            await asyncio.sleep(0.01)

    thread = threading.Thread(target=asyncio.run, args=[listen()])
    thread.start()
    try:
        yield addresses.get()
    finally:
        ends.set()
        thread.join()
