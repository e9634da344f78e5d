"""Which process nginx asks and which one next, how it bounds a flood and not a class, and that it
logs nothing that a learner has set.
"""

import os
import re
import socket
import time
from collections import Counter
from contextlib import ExitStack, closing, contextmanager, suppress
from http.client import HTTPConnection

import pytest
import yaml

from deploy.serve import HERE
from tests.deploy.front import configured, holds_sockets, needs_nginx, started
from tests.support.server import ROOT, free_port

FRONT = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]["front"]
COOKIE = "gradient_tricks_replica"
PROCESS = """
server {{
    listen {address};
    location / {{ return 200 "{name}"; }}
    location ~ /(files|static)/ {{ add_header Cache-Control max-age=9; return 200 "{name}"; }}
    {more}
}}
"""
ENDING = "location ~ ^/(reversal|api|labs) { return 503; }"
HEARD = (
    'location /heard { return 200 "$http_host|$http_upgrade|$http_connection|'
    '$http_x_forwarded_for|$http_x_forwarded_proto"; }'
)
TEXT = f'location /text {{ default_type text/plain; return 200 "{"word " * 400}"; }}'
OLDER = "location ^~ /files/newer/ { return 404; }"
SECRET = "a-word-that-was-typed"
SOCKET = (
    f"GET /labs?x={SECRET} HTTP/1.1\r\nHost: localhost\r\nReferer: http://localhost/?x={SECRET}\r\n"
    "Upgrade: websocket\r\nConnection: upgrade\r\n\r\n"
).encode()
LONG = 16 << 20
"""Bytes of an answer, more than the system buffers for a connection."""
NOBODY = 54_321


@pytest.fixture
def site(tmp_path):
    """nginx in front of three pages and two labs processes that say their name.

    The first of each kind is as ``more`` says; those of ``away`` do not listen.
    """

    @contextmanager
    def starts(more="", away=(), base=""):
        ports = {name: free_port() for name in ("pages0", "pages1", "pages2", "labs0", "labs1")}
        pages, labs = ([ports[n] for n in ports if n.startswith(kind)] for kind in ("pa", "la"))
        port = configured(tmp_path, pages, labs, base)
        text = "".join(
            PROCESS.format(address=f"127.0.0.1:{ports[n]}", name=n, more=more * n.endswith("0"))
            for n in ports
            if n not in away
        )
        (tmp_path / "conf.d" / "processes.conf").write_text(text, "utf-8")
        with started(tmp_path, port) as front:
            yield front

    return starts


def asked(front, path="/", method="GET", headers=(), cookie=""):
    """Return the answer's status, text and headers."""
    line = HTTPConnection("127.0.0.1", front.port, timeout=60)
    with closing(line):
        own = {"Cookie": f"{COOKIE}={cookie}"} if cookie else {}
        line.request(
            method, path, b"a document" if method == "POST" else None, {**dict(headers), **own}
        )
        reply = line.getresponse()
        return reply.status, reply.read().decode("latin-1"), reply.headers


def names(front, path="/", method="GET", cookies=range(20)):
    """Return how many of these browsers each process answered."""
    found = Counter()
    for number in cookies:
        status, name, _ = asked(front, path, method, cookie=f"browser-{number}")
        assert status == 200
        found[name] += 1
    return found


@pytest.mark.parametrize("base", ["", "/gradients"])
def test_each_path_goes_to_its_kind_of_process(site, base):
    with site(base=base) as front:
        for path in ("", "reversal", "_stcore/stream", "files/a.js", "static/a.js", "healthz"):
            assert asked(front, f"{base}/{path}")[1].startswith("pages"), path
        for path in ("labs", "api/lessons"):
            assert asked(front, f"{base}/{path}")[1].startswith("labs"), path
        assert asked(front, f"{base}/_stcore/metrics")[0] == 404
        # Where nginx redirects, it names neither its own scheme nor its own port.
        for folder in (f"{base}/api", *([base] if base else [])):
            assert asked(front, folder)[2]["Location"] == f"{folder}/"
        if base:
            assert asked(front, "/")[0] == 404


def test_a_browser_comes_back_to_its_process_and_browsers_spread(site):
    with site() as front:
        for _ in range(10):
            _, name, headers = asked(front)
            own = headers["Set-Cookie"].partition(";")[0].partition("=")[2]
            assert {asked(front, cookie=own)[1] for _ in range(5)} == {name}
        assert min(names(front, cookies=range(60))[f"pages{n}"] for n in range(3)) > 5
        labs = names(front, "/api/lessons", cookies=[1] * 40)
        assert min(labs["labs0"], labs["labs1"]) > 5


def test_the_others_share_the_browsers_of_a_process_that_is_gone(site):
    with site(away=("pages0", "labs0")) as front:
        pages = names(front, cookies=range(60))
        assert min(pages["pages1"], pages["pages2"]) > 10
        assert names(front, "/labs") == {"labs1": 20}


@pytest.mark.parametrize(
    ("path", "method"),
    [("/reversal", "GET"), ("/labs", "GET"), ("/api/a", "GET"), ("/api/a", "POST")],
)
def test_another_process_answers_what_one_about_to_end_refuses(site, path, method):
    with site(ENDING) as front:
        assert not {"pages0", "labs0"} & names(front, path, method).keys()


def test_a_file_that_the_older_version_lacks_comes_from_the_newer_one_and_is_kept(site):
    with site(OLDER) as front:
        for number in range(10):
            assert asked(front, f"/files/newer/{number}.js")[1] in ("pages1", "pages2")
        assert len(names(front, "/files/one.js")) == 1, "nginx asks for it once"


def test_a_process_hears_what_was_asked_for_and_how(site):
    told = {"Host": "lab.example.org", "X-Forwarded-For": "192.0.2.7"}
    more = {"X-Forwarded-Proto": "https", "Upgrade": "websocket", "Connection": "Upgrade"}
    with site(HEARD, away=("pages1", "pages2")) as front:
        heard = asked(front, "/heard", headers=told)[1]
        assert heard == "lab.example.org|||192.0.2.7, 127.0.0.1|http"
        heard = asked(front, "/heard", headers=told | more)[1]
        assert heard == "lab.example.org|websocket|upgrade|192.0.2.7, 127.0.0.1|https"


def test_the_cookie_is_secure_and_goes_into_frames_where_the_page_came_by_tls(site):
    kinds = {"http": {"SameSite=Lax"}, "https": {"SameSite=None", "Secure", "Partitioned"}}
    with site() as front:
        for scheme, kind in kinds.items():
            cookie = asked(front, headers={"X-Forwarded-Proto": scheme})[2]["Set-Cookie"]
            assert {*cookie.split("; ")[1:]} == {"Path=/", "HttpOnly"} | kind


def test_text_is_compressed_on_its_way(site):
    with site(TEXT, away=("pages1", "pages2")) as front:
        _, body, headers = asked(front, "/text", headers={"Accept-Encoding": "gzip"})
    assert headers["Content-Encoding"] == "gzip"
    assert len(body) < 200


def test_compose_starts_it_where_only_its_temporary_folders_can_be_written(tmp_path):
    assert FRONT["read_only"]
    (pid,) = re.findall(r"pid (\S+);", " ".join(FRONT["command"]))
    for path in (pid, FRONT["environment"]["CACHE"], "/etc/nginx/conf.d/site.conf"):
        assert any(path.startswith(f"{folder}/") for folder in FRONT["tmpfs"]), path
    port = configured(tmp_path, [free_port()])
    program, *options = (one.replace("/tmp/", f"{tmp_path}/") for one in FRONT["command"])
    assert program == "nginx"
    nowhere = ["-p", f"{tmp_path}/nowhere/", "-c", f"{tmp_path}/nginx.conf"]
    with started(tmp_path, port, [needs_nginx(), *nowhere, *options]) as front:
        assert asked(front)[0] == 502  # nginx answers, and nothing is behind it
        assert not front.log()


def test_who_is_not_root_gets_long_answers_whole(tmp_path):
    """nginx keeps what a slow reader has not taken yet below the site's own folder."""
    folder, process = tmp_path / "two words", free_port()
    (folder / "api").mkdir(parents=True)
    (folder / "api" / "long").write_bytes(os.urandom(LONG))
    port = configured(folder, [9], [process])
    text = f'server {{ listen 127.0.0.1:{process}; root "{folder}"; }}'
    (folder / "conf.d" / "process.conf").write_text(text, "utf-8")
    user = None if os.getuid() else NOBODY
    os.chown(folder, os.getuid() if user is None else user, -1)
    with started(folder, port, user=user) as front:
        with socket.create_connection(("127.0.0.1", front.port), timeout=60) as line:
            line.sendall(b"GET /api/long HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            time.sleep(0.5)  # nginx has it all by now
            answer = b"".join(iter(lambda: line.recv(1 << 20), b""))
        assert len(answer.partition(b"\r\n\r\n")[2]) == LONG
        assert not re.search(r"/(api|body|proxy)", front.log())


def flood(front, path, count):
    """Ask so often, without waiting in between; return how many came with which status."""
    seen, head = Counter(), f"GET {path} HTTP/1.1\r\nHost: localhost\r\n"
    for some in [500] * (count // 500):
        with socket.create_connection(("127.0.0.1", front.port), timeout=60) as line:
            line.sendall(f"{head}\r\n".encode() * (some - 1))
            line.sendall(f"{head}Connection: close\r\n\r\n".encode())
            answers = b"".join(iter(lambda: line.recv(1 << 16), b""))
        seen.update(int(one) for one in re.findall(rb"HTTP/1.1 (\d+)", answers))
    return seen


def test_a_class_takes_its_files_and_a_flood_of_pages_is_refused(site):
    with site() as front:
        for path in ("/static/js/index.1234.js", "/files/lab.1234.js"):
            assert flood(front, path, 10_000) == {200: 10_000}
        pages = Counter()
        while not pages[429] and pages.total() < 100_000:
            pages += flood(front, "/", 1000)
        assert pages[429]
        assert pages[200] >= 6000
        # A flood of pages takes nothing from the files.
        assert flood(front, "/files/lab.1234.js", 500) == {200: 500}
        assert flood(front, "/api/lessons", 2000)[429]


@contextmanager
def connections(front, count, said=b""):
    """Open so many connections at once and say this on each."""
    with ExitStack() as all_:
        lines = []
        for _ in range(count):
            line = socket.create_connection(("127.0.0.1", front.port), timeout=10)
            lines.append(all_.enter_context(line))
            line.sendall(said)
        yield lines


def status(line):
    return int(line.recv(1000).split()[1])


def changed(text, pattern, new):
    text, found = re.subn(pattern, new, text)
    assert found
    return text


def one_worker(text):
    return changed(text, "worker_processes auto;", "worker_processes 1;")


def test_a_flood_of_sockets_from_one_address_is_refused(tmp_path):
    with holds_sockets() as process:
        port = configured(tmp_path, [9], [process])
        file = tmp_path / "conf.d" / "site.conf"
        text = changed(file.read_text("utf-8"), r"limit_conn sockets \d+;", "limit_conn sockets 3;")
        file.write_text(text, "utf-8")
        with started(tmp_path, port) as front, connections(front, 4, SOCKET) as lines:
            assert sorted(map(status, lines)) == [101, 101, 101, 429]


def test_one_worker_of_nginx_holds_the_sockets_of_a_class(tmp_path):
    """Where the system allows few open files, nginx.conf asks for more."""
    main = (HERE / "nginx.conf").read_text("utf-8")
    files, lines = re.search(r"nofile (\d+);.*worker_connections (\d+);", main, re.DOTALL).groups()
    assert int(files) >= int(lines) + 4000 >= 8000, "a class on one worker, and files for it"
    with holds_sockets() as process:
        port = configured(tmp_path, [9], [process], conf=one_worker)
        with (
            started(tmp_path, port, handles=100) as front,
            connections(front, 90, SOCKET) as lines,
        ):
            assert [status(line) for line in lines] == [101] * 90


def test_without_handles_left_it_says_so_and_quotes_no_address(tmp_path):
    """A socket takes two, and one idle connection decides which is missing: the learner's, which
    nginx logs, or the one to the app, for which it would quote the address.
    """

    def few(text):
        return one_worker(changed(text, r"worker_rlimit_nofile \d+;", "worker_rlimit_nofile 64;"))

    told, logs = Counter(), ""
    with holds_sockets() as process:
        port = configured(tmp_path, [9], [process], conf=few)
        for idle in (0, 1):
            with (
                started(tmp_path, port) as front,
                connections(front, idle),
                connections(front, 40, SOCKET) as lines,
                suppress(TimeoutError),
            ):
                for line in lines:
                    line.settimeout(2)
                    told[status(line)] += 1
            logs += front.log()
    assert told.keys() == {101, 500}
    assert "Too many open files" in logs
    assert SECRET not in logs


def test_a_socket_may_be_silent_for_longer_than_the_app_is():
    text = (HERE / "site.conf.template").read_text("utf-8")
    for path in ("${BASE}/_stcore/stream", "= ${BASE}/labs"):
        block = text.partition(f"location {path} {{")[2].partition("}")[0]
        (seconds,) = re.findall(r"proxy_read_timeout (\d+)s;", block)
        assert int(seconds) >= 60, "uvicorn pings every 20 seconds"
        assert "proxy_buffering off;" in block
