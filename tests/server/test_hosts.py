"""Which hosts the server answers to, and which sites may open a socket."""

import socket
from typing import Any

import pytest
from starlette.responses import PlainTextResponse

from pages.server.hosts import KnownHosts
from tests.server.asgi import ask, inside, sent

OWN = socket.gethostname().partition(".")[0]
OURS = "127.0.0.1:8501"


def passes(kind: str, *headers: tuple[str, str], path: str = "/", **settings: Any) -> bool:
    """Whether a request or a socket with these headers is let through; else it is refused."""
    first, *_ = sent(KnownHosts(inside, **settings), kind, path, *headers)
    assert first["status"] in (None, 403)
    return first["status"] is None


HERE = f"""{OWN} {OWN.upper()}:8501 {OWN}.local LocalHost.:80 192.168.1.5 192.168.1.5:8501
127.8.9.1 [::1] [fe80::1]:8501"""
ELSEWHERE = f"""{OWN}.evil.example 127.0.0.1.evil.example 0x7f.1 127.0.0.1:1:2 [127.0.0.1 ٣
evil.example@localhost localhost/x"""


@pytest.mark.parametrize("host", HERE.split())
def test_names_of_this_machine_and_addresses_in_numbers_are_answered(host: str) -> None:
    assert passes("http", ("host", host))


@pytest.mark.parametrize("host", [*ELSEWHERE.split(), "", "127.0.0.1\n"])
def test_anything_else_is_refused(host: str) -> None:
    for kind in ("http", "websocket"):
        assert not passes(kind, ("host", host)), kind


@pytest.mark.parametrize("hosts", [(), ("localhost", "evil.example")])
def test_a_request_without_exactly_one_host_is_refused(hosts: tuple[str, ...]) -> None:
    assert not passes("http", *(("host", host) for host in hosts))


@pytest.mark.parametrize(
    ("allowed", "yes", "no"),
    [
        ("Lab.example", "lab.example:8501 LAB.example.", "localhost a.lab.example"),
        ("*.example ::1", "lab.example a.b.example [::1]:8501", "example lab.examples"),
        ("*", "anything 10.0.0.1", "a@b"),
    ],
)
def test_only_allowed_hosts_get_an_answer(allowed: str, yes: str, no: str) -> None:
    for host in (*yes.split(), *no.split()):
        found = passes("http", ("host", host), allowed=allowed.split())
        assert found == (host in yes.split()), host


def test_a_cluster_may_ask_for_a_machine_s_path_by_its_address() -> None:
    settings: dict[str, Any] = {"allowed": ["lab.example"], "machines": {"/readyz"}}
    assert passes("http", ("host", "10.0.0.2:8501"), path="/readyz", **settings)
    assert not passes("http", ("host", "10.0.0.2:8501"), **settings)


def test_the_refusal_says_how_to_allow_the_name() -> None:
    app = KnownHosts(PlainTextResponse("a page"))
    text = ask(app, "/", headers={"Host": "lab.local:8501"}).body.decode()
    assert 'STREAMLIT_SERVER_ALLOWED_HOSTS="lab.local localhost 127.0.0.1"' in text


FINE: dict[str, list[str | None]] = {
    OURS: [None, "http://127.0.0.1:8501"],
    "lab.example": ["https://lab.example"],
    "[2001:db8::1]:8501": ["http://[2001:db8::1]:8501"],
    "inside.example:8501": ["http://localhost:8600"],
}
EVIL = """https://evil.example https://user@127.0.0.1.evil.example https://localhost@evil.example
null http://127.0.0.1:8501.evil.example http://127.0.0.1:8502@evil.example http://[::1 http://"""


def opens(origin: str | None, host: str = OURS, **settings: Any) -> bool:
    """Whether a page of this origin may open a socket; it may ask for anything."""
    headers = [("host", host)] + ([("origin", origin)] if origin is not None else [])
    assert passes("http", *headers, allowed=["*"])
    return passes("websocket", *headers, allowed=["*"], **settings)


@pytest.mark.parametrize("host", FINE)
def test_only_pages_served_from_here_may_open_a_socket(host: str) -> None:
    assert all(opens(origin, host) for origin in FINE[host])
    assert not any(opens(origin, host) for origin in [*EVIL.split(), ""])


def test_other_sites_may_where_the_settings_name_them() -> None:
    school = "https://school.example:8443"
    for name in ("School.example", "school.example:8443", "school.example/lab"):
        for setting in (name, f" https://{name} "):
            assert opens(school, origins=["other.example", setting])
            assert not opens("https://evil.example", origins=["other.example", setting])
    for settings in (["https://course.example"], ["http://[", ""]):
        assert not opens(school, origins=settings)
    assert opens("https://evil.example", origins=None)
