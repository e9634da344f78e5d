"""The process of the labs' sockets, run here: what it answers to lines."""

import asyncio
import json
import os
import socket
import subprocess
import sys

import pytest

from pages.server import lab_sockets
from pages.server.child import HEAD
from pages.server.computing import Computing
from pages.server.lab_sockets import METERS, LabSockets
from pages.server.notice import MISTAKE, STOPPED, Notice, heard
from pages.server.socket import Workshop
from pages.server.trainings import Trainings
from tests.server.asgi import run
from tests.support.in_process import InProcess
from tests.support.server import ROOT


class Out:
    """Where answers go."""

    def __init__(self):
        self.came = asyncio.Queue()

    def write(self, data):
        job, kind, _ = HEAD.unpack(data[: HEAD.size])
        content = data[HEAD.size :]
        answer, _ = heard(kind)
        self.came.put_nowait((job, content if answer else Notice(*json.loads(content))))


@pytest.fixture
def answered(monkeypatch):
    """What comes for these lines, which all come at once."""

    def workshop():
        return Workshop(InProcess(Computing()), Trainings(0))

    monkeypatch.setattr(lab_sockets, "Workshop", workshop)

    async def told(lines, count):
        ours, its = socket.socketpair()
        reader, out = asyncio.StreamReader(), Out()
        with ours, its:
            labs = LabSockets(its)
            running = asyncio.create_task(labs.run(reader, out))
            assert await out.came.get() == (0, Notice("ready"))
            reader.feed_data(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
            came = [await out.came.get() for _ in range(count)]
            assert not labs._jobs
            reader.feed_eof()
            await running
            asyncio.get_running_loop().remove_reader(its)
        return came

    return lambda lines, count: run(asyncio.wait_for(told(lines, count), 30))


def test_what_is_asked_and_stopped_at_once_is_said_to_be_stopped(answered):
    """Else the server would remember for ever what a client asked that left at once."""
    question = {"name": "flip", "query": [], "body": ""}
    asked = {"job": 7, "work": "numbers", "text": json.dumps(question)}
    assert answered([asked, {"job": 7, "stop": 1}, {"job": 7, "stop": 1}], 1) == [(7, STOPPED)]


def test_a_mistake_of_ours_is_an_answer(answered, monkeypatch):
    def broken(self):
        raise OSError("no file")

    monkeypatch.setattr("pages.server.meters.Meters.text", broken)
    assert answered([{"job": 8, "work": METERS, "text": ""}], 1) == [(8, MISTAKE)]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such limit")
def test_it_may_hold_more_handles_than_a_service_may_at_first():
    told = """
import resource
from pages.server.lab_sockets import open_many

files = resource.RLIMIT_NOFILE
resource.setrlimit(files, (256, 2_000))
open_many()
print(resource.getrlimit(files))
open_many()
print(resource.getrlimit(files))
"""
    done = subprocess.run(
        [sys.executable, "-c", told], cwd=ROOT, text=True, capture_output=True, check=True
    )
    assert done.stdout == "(2000, 2000)\n" * 2
