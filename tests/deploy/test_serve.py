"""`make serve`: what stops its start, and what it keeps running."""

import errno
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from deploy.serve import BASE, asked, nginx, place
from pages.server.limits import CORES
from tests.deploy.front import needs_nginx
from tests.support.server import ROOT, START_SECONDS, until
from tests.support.site import command, replicas, site
from tests.support.usage import children


@pytest.mark.parametrize(
    ("words", "said"),
    [
        *((["--listen", one], repr(one)) for one in ("8501", "127.0.0.1", ":::8501", "a:1; x")),
        (["--replicas", "0"], "1 to 64, not 0"),
        (["--labs", "65"], "1 to 64, not 65"),
        (["--base", "two words"], "'two words'"),
    ],
)
def test_anything_else_is_refused_in_one_line(words, said, capsys):
    with pytest.raises(SystemExit):
        asked(words)
    assert said in capsys.readouterr().err.splitlines()[-1]


def test_the_path_comes_from_the_environment_too(monkeypatch):
    monkeypatch.delenv(BASE, raising=False)
    assert asked([]).base == ""
    monkeypatch.setenv(BASE, "gradients/")
    assert asked([]).base == "/gradients"
    assert asked(["--base", "other"]).base == "/other"


def test_there_are_as_many_processes_as_the_cores_carry(monkeypatch):
    for cores, processes in ((1, (2, 2)), (12, (6, 3)), (400, (64, 64))):
        monkeypatch.setenv(CORES, str(cores))
        assert (asked([]).replicas, asked([]).labs) == processes


@pytest.mark.parametrize(
    "words", [(), ("REPLICAS=1", "PORT=80"), ("REPLICAS=4", "LISTEN=lab.example.org")]
)
def test_make_serves_as_many_as_are_asked_for(words):
    if shutil.which("make") is None:
        pytest.skip("make is not installed here")
    around = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "REPLICAS")
    kept = {name: value for name, value in os.environ.items() if name not in around}
    make = ["make", "--dry-run", "serve", *words]
    done = subprocess.run(make, cwd=ROOT, env=kept, capture_output=True, text=True)
    said = asked(done.stdout.splitlines()[-1].partition("-m deploy.serve")[2].split())
    given = dict(word.split("=") for word in words)
    assert said.replicas == int(given.get("REPLICAS", asked([]).replicas))
    assert said.listen == f"{given.get('LISTEN', '127.0.0.1')}:{given.get('PORT', 8501)}"


def test_without_nginx_it_says_what_to_do(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    with pytest.raises(SystemExit, match="apt-get install nginx-light"):
        nginx()


def test_where_nothing_can_be_written_it_says_so(monkeypatch):
    def full(**_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "mkdtemp", full)
    with pytest.raises(SystemExit, match=r"none can be made: .*No space left.*TMPDIR=/path make s"):
        place("8501")


@pytest.mark.parametrize("address", ["127.0.0.1", "0.0.0.0", "[::]"])
def test_where_its_port_is_taken_it_says_so_and_starts_nothing(address):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        taken = socket.create_server((address.strip("[]"), 0), family=family)
    except OSError:
        pytest.skip("this machine has no IPv6")
    with taken:
        listen = f"{address}:{taken.getsockname()[1]}"
        command = [sys.executable, "-m", "deploy.serve", "--listen", listen]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode
    assert done.stderr.startswith(f"{listen} is taken: another program listens there")
    assert "make serve PORT=8502" in done.stderr


@pytest.fixture
def folder(monkeypatch):
    """The place for temporary files; a short path, since a socket's is limited to 100 bytes."""
    needs_nginx()
    with tempfile.TemporaryDirectory(prefix="site-") as name:
        monkeypatch.setenv("TMPDIR", name)
        yield Path(name)


def nothing_left(groups, folder):
    """Say whether no process lives in these groups, and the site's own folder is gone."""
    for group in groups:
        with suppress(ProcessLookupError):
            os.killpg(group, 0)
            return False
    return not list(folder.glob("gradient-tricks-*"))


@pytest.mark.slow
def test_where_something_ends_at_once_it_gives_up_and_says_what(folder):
    elsewhere = "192.0.2.1:8501"  # an address of no machine
    command = [sys.executable, "-m", "deploy.serve", "--replicas", "1", "--listen", elsewhere]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert "nginx ended before all were ready: see above" in done.stdout.splitlines()
    assert f"bind() to {elsewhere} failed" in done.stdout
    assert nothing_left([], folder)


@pytest.mark.slow
@pytest.mark.long
def test_what_is_killed_comes_back_and_the_end_leaves_nothing(folder):
    with site(2) as server:
        assert f"2 pages and 2 labs processes behind {server.url}/" in server.log()
        for kind in ("--pages", "--labs", "nginx: m"):
            pid = children(server.pid, kind)[0]
            os.kill(pid, signal.SIGKILL)
            until(
                lambda kind=kind, pid=pid: {pid} ^ {*children(server.pid, kind)} > {pid},
                START_SECONDS,
            )
        restart = [sys.executable, "-m", "deploy.serve", "--restart"]
        restart += ["--listen", server.url.removeprefix("http://")]
        before = replicas(server)
        subprocess.run(restart, cwd=ROOT, check=True)
        assert len(replicas(server)) == 4
        assert not {*before} & {*replicas(server)}
        groups = children(server.pid)
    assert until(lambda: nothing_left(groups, folder))


@pytest.mark.slow
def test_where_it_is_killed_nothing_is_left(folder):
    if shutil.which("setpriv") is None:
        pytest.skip("setpriv is not installed here")
    with subprocess.Popen(command(2)[0], cwd=ROOT) as process:
        until(lambda: len(children(process.pid, "pages.server")) == 4, START_SECONDS)
        until(lambda: children(process.pid, "nginx: m") and not children(process.pid, "setpriv"))
        groups = children(process.pid)
        process.kill()
    assert until(lambda: nothing_left(groups, folder))
