"""Serves the labs in this process; and a browser's side of their socket."""

import json
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import uvicorn
from starlette.applications import Starlette
from starlette.routing import BaseRoute
from starlette.types import ASGIApp
from websockets.sync.client import ClientConnection, connect

from pages.server import application
from pages.server.site import Site
from tests.support.server import START_SECONDS, free_port


@contextmanager
def listening(app: ASGIApp, **more: Any) -> Iterator[str]:
    """Serve this application in a thread, ``more`` for uvicorn; yield its host and port."""
    port = free_port()
    # Without a log of its own, so that pytest sees what it says.
    config = uvicorn.Config(
        app, port=port, log_level="warning", log_config=None, ws="websockets-sansio", **more
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    deadline = time.monotonic() + START_SECONDS
    try:
        while not server.started:
            assert thread.is_alive(), "the server ended before it began"
            assert time.monotonic() < deadline, "the server did not start"
            time.sleep(0.01)
        yield f"127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(START_SECONDS)


@contextmanager
def serving(site: Site, *more: BaseRoute) -> Iterator[str]:
    """Serve the labs, and other routes, in a thread; yield the address of the labs' socket."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        site.end()

    hosts = [application.known_hosts()]
    routes = [*application.routes(site), *more]
    app = Starlette(routes=routes, middleware=hosts, lifespan=lifespan)
    with listening(app) as host:
        yield f"ws://{host}/labs"


def resident() -> int:
    """Bytes of memory that this process has; 0 where the system does not say."""
    table = Path("/proc/self/statm")
    return int(table.read_text().split()[1]) * 4096 if table.exists() else 0


class Browser:
    """One socket, as a browser uses it."""

    def __init__(self, url: str, **more: Any) -> None:
        self.socket: ClientConnection = connect(
            url, max_size=None, open_timeout=START_SECONDS, ping_interval=None, **more
        ).__enter__()
        self.url, self.seq = url, 0
        self.token = uuid4().hex  # of its training: the server keeps runs of others for a while

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def ask(self, lab: str = "flip", training: dict[str, Any] | None = None, **wish: Any) -> int:
        """Send a wish; returns its number."""
        self.seq += 1
        text = f"{self.seq} ask {json.dumps({'lab': lab, **wish})}"
        self.socket.send(text + (f"\n{json.dumps(training)}" if training else ""))
        return self.seq

    def send(self, text: str) -> None:
        self.socket.send(text)

    def next(self, timeout: float = START_SECONDS) -> tuple[int, str, dict[str, Any]]:
        """Return the next message's number, its kind, and its content, or all of an aside."""
        message = json.loads(self.socket.recv(timeout))
        return message["seq"], message["kind"], message.get("content", message)

    def frame(self) -> dict[str, Any]:
        """Return the frame that answers the last wish."""
        while True:
            number, kind, body = self.next()
            if (number, kind) == (self.seq, "frame"):
                return body

    def picture(self, timeout: float = START_SECONDS) -> dict[str, Any]:
        """The next picture of a training; it is taken in."""
        while True:
            _, kind, body = self.next(timeout)
            if kind == "picture":
                self.send("0 taken")
                return body
