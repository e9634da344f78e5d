"""nginx of a site, whose replicas cost nothing here: it is started again where it ends, but not
where it ends at once.
"""

import http.client
import os
import signal
import threading
import time
from contextlib import closing

import pytest

from deploy import serve
from deploy.serve import Replica, Site, nginx
from tests.support.server import free_port


@pytest.fixture
def site(tmp_path, monkeypatch):
    if nginx() is None:
        pytest.skip("nginx is not installed here")
    monkeypatch.setattr(Replica, "start", lambda replica: None)
    monkeypatch.setattr(Replica, "wait", lambda replica, ending: None)
    monkeypatch.setattr(Replica, "runs", True)
    site = Site(1, f"127.0.0.1:{free_port()}", free_port(), "", tmp_path)
    yield site
    site.end()


def status(site):
    """What nginx says, which finds no replica; nothing where it does not answer."""
    line = http.client.HTTPConnection(site._listen, timeout=10)
    with closing(line):
        try:
            line.request("GET", "/")
            return line.getresponse().status
        except (OSError, http.client.HTTPException):
            return None


def comes_to(site, wanted):
    until = time.monotonic() + 30
    while status(site) != wanted:
        assert time.monotonic() < until
        time.sleep(0.05)


def test_nginx_that_was_killed_is_started_again(site, monkeypatch, capfd):
    monkeypatch.setattr(serve, "SOON", 0.0)
    site.start()
    living = threading.Thread(target=site.live)
    living.start()
    try:
        comes_to(site, 502)
        killed = site._nginx.pid
        os.kill(killed, signal.SIGKILL)
        until = time.monotonic() + 30
        while site._nginx.pid == killed:
            assert time.monotonic() < until
            assert living.is_alive()
            time.sleep(0.05)
        comes_to(site, 502)
    finally:
        site.ending.set()
        living.join()
    said, _ = capfd.readouterr()
    assert said == "nginx ended: started again\n"


def test_nginx_that_ends_at_once_ends_the_site(site, monkeypatch):
    monkeypatch.setattr(serve, "nginx", lambda: "false")
    site.start()
    with pytest.raises(RuntimeError, match="nginx ended; its last words stand above"):
        site.live()
