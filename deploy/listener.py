"""supervisord's event listener: says when the site is ready, and ends what a process leaves behind.

``listener.py FOLDER LINE URL…`` prints LINE once every URL answers. supervisord writes each event
to our input: a line of ``key:value`` words, then ``len`` bytes of such words.
"""

import os
import signal
import sys
import threading
import time
import urllib.request
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path


def wait(url: str) -> None:
    """Return once this address answers with 200, asked past any proxy of the environment."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while True:
        with suppress(OSError, HTTPException), direct.open(url, timeout=5):
            return
        time.sleep(0.1)


def main() -> None:
    """Answer supervisord's events until it is gone."""
    folder, line, *urls = sys.argv[1:]
    ready = Path(folder, "ready")  # a restarted listener finds it

    def announce() -> None:
        for url in urls:
            wait(url)
        ready.touch()
        print(line, file=sys.stderr)  # our output is for supervisord

    if not ready.exists():
        threading.Thread(target=announce, daemon=True).start()
    print("READY", flush=True)
    while head := dict(word.split(":") for word in sys.stdin.readline().split()):
        event = dict(word.split(":") for word in sys.stdin.read(int(head["len"])).split())
        with suppress(ProcessLookupError):  # workers of one that was killed still hold its port
            os.killpg(int(event["pid"]), signal.SIGKILL)
        if head["eventname"] == "PROCESS_STATE_EXITED" and not ready.exists():
            print(f"{event['processname']} ended before all were ready: see above", file=sys.stderr)
            os.kill(os.getppid(), signal.SIGTERM)
            return
        print("RESULT 2\nOKREADY", flush=True)


if __name__ == "__main__":
    main()
