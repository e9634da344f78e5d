"""A mouse that moves at its own pace, as one on a desk does.

Playwright's waits after each move until the page has dealt with it: what it measures while a page
is busy is itself. This one tells the browser over its own protocol and waits for nothing.
"""

import itertools
import json
import time

from playwright.sync_api import Page
from websockets.sync.client import connect

HZ = 60


def pull(page: Page, port: int, y: float, along: tuple[float, float], seconds: float) -> None:
    """Move the pressed mouse in a straight line.

    Args:
        page: where.
        port: that the browser's protocol listens on.
        y, along: in pixels of the page; along is from where to where in x.
        seconds: how long it takes.
    """
    about = page.context.new_cdp_session(page).send("Target.getTargetInfo")
    address = f"ws://127.0.0.1:{port}/devtools/page/{about['targetInfo']['targetId']}"
    with connect(address, max_queue=None) as browser:
        start = time.monotonic()
        for number in itertools.count(1):
            time.sleep(max(0.0, start + number / HZ - time.monotonic()))
            passed = time.monotonic() - start
            if passed >= seconds:
                return
            at = along[0] + (along[1] - along[0]) * passed / seconds
            event = {"type": "mouseMoved", "x": at, "y": y, "button": "left", "buttons": 1}
            what = {"id": number, "method": "Input.dispatchMouseEvent", "params": event}
            browser.send(json.dumps(what))
