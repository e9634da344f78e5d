"""Which replica nginx asks, and which one next: a browser comes back to its own, and where one is
gone, about to end or of another version, another one is asked.
"""

import os
import re
import shutil
import socket
import subprocess
from collections import Counter
from contextlib import ExitStack, closing
from http.client import HTTPConnection

import pytest
import yaml

from deploy.serve import HERE, filled_in, nginx
from pages.server.__main__ import PING
from pages.server.application import SOCKET
from pages.server.streamlit_guard import STREAM
from tests.deploy.front import configured, holds_sockets, started
from tests.support.server import ROOT, free_port

FRONT = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]["front"]
COOKIE = "gradient_tricks_replica"
REPLICA = """
server {{
    listen {address};
    location / {{ return 200 "{name}"; }}
    location /files/ {{ add_header Cache-Control max-age=9; return 200 "{name}"; }}
    {more}
}}
"""
ENDING = "location ~ ^/(reversal|api|labs) { return 503; }"
HEARD = (
    'location /heard { return 200 "$http_host|$http_upgrade|$http_connection|'
    '$http_x_forwarded_for|$http_x_forwarded_proto"; }'
)
TEXT = f'location /text {{ default_type text/plain; return 200 "{"word " * 400}"; }}'
OPENS = b"GET /labs HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n"
OLDER = "location /files/newer/ { return 404; }"


def answer(port, path="/", method="GET", cookie=""):
    """What one who has this cookie is told, and the cookie that comes with it."""
    line = HTTPConnection("127.0.0.1", port, timeout=60)
    with closing(line):
        body = b"a document" if method == "POST" else None
        line.request(method, path, body, {"Cookie": f"{COOKIE}={cookie}"} if cookie else {})
        reply = line.getresponse()
        return reply.status, reply.read().decode(), reply.headers["Set-Cookie"] or ""


@pytest.fixture
def site(tmp_path):
    """Two replicas that say their number; the first as ``more`` has it. The port of the site."""
    ports = [free_port() for _ in range(2)]
    port = configured(tmp_path, *ports)

    def starts(more="", count=2):
        text = "".join(
            REPLICA.format(address=f"127.0.0.1:{port}", name=name, more="" if name else more)
            for name, port in enumerate(ports[2 - count :], 2 - count)
        )
        (tmp_path / "conf.d" / "replicas.conf").write_text(text, "utf-8")
        return started(tmp_path, port)

    return starts


def test_a_browser_comes_back_to_its_replica_and_browsers_spread(site):
    with site() as front:
        first = Counter()
        for _ in range(40):
            status, name, cookie = answer(front.port)
            assert status == 200
            own = cookie.partition(";")[0].partition("=")[2]
            first[name] += 1
            assert {answer(front.port, cookie=own)[1] for _ in range(5)} == {name}
        assert min(first["0"], first["1"]) > 5
        labs = Counter(answer(front.port, "/api/lessons", cookie="same")[1] for _ in range(40))
        assert min(labs["0"], labs["1"]) > 5


def test_where_its_replica_is_gone_another_one_answers(site):
    with site(count=1) as front:
        for number in range(20):
            assert answer(front.port, cookie=f"browser-{number}")[:2] == (200, "1")


@pytest.mark.parametrize(
    ("path", "method"),
    [
        *(("/reversal", "GET"), ("/labs", "GET")),
        *(("/api/playground/torch", method) for method in ("GET", "POST")),
    ],
)
def test_what_a_replica_that_is_about_to_end_refuses_is_asked_of_another(site, path, method):
    with site(ENDING) as front:
        for _ in range(10):
            assert answer(front.port, path, method)[:2] == (200, "1")


def asked(port, path, headers):
    line = HTTPConnection("127.0.0.1", port, timeout=60)
    with closing(line):
        line.request("GET", path, headers=headers)
        reply = line.getresponse()
        return reply.read().decode("latin-1"), reply.headers


def test_a_replica_hears_what_was_asked_for_and_how(site):
    told = {"Host": "lab.example.org", "X-Forwarded-For": "192.0.2.7"}
    opens = {"Upgrade": "websocket", "Connection": "Upgrade"}
    with site(HEARD) as front:
        heard = {asked(front.port, "/heard", told)[0] for _ in range(10)} - {"1"}
        assert heard == {"lab.example.org|||192.0.2.7, 127.0.0.1|http"}
        told |= {"X-Forwarded-Proto": "https", **opens}
        heard = {asked(front.port, "/heard", told)[0] for _ in range(10)} - {"1"}
        assert heard == {"lab.example.org|websocket|upgrade|192.0.2.7, 127.0.0.1|https"}


@pytest.mark.parametrize(("scheme", "secure"), [("", False), ("http", False), ("https", True)])
def test_its_cookie_is_secure_where_the_page_came_by_tls(site, scheme, secure):
    with site() as front:
        _, headers = asked(front.port, "/", {"X-Forwarded-Proto": scheme} if scheme else {})
    cookie = headers["Set-Cookie"].split("; ")
    assert {"Path=/", "HttpOnly", "SameSite=Lax"} <= {*cookie}
    assert ("Secure" in cookie) == secure


def test_text_is_compressed_on_its_way(site):
    with site(TEXT) as front:
        found = [asked(front.port, "/text", {"Accept-Encoding": "gzip"}) for _ in range(10)]
    sizes = {len(body) for body, headers in found if headers["Content-Encoding"] == "gzip"}
    assert sizes
    assert max(sizes) < 200


def test_a_flood_of_sockets_from_one_address_is_refused(tmp_path):
    with holds_sockets() as replica:
        port = configured(tmp_path, replica)
        place = tmp_path / "conf.d" / "site.conf"
        text, found = re.subn(
            r"limit_conn sockets \d+;", "limit_conn sockets 3;", place.read_text()
        )
        assert found
        place.write_text(text, "utf-8")
        with started(tmp_path, port) as front, ExitStack() as held:
            seen = []
            for _ in range(5):
                line = socket.create_connection(("127.0.0.1", front.port), timeout=60)
                held.enter_context(line).sendall(OPENS)
                seen.append(int(line.recv(1000).split()[1]))
    assert seen == [101, 101, 101, 429, 429]


def test_a_socket_may_be_silent_for_longer_than_the_app_is():
    """The app says something every so often on each; what nginx is given by itself is a minute."""
    text = (HERE / "site.conf.template").read_text("utf-8")
    for path in (f"${{BASE}}/{STREAM}", f"= ${{BASE}}/{SOCKET}"):
        block = text.partition(f"location {path} {{")[2].partition("}")[0]
        (seconds,) = re.findall(r"proxy_read_timeout (\d+)s;", block)
        assert int(seconds) >= 2 * PING
        assert "proxy_buffering off;" in block


def test_a_file_that_an_older_version_lacks_comes_from_the_newer_one_and_is_kept(site):
    with site(OLDER) as front:
        for number in range(10):
            assert answer(front.port, f"/files/newer/{number}.js")[:2] == (200, "1")
        found = {answer(front.port, "/files/one.js")[1] for _ in range(10)}
        assert len(found) == 1, "it is asked for once"


def test_the_browsers_of_a_replica_that_is_replaced_spread_over_all(tmp_path):
    """Each opens its page anew, all at once, and one replica alone would be long at it."""
    old, other, third, new = (free_port() for _ in range(4))
    found: list[list[str]] = []
    for ports in ((old, other, third), (new, other, third)):
        folder = tmp_path / str(ports[0])
        folder.mkdir()
        port = configured(folder, *ports)
        text = "".join(
            REPLICA.format(address=f"127.0.0.1:{one}", name=one, more="") for one in ports
        )
        (folder / "conf.d" / "replicas.conf").write_text(text, "utf-8")
        with started(folder, port) as front:
            found.append(
                [answer(front.port, cookie=f"browser-{number}")[1] for number in range(90)]
            )
    went = Counter(after for before, after in zip(*found, strict=True) if before == str(old))
    assert went.keys() == {str(other), str(third), str(new)}


def test_replicas_of_one_name_are_told_apart(tmp_path):
    """compose.yaml has one name for all of them, with an address for each."""
    if nginx() is None or shutil.which("unshare") is None:
        pytest.skip("nginx or unshare is not installed here")
    replica, port = free_port(), configured(tmp_path)
    addresses = ("127.0.0.2", "127.0.0.3")
    text = "".join(
        REPLICA.format(address=f"{address}:{replica}", name=address, more="")
        for address in addresses
    )
    (tmp_path / "conf.d" / "replicas.conf").write_text(text, "utf-8")
    (tmp_path / "hosts").write_text("".join(f"{one} app\n" for one in addresses), "utf-8")
    servers = FRONT["environment"]["SERVERS"].replace("app:8501 resolve", f"app:{replica}")
    told = FRONT["environment"] | {
        "LISTEN": f"127.0.0.1:{port}",
        "SERVERS": servers,
        "RESOLVER": "",
        "CACHE": str(tmp_path / "cache"),
    }
    text = filled_in((HERE / "site.conf.template").read_text("utf-8"), told)
    (tmp_path / "conf.d" / "site.conf").write_text(text, "utf-8")
    own = ["--map-root-user"] if os.getuid() else []  # who is not root may mount as root of its own
    apart = ["unshare", *own, "--mount", "sh", "-c"]
    named = f"mount --bind '{tmp_path}/hosts' /etc/hosts && "
    if subprocess.run([*apart, f"{named} true"], capture_output=True).returncode:
        pytest.skip("no name can be given here to two addresses")
    run = f"exec {nginx()} -p '{tmp_path}/' -c '{tmp_path}/nginx.conf'"
    options = f" -g 'daemon off; pid nginx.pid; {'user root;' if own else ''}'"
    with started(tmp_path, port, [*apart, named + run + options]) as front:
        seen = set()
        for number in range(20):
            (name,) = {answer(front.port, cookie=f"browser-{number}")[1] for _ in range(5)}
            seen.add(name)
        assert seen == {*addresses}
