"""Whose page may open a socket: one of ours, and nobody outside is asked about it."""

import socket
import sys
import threading
from contextlib import closing

import pytest
from streamlit import config
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from pages.server.origin import allowed
from tests.support.server import ROOT, streamlit

OURS = "127.0.0.1:8501"


@pytest.fixture
def settings():
    """Sets options of Streamlit for a test; what they were is put back."""
    before = {}

    def put(name, value):
        before.setdefault(name, config.get_option(name))
        config.set_option(name, value)

    yield put
    for name, value in before.items():
        config.set_option(name, value, config.ConfigOption.DEFAULT_DEFINITION)


@pytest.mark.parametrize(
    ("origin", "host", "fine"),
    [
        (None, OURS, True),
        ("http://127.0.0.1:8501", OURS, True),
        ("https://lab.example", "lab.example", True),
        ("http://[2001:db8::1]:8501", "[2001:db8::1]:8501", True),
        ("http://localhost:8600", "inside.example:8501", True),
        ("https://evil.example", OURS, False),
        ("https://evil.example", "localhost", False),
        ("https://user@127.0.0.1.evil.example", OURS, False),
        ("null", OURS, False),
        ("http://127.0.0.1:8501.evil.example", OURS, False),
        ("http://[::1", OURS, False),
        ("http://127.0.0.1:99999", OURS, False),
        ("http://", OURS, False),
        ("http://", "", False),
        ("", OURS, False),
    ],
)
def test_only_pages_served_from_here_may_open_a_socket(origin, host, fine):
    assert allowed(origin, host) == fine


def test_other_sites_may_where_the_settings_name_them(settings):
    course, school = "https://course.example", "https://school.example:8443"
    assert not allowed(course, OURS)
    settings("server.corsAllowedOrigins", [" https://course.example ", "other.example"])
    assert allowed(course, OURS)
    assert allowed("http://other.example", OURS)
    assert not allowed(school, OURS)
    settings("browser.serverAddress", "School.example")
    assert allowed(school, OURS)
    for named in ("https://school.example/lab", "school.example:8443", "school.example/lab"):
        settings("browser.serverAddress", named)
        assert allowed(school, OURS), named
    settings("browser.serverAddress", "http://[")
    assert not allowed(school, OURS)
    settings("server.allowedHosts", ["lab.example"])
    assert not allowed(course, OURS), "whoever asks, the name asked for is one of ours"
    assert allowed(course, "lab.example")


def test_all_sites_may_where_the_settings_say_so(settings):
    settings("server.enableCORS", False)
    assert allowed("https://evil.example", OURS)


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="asks for a proxy in its own way")
def test_no_site_on_the_internet_is_asked_about_a_page(monkeypatch):
    """What the server wants of the internet goes to its proxy, which is this test."""
    asked: list[bytes] = []

    def note():
        while True:
            try:
                line, _ = proxy.accept()
            except OSError:
                return
            with line:
                asked.append(line.recv(1000))

    with closing(socket.create_server(("127.0.0.1", 0))) as proxy:
        threading.Thread(target=note, daemon=True).start()
        there = f"http://127.0.0.1:{proxy.getsockname()[1]}"
        for name in ("http_proxy", "https_proxy"):
            monkeypatch.setenv(name, there)
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        course = {"server.corsAllowedOrigins": "https://course.example"}
        with streamlit(ROOT / "app.py", settings=course) as server:
            for path in ("labs", "_stcore/stream"):
                address = f"ws{server.url.removeprefix('http')}/{path}"
                with (
                    pytest.raises(InvalidStatus, match="403"),
                    connect(address, origin="https://evil.example", proxy=None),
                ):
                    pass
                for origin in (server.url, "https://course.example"):
                    with connect(address, origin=origin, proxy=None):
                        pass
            printed = server.log()
    assert asked == []
    assert "evil.example" not in printed
