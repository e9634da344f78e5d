"""A replica and a site know their own processes: what answers at a port may be another's, and what
they started ends with them.
"""

import errno
import http.server
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager

import pytest

from deploy.replica import BASE, NAMED, Replica, free_ports
from deploy.serve import Site, asked, nginx, place
from tests.support.server import ROOT, START_SECONDS, free_port


@contextmanager
def another(port, name=""):
    """A program that says at this port that it is ready."""

    class Ready(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            if name:
                self.send_header(NAMED, name)
            self.end_headers()

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", port), Ready) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()


def test_another_program_at_its_port_is_not_taken_for_it():
    replica = Replica(free_port(), "", {}, name="ours")
    assert not replica.is_ready
    with another(replica.port, "ours"):
        assert replica.is_ready
    for name in ("", "theirs"):
        with another(replica.port, name):
            assert not replica.is_ready


def test_it_says_that_its_own_process_ended_where_another_answers():
    replica = Replica(free_port(), "", {}, name="ours")
    replica.process = subprocess.Popen([sys.executable, "-c", ""])
    ended = f"{replica.port} ended before it was ready; "
    with another(replica.port), pytest.raises(RuntimeError, match=f"{ended}another program took"):
        replica.wait(threading.Event(), 60)
    with pytest.raises(RuntimeError, match=f"{ended}why stands above"):
        replica.wait(threading.Event(), 60)


def test_it_says_how_long_it_waited():
    replica = Replica(free_port(), "", {}, name="ours")
    replica.process = subprocess.Popen(["sleep", "60"])
    try:
        with pytest.raises(RuntimeError, match="not ready within 1 s; fewer replicas"):
            replica.wait(threading.Event(), 1)
    finally:
        replica.process.kill()
        replica.process.wait()


def test_who_is_told_to_end_waits_for_none():
    ending = threading.Event()
    ending.set()
    Replica(free_port(), "", {}, name="ours").wait(ending, 60)


def test_replicas_take_the_ports_that_are_free(tmp_path):
    first = free_port()
    with socket.create_server(("127.0.0.1", first)):
        site = Site(2, "127.0.0.1:8501", first, "", tmp_path)
    ports = [replica.port for replica in site.replicas]
    assert first not in ports
    assert ports == sorted({*ports})


def test_it_says_how_many_free_ports_there_are():
    with socket.create_server(("127.0.0.1", 0)) as taken:  # so that it is not one of these two
        port = taken.getsockname()[1]
        with pytest.raises(SystemExit, match=f"need 70000 free ports; from {port} on there are "):
            free_ports(port, 70_000)


@pytest.mark.parametrize("address", ["127.0.0.1", "0.0.0.0", "[::]"])
def test_a_site_whose_port_is_taken_says_so_before_it_starts_anything(address, tmp_path):
    if nginx() is None:
        pytest.skip("nginx is not installed here")
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        taken = socket.create_server((address.strip("[]"), 0), family=family)
    except OSError:
        pytest.skip("this machine has no IPv6")
    with taken:
        listen = f"{address}:{taken.getsockname()[1]}"
        command = [sys.executable, "-m", "deploy.serve", "--replicas", "2", "--listen", listen]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode
    assert done.stderr.startswith(f"{listen} is taken: another program listens there")
    assert "make serve PORT=8502" in done.stderr


def test_the_path_comes_from_the_environment_too(monkeypatch, capsys):
    monkeypatch.delenv(BASE, raising=False)
    assert asked([]).base == ""
    monkeypatch.setenv(BASE, "gradients")
    assert asked([]).base == "gradients"
    assert asked(["--base", "other"]).base == "other"
    monkeypatch.setenv(BASE, "two words")
    with pytest.raises(SystemExit):
        asked([])
    assert BASE in capsys.readouterr().err


@pytest.mark.parametrize("listen", ["127.0.0.1:8501", "[::]:80", "*:8501", "lab.example.org:8501"])
def test_an_address_and_a_port_are_taken(listen):
    assert asked(["--listen", listen]).listen == listen


@pytest.mark.parametrize("listen", ["8501", "127.0.0.1", ":::8501", "127.0.0.1:8501; x", ":8501"])
def test_what_is_no_address_with_a_port_is_refused_with_what_is_one(listen, capsys):
    with pytest.raises(SystemExit):
        asked(["--listen", listen])
    assert "such as 127.0.0.1:8501" in (said := capsys.readouterr().err)
    assert "[::]:8501" in said
    assert repr(listen) in said


def test_replicas_share_the_cores_that_this_process_may_use(monkeypatch, tmp_path):
    if not hasattr(os, "sched_getaffinity"):
        pytest.skip("this system does not say")
    monkeypatch.delenv("GRADIENT_TRICKS_CORES", raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: range(12))
    assert asked([]).replicas == 6
    site = Site(3, "127.0.0.1:8501", free_port(), "", tmp_path)
    assert site.replicas[0].environment["GRADIENT_TRICKS_CORES"] == "4"


@pytest.mark.parametrize(
    ("words", "asked_for"),
    [
        ((), []),
        (("REPLICAS=1",), ["--replicas", "1"]),
        (("REPLICAS=4", "LISTEN=0.0.0.0", "PORT=80"), ["--replicas", "4"]),
    ],
)
def test_make_serves_as_many_as_are_asked_for(words, asked_for):
    if shutil.which("make") is None:
        pytest.skip("make is not installed here")
    around = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "REPLICAS")
    kept = {name: value for name, value in os.environ.items() if name not in around}
    done = subprocess.run(
        ["make", "--dry-run", "serve", *words], cwd=ROOT, env=kept, capture_output=True, text=True
    )
    last = done.stdout.splitlines()[-1]
    said = last.partition("-m deploy.serve")[2].split()
    assert said[: said.index("--listen")] == asked_for
    asked(said)


def test_where_nothing_can_be_written_it_says_so(monkeypatch):
    def full(**_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryDirectory", full)
    with pytest.raises(SystemExit, match=r"none can be made: .*No space left.*TMPDIR=/path make s"):
        place()


SITE = """
import sys, time
from pathlib import Path
from deploy.replica import Replica
from deploy.serve import Site
Replica.start = Replica.wait = lambda *_: None  # nginx alone
site = Site(1, sys.argv[1], int(sys.argv[2]), "", Path(sys.argv[3]))
site.start()
print(site._nginx.pid, flush=True)
time.sleep(600)
"""


def test_nginx_ends_where_the_site_was_killed(tmp_path):
    if nginx() is None:
        pytest.skip("nginx is not installed here")
    where = [f"127.0.0.1:{free_port()}", str(free_port()), str(tmp_path)]
    command = [sys.executable, "-c", SITE, *where]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as site:
        pid = int(site.stdout.readline())
        assert lives(pid)
        site.kill()
    until = time.monotonic() + 30
    while lives(pid):
        if time.monotonic() > until:
            os.kill(pid, signal.SIGTERM)
            pytest.fail("nginx goes on without its site")
        time.sleep(0.05)


def lives(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.long
def test_a_replica_ends_where_the_site_was_killed():
    replica = Replica(free_port(), "", dict(os.environ))
    replica.start()
    try:
        replica.wait(threading.Event(), START_SECONDS)
        replica.process.stdin.close()  # as the system does for one that was killed
        assert replica.process.wait(60) == -signal.SIGTERM
    finally:
        replica.end()
