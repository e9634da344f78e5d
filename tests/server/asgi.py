"""Asks an ASGI application as a server would, and gathers what it answers."""

import asyncio
from collections.abc import Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

Result = TypeVar("Result")
GZIP = {"Accept-Encoding": "gzip, deflate, br"}


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Headers
    body: bytes


def ask(
    app: ASGIApp,
    path: str,
    method: str = "GET",
    headers: Mapping[str, str] = {},
    query: str = "",
    root: str = "",
    body: bytes = b"",
) -> Answer:
    """What the application answers."""
    more = {"method": method, "root_path": root, "query_string": query.encode()}
    start, *parts = sent(app, "http", path, *headers.items(), body=body, **more)
    assert start["type"] == "http.response.start"
    whole = b"".join(part.get("body", b"") for part in parts)
    return Answer(start["status"], Headers(raw=start["headers"]), whole)


async def inside(scope: Scope, receive: Receive, send: Send) -> None:
    """An application that says that it was reached."""
    await send({"type": "inside", "status": None})


def sent(
    app: ASGIApp, kind: str, path: str, *headers: tuple[str, str], body: bytes = b"", **more: Any
) -> list[Message]:
    """All that an application sends to who comes with this and says no more."""
    messages: list[Message] = []
    received = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        return received.pop() if received else await asyncio.Future()

    async def send(message: Message) -> None:
        messages.append(message)

    scope = {
        "type": kind,
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers],
    }

    async def whole() -> None:
        await app(scope | more, receive, send)

    run(whole())
    return messages


def run(coroutine: Coroutine[object, object, Result]) -> Result:
    """Run it in a thread of its own: Playwright may have a loop running in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()
