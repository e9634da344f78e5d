"""A mouse that moves at its own pace, as one on a desk does, with nobody else listening.

Playwright's mouse waits after each move until the page has dealt with it: what it measures while a
page is busy is itself. And Playwright listens to the network all the time: the browser then copies
each message of a websocket to it as text, which costs a page a tenth of its pictures. So this one
speaks the browser's own protocol, asks for no more than it needs, and is used once Playwright has
let go of the page.
"""

import itertools
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import ViewportSize
from websockets.sync.client import ClientConnection, connect

HZ = 60


class Hand:
    """A hand on the mouse in the page that this socket of the browser's protocol goes to."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)

    def say(self, method: str, **given: object) -> int:
        """Tell the browser, and wait for nothing; the number of what was said."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": given}))
        return number

    def ask(self, method: str, **given: object) -> dict[str, Any]:
        """What the browser answers."""
        number = self.say(method, **given)
        while (said := json.loads(self._socket.recv())).get("id") != number:
            pass
        return dict(said["result"])

    def evaluate(self, script: str) -> Any:
        """What a script on the page comes to."""
        found = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def at(self, x: float, y: float, what: str = "mouseMoved", **given: object) -> None:
        """Do something at a place, in pixels of the page, and wait until the page has seen it."""
        self.ask("Input.dispatchMouseEvent", type=what, x=x, y=y, **given)

    def pull(self, y: float, along: tuple[float, float], seconds: float) -> None:
        """Move the pressed mouse in a straight line; along is from where to where in x."""
        first, last = along
        moves = {"type": "mouseMoved", "y": y, "button": "left", "buttons": 1}
        start = time.monotonic()
        while (share := (time.monotonic() - start) / seconds) < 1:
            self.say("Input.dispatchMouseEvent", x=first + (last - first) * share, **moves)
            time.sleep(1 / HZ - (time.monotonic() - start) % (1 / HZ))


@contextmanager
def hand(port: int, page: str, size: ViewportSize) -> Iterator[Hand]:
    """A hand in this page of the browser whose protocol listens on this port."""
    address = f"ws://127.0.0.1:{port}/devtools/page/{page}"
    with connect(address, max_queue=None, max_size=None) as socket:
        one = Hand(socket)
        metrics = {**size, "deviceScaleFactor": 1, "mobile": False}
        one.ask("Emulation.setDeviceMetricsOverride", **metrics)
        one.ask("Emulation.setFocusEmulationEnabled", enabled=True)
        yield one
