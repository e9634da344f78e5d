"""What the log leaves out: what was typed, and what anybody can cause as often as they like."""

import asyncio
import logging
import socket
from collections.abc import Callable, Coroutine, Iterator

import pytest
from starlette.responses import PlainTextResponse

from pages.server import log
from tests.server.asgi import run
from tests.server.serving import listening

SECRET = "a-word-that-was-typed"


@pytest.fixture(autouse=True)
def _set_up() -> Iterator[None]:
    made = logging.getLogRecordFactory()
    log.set_up()
    yield
    logging.setLogRecordFactory(made)


def fails(text: str = SECRET) -> None:
    raise ValueError(text)


async def in_a_callback() -> None:
    asyncio.get_running_loop().call_soon(fails, SECRET)
    await asyncio.sleep(0.01)


async def in_a_group() -> None:
    async def task() -> None:
        fails()

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(task())


@pytest.mark.parametrize("where", [in_a_callback, in_a_group])
def test_an_exception_is_logged_by_its_type_and_place_and_never_by_what_it_quotes(
    where: Callable[[], Coroutine[object, object, None]], caplog: pytest.LogCaptureFixture
) -> None:
    try:
        run(where())
    except ExceptionGroup:
        logging.getLogger("any").exception("it failed")
    assert "ValueError" in caplog.text
    assert "in fails" in caplog.text
    assert SECRET not in caplog.text


@pytest.mark.parametrize(
    "request_",
    ["nonsense", f"GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: {SECRET}"],
)
def test_what_a_library_says_of_requests_is_its_place_and_comes_once(
    request_: str, caplog: pytest.LogCaptureFixture
) -> None:
    with listening(PlainTextResponse("here")) as host:
        name, port = host.split(":")
        for _ in range(20):
            with socket.create_connection((name, int(port))) as client:
                client.sendall(f"{request_}\r\n\r\n".encode())
                assert client.recv(1000)
    lines = [record.getMessage() for record in caplog.records]
    assert 1 <= len(lines) == len({*lines}) <= 3
    assert all(line.startswith("h11_impl.py, line ") for line in lines)


def test_a_fragment_that_streamlit_misses_is_not_quoted(caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("streamlit.runtime.app_session").warning("The fragment with id %s …", SECRET)
    assert SECRET not in caplog.text


def test_lines_that_come_again_are_counted(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def say() -> None:
        logging.getLogger("pages.any").warning("it happened")

    for _ in range(3):
        say()
    monkeypatch.setattr(log, "REPEAT_AFTER", 0.0)
    say()
    assert [record.getMessage() for record in caplog.records] == [
        "it happened",
        "it happened (2 more before)",
    ]
