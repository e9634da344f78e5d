"""What the log of JSON says where something goes wrong: all in one line each, and no word of what
was typed, which an exception's message may quote.
"""

import json
import logging
import socket
import subprocess
import sys

import pytest
from starlette.responses import PlainTextResponse

from pages.server import log
from tests.server.serving import listening
from tests.support.server import ROOT

SECRET = "a-word-that-was-typed"


ENDS = """
import asyncio, sys, threading
from pages.server import log
log.set_up()
def fails(*_):
    raise ValueError(sys.argv[1])
class Fails:
    __del__ = fails
if sys.argv[2] == "thread":
    thread = threading.Thread(target=fails)
    thread.start()
    thread.join()
elif sys.argv[2] == "as it is forgotten":
    Fails()
elif sys.argv[2] == "callback":  # asyncio's message has what it was called with
    loop = asyncio.new_event_loop()
    loop.call_soon(fails, sys.argv[1])
    loop.run_until_complete(asyncio.sleep(0))
elif sys.argv[2] == "task":  # and here the exception
    async def task():
        fails()
    async def main():
        asyncio.ensure_future(task())
        await asyncio.sleep(0)
    asyncio.run(main())
else:
    fails()
"""


@pytest.mark.parametrize("where", ["main", "thread", "as it is forgotten", "callback", "task"])
def test_what_nobody_catches_is_a_line_of_json_too(where, monkeypatch):
    monkeypatch.setenv(log.ASKED_BY, "json")
    command = [sys.executable, "-c", ENDS, SECRET, where]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert bool(done.returncode) == (where == "main")
    (line,) = map(json.loads, done.stderr.splitlines())
    assert (line["level"], line["error"]) == ("error", "ValueError")
    assert line["at"]
    assert SECRET not in done.stderr


def test_a_request_that_is_none_is_not_logged(caplog):
    """Anybody can send as many as they like."""
    log.set_up()
    with listening(PlainTextResponse("here")) as host:
        name, port = host.split(":")
        with socket.create_connection((name, int(port))) as line:
            line.sendall(b"nonsense\r\n\r\n")
            assert b"400 Bad Request" in line.recv(1000)
        assert not caplog.records
        logging.getLogger("uvicorn.error").warning("something else")
        assert len(caplog.records) == 1
