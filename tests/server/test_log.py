"""What the log leaves out: what was typed, and what anybody can cause as often as they like."""

import asyncio
import logging
import socket

import pytest
from starlette.responses import PlainTextResponse

from pages.server import log
from tests.server.asgi import run
from tests.server.serving import listening

SECRET = "a-word-that-was-typed"


@pytest.fixture(autouse=True)
def _set_up():
    made = logging.getLogRecordFactory()
    log.set_up()
    yield
    logging.setLogRecordFactory(made)


def fails(text=SECRET):
    raise ValueError(text)


async def in_a_callback():
    asyncio.get_running_loop().call_soon(fails, SECRET)
    await asyncio.sleep(0.01)


async def in_a_group():
    async def task():
        fails()

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(task())


@pytest.mark.parametrize("where", [in_a_callback, in_a_group])
def test_an_exception_is_logged_by_its_type_and_place_and_never_by_what_it_quotes(where, caplog):
    try:
        run(where())
    except ExceptionGroup:
        logging.getLogger("any").exception("it failed")
    assert "ValueError" in caplog.text
    assert "in fails" in caplog.text
    assert SECRET not in caplog.text


def test_a_request_that_is_none_is_not_logged(caplog):
    with listening(PlainTextResponse("here")) as host:
        name, port = host.split(":")
        with socket.create_connection((name, int(port))) as line:
            line.sendall(b"nonsense\r\n\r\n")
            assert b"400 Bad Request" in line.recv(1000)
        assert not caplog.records
        logging.getLogger("uvicorn.error").warning("something else")
        assert len(caplog.records) == 1
