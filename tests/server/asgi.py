"""Asks an ASGI application as a server would, and gathers what it answers."""

import asyncio
from collections.abc import Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

Result = TypeVar("Result")
GZIP = {"Accept-Encoding": "gzip, deflate, br"}


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Headers
    body: bytes


def ask(app: ASGIApp, path: str, **request) -> Answer:
    return run(asked(app, path, **request))


async def asked(
    app: ASGIApp,
    path: str,
    method: str = "GET",
    headers: Mapping[str, str] = {},
    query: str = "",
    root: str = "",
    body: bytes = b"",
) -> Answer:
    """What the application answers."""
    named = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    scope: Scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": root,
        "query_string": query.encode(),
        "headers": named,
    }
    messages: list[Message] = []
    received = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        if received:
            return received.pop()
        return await asyncio.Future()

    async def send(message: Message) -> None:
        messages.append(message)

    await app(scope, receive, send)
    start, *parts = messages
    assert start["type"] == "http.response.start"
    whole = b"".join(part.get("body", b"") for part in parts)
    return Answer(start["status"], Headers(raw=start["headers"]), whole)


async def inside(scope: Scope, receive: Receive, send: Send) -> None:
    """An application that says that it was reached."""
    await send({"type": "inside", "status": None})


def sent(app: ASGIApp, kind: str, path: str, *headers: tuple[str, str], **more) -> list[Message]:
    """All that an application sends to who comes with this and says nothing."""
    messages: list[Message] = []

    async def send(message: Message) -> None:
        messages.append(message)

    named = [(name.encode(), value.encode()) for name, value in headers]
    scope = {"type": kind, "method": "GET", "path": path, "query_string": b"", "headers": named}
    run(app({**scope, **more}, asyncio.Future, send))
    return messages


def run(coroutine: Coroutine[object, object, Result]) -> Result:
    """In a thread of its own: Playwright may have a loop running in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()
