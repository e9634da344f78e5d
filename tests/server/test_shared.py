"""What a server's sockets share: when those who train are started."""

import asyncio

from pages.server import shared
from pages.server.computing import Computing
from pages.server.shared import Shared
from pages.server.trainings import Trainings
from tests.server.asgi import run
from tests.support.in_process import InProcess


class Noted(Trainings):
    """Starts nothing."""

    def __init__(self):
        super().__init__(0)
        self.begun = asyncio.Event()

    def start(self):
        self.begun.set()


def test_those_who_train_are_started_in_a_quiet_moment(monkeypatch):
    monkeypatch.setattr(shared, "QUIET", 0.001)

    async def tried():
        trainings = Noted()
        one = Shared(InProcess(Computing()), trainings)
        one.making[b"a wish"] = asyncio.Event()
        soon = asyncio.create_task(one.train_soon(0.0))
        await asyncio.sleep(0.1)
        assert not trainings.begun.is_set()
        one.making.clear()
        await asyncio.wait_for(soon, 10)
        assert trainings.begun.is_set()

    run(tried())
