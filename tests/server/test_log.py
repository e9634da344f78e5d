"""What the log of JSON says where something goes wrong: all in one line each, and no word of what
was typed, which an exception's message may quote.
"""

import asyncio
import gc
import json
import subprocess
import sys

import pytest

from pages.server import log
from tests.server.asgi import run
from tests.support.server import ROOT

SECRET = "a-word-that-was-typed"


def test_what_asyncio_tells_of_a_mistake_quotes_nothing(caplog):
    """It puts the exception, or what a callback was called with, into its message."""

    async def fails():
        raise ValueError(SECRET)

    def failing(word):
        raise ValueError(word)

    async def mistakes():
        task = asyncio.ensure_future(fails())
        asyncio.get_running_loop().call_soon(failing, SECRET)
        await asyncio.wait([task])
        del task
        gc.collect()

    run(mistakes())
    said = [log.Lines().format(one) for one in caplog.records if one.name == "asyncio"]
    assert len(said) == 2
    assert all(json.loads(line)["error"] == "ValueError" for line in said)
    assert SECRET not in "".join(said)


ENDS = """
import sys, threading
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
else:
    fails()
"""


@pytest.mark.parametrize("where", ["main", "thread", "as it is forgotten"])
def test_what_nobody_catches_is_a_line_of_json_too(where, monkeypatch):
    monkeypatch.setenv(log.ASKED_BY, "json")
    command = [sys.executable, "-c", ENDS, SECRET, where]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert bool(done.returncode) == (where == "main")
    (line,) = map(json.loads, done.stderr.splitlines())
    assert (line["level"], line["error"]) == ("error", "ValueError")
    assert line["at"]
    assert SECRET not in done.stderr
