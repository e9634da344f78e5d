"""What nginx does in front of the replicas: it starts where little can be written, bounds a flood
and not a class, holds a class's sockets, and logs nothing that a learner has set.
"""

import os
import re
import resource
import socket
import time
from collections import Counter
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection

import pytest
import yaml

from deploy.serve import nginx
from tests.deploy.front import STAND_IN, configured, holds_sockets, started
from tests.support.server import ROOT, free_port

FRONT = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]["front"]
SECRET = "a-word-that-was-typed"
LONG = 16 << 20
"""Bytes of an answer that is more than the system keeps of a connection."""
NOBODY = 54_321
SOCKET = (
    f"GET /labs?x={SECRET} HTTP/1.1\r\nHost: localhost\r\nReferer: http://localhost/?x={SECRET}\r\n"
    "Upgrade: websocket\r\nConnection: upgrade\r\n\r\n"
).encode()


def one_worker(text):
    return text.replace("worker_processes auto;", "worker_processes 1;")


def few_handles(text):
    changed, found = re.subn(r"worker_rlimit_nofile \d+;", "worker_rlimit_nofile 64;", text)
    assert found
    return one_worker(changed)


@pytest.fixture
def front(tmp_path):
    """nginx in front of a replica that answers at once."""
    replica = free_port()
    port = configured(tmp_path, replica)
    (tmp_path / "conf.d" / "replica.conf").write_text(STAND_IN.format(port=replica), "utf-8")
    with started(tmp_path, port) as front:
        yield front


def asked(front, path, count):
    """Ask so often, without waiting for answers in between: how many came with which status."""
    seen, head = Counter(), f"GET {path} HTTP/1.1\r\nHost: localhost\r\n"
    while count:
        some = min(count, 500)
        count -= some
        with socket.create_connection(("127.0.0.1", front.port), timeout=60) as line:
            line.sendall(f"{head}\r\n".encode() * (some - 1))
            line.sendall(f"{head}Connection: close\r\n\r\n".encode())
            answers = b"".join(iter(lambda: line.recv(1 << 16), b""))
        seen.update(int(one) for one in re.findall(rb"HTTP/1.1 (\d+)", answers))
    return seen


def location(front, path):
    line = HTTPConnection("127.0.0.1", front.port, timeout=60)
    with closing(line):
        line.request("GET", path)
        return line.getresponse().headers["Location"]


def test_compose_starts_it_where_nginx_own_folder_cannot_be_written(tmp_path):
    port = configured(tmp_path, free_port())
    given = FRONT.get("command", ["nginx", "-g", "daemon off;"])
    program, *options = (one.replace("/tmp/", f"{tmp_path}/") for one in given)
    assert program == "nginx"
    nowhere = ["-p", f"{tmp_path}/nowhere/", "-c", f"{tmp_path}/nginx.conf"]
    with started(tmp_path, port, [str(nginx()), *nowhere, *options]) as front:
        assert asked(front, "/", 1) == {502: 1}  # it answers, and there is no replica
        assert not front.log()


def test_what_the_container_writes_lies_where_it_can():
    assert FRONT["read_only"]
    (pid,) = re.findall(r"pid (\S+);", " ".join(FRONT["command"]))
    for path in (pid, FRONT["environment"]["CACHE"], "/etc/nginx/conf.d/site.conf"):
        assert any(path.startswith(f"{folder}/") for folder in FRONT["tmpfs"]), path


def test_who_is_not_root_gets_long_answers_whole(tmp_path):
    """What a slow reader has not yet taken lies on the disk, and so does what he sends: below the
    site's own folder, whatever its name. The system's are for root and for nginx's own user.
    """
    folder = tmp_path / "two words"
    (folder / "api").mkdir(parents=True)
    (folder / "api" / "long").write_bytes(os.urandom(LONG))
    replica = free_port()
    port = configured(folder, replica)
    text = f'server {{ listen 127.0.0.1:{replica}; root "{folder}"; }}'
    (folder / "conf.d" / "replica.conf").write_text(text, "utf-8")
    user = None if os.getuid() else NOBODY
    os.chown(folder, os.getuid() if user is None else user, -1)
    with started(folder, port, user=user) as front:
        with socket.create_connection(("127.0.0.1", front.port), timeout=60) as line:
            line.sendall(b"GET /api/long HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            time.sleep(0.5)  # nginx has it all by now
            answer = b"".join(iter(lambda: line.recv(1 << 20), b""))
        assert len(answer.partition(b"\r\n\r\n")[2]) == LONG
        assert not re.search(r"/(api|body|proxy)", front.log())
    assert {"body", "proxy", "fastcgi", "scgi", "uwsgi"} <= {
        one.name.removeprefix("cache-") for one in folder.iterdir()
    }


def test_a_class_takes_its_files_and_a_flood_of_pages_is_refused(front):
    for path in ("/static/js/index.1234.js", "/files/lab.1234.js"):
        assert asked(front, path, 10_000) == {200: 10_000}
    pages = Counter()
    while not pages[429] and pages.total() < 100_000:
        pages += asked(front, "/", 1000)
    assert pages[429]
    assert pages[200] >= 6000
    # Who has used up the pages has not used up the files.
    assert asked(front, "/files/lab.1234.js", 100) == {200: 100}
    assert asked(front, "/api/lessons", 2000)[429]


@contextmanager
def connections(front, count, said=b""):
    """So many connections that are open at once; this is said on each."""
    with ExitStack() as all_:
        lines = []
        for _ in range(count):
            line = socket.create_connection(("127.0.0.1", front.port), timeout=10)
            lines.append(all_.enter_context(line))
            line.sendall(said)
        yield lines


def told(line):
    return int(line.recv(1000).split()[1])


@pytest.fixture
def many_handles():
    """This process holds both ends of more sockets than it may have by default."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    if before[1] != resource.RLIM_INFINITY and before[1] < 16_384:
        pytest.skip("fewer handles are allowed here than a class needs")
    resource.setrlimit(resource.RLIMIT_NOFILE, (8192, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_one_process_of_it_holds_the_sockets_of_a_class(tmp_path, many_handles):
    with holds_sockets() as replica:
        port = configured(tmp_path, replica, conf=one_worker)
        with (
            started(tmp_path, port, handles=1024) as front,
            connections(front, 1200, SOCKET) as lines,
        ):
            assert Counter(map(told, lines)) == {101: 1200}


def until_refused(front):
    """One socket after the other, each held, until one is not opened: what that was told."""
    with ExitStack() as held:
        for _ in range(64):
            (line,) = held.enter_context(connections(front, 1, SOCKET))
            line.settimeout(2)
            try:
                if (status := told(line)) != 101:
                    return status
            except TimeoutError:
                return None
    raise AssertionError("64 handles were enough for 64 sockets")


def test_without_handles_left_it_says_so_and_quotes_no_address(tmp_path):
    """Each socket takes two, so with one idle connection more it is the other one that is missing:
    the learner's, which is logged, or the one to the replica, which would quote the address.
    """
    ends, logs = set(), ""
    with holds_sockets() as replica:
        port = configured(tmp_path, replica, conf=few_handles)
        for idle in (0, 1):
            with started(tmp_path, port) as front, connections(front, idle):
                ends.add(until_refused(front))
                logs += front.log()
    assert ends == {None, 500}
    assert "Too many open files" in logs
    assert SECRET not in logs


@pytest.mark.parametrize(("base", "path"), [("", "/"), ("gradients", "/gradients/")])
def test_meters_stay_inside_and_the_rest_finds_its_replica(base, path, tmp_path):
    replica = free_port()
    port = configured(tmp_path, replica, base=base)
    (tmp_path / "conf.d" / "replica.conf").write_text(STAND_IN.format(port=replica), "utf-8")
    with started(tmp_path, port) as front:
        for name in ("", "reversal", "labs", "api/lessons", "files/a.js", "static/a.js", "healthz"):
            assert asked(front, path + name, 1) == {200: 1}, name
        for name in ("metrics", "_stcore/metrics"):
            assert asked(front, path + name, 1) == {404: 1}, name
        # Where it sends on, it names neither its own scheme nor its own port.
        for folder in (f"{path}api", *([path.rstrip("/")] if base else [])):
            assert location(front, folder) == f"{folder}/"
        if base:
            assert asked(front, "/", 1) == asked(front, "/metrics", 1) == {404: 1}
