"""Which hosts are this machine's."""

import socket

import pytest
from starlette.responses import PlainTextResponse

from pages.server.hosts import KnownHosts, answers_to
from tests.server.asgi import ask

OWN = socket.gethostname().partition(".")[0]


@pytest.mark.parametrize(
    ("host", "reached"),
    [
        ("192.168.1.5:8501", "192.168.1.5"),
        ("192.168.1.5", "::ffff:192.168.1.5"),
        ("[fe80::1]:8501", "fe80::1%eth0"),
        ("127.8.9.1", "10.0.0.2"),
        ("[::1]", "10.0.0.2"),
        ("127.0.0.1", "/run/app.sock"),
        ("[::1]:8501", ""),
        ("LocalHost.:80", ""),
        (OWN, "10.0.0.2"),
        (f"{OWN.upper()}:8501", "10.0.0.2"),
        (f"{OWN}.local", "10.0.0.2"),
    ],
)
def test_names_and_the_address_that_was_reached_are(host, reached):
    assert answers_to(host, reached)


@pytest.mark.parametrize(
    ("host", "reached"),
    [
        ("192.168.1.6", "192.168.1.5"),
        ("192.168.1.5", "/run/app.sock"),
        ("192.168.1.5", ""),
        (f"{OWN}.evil.example", "192.168.1.5"),
        ("0x7f.1", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("127.0.0.1:1:2", "127.0.0.1"),
        ("127.0.0.1\n", "127.0.0.1"),
        ("[127.0.0.1", "127.0.0.1"),
        ("", "127.0.0.1"),
        ("٣", "127.0.0.1"),
    ],
)
def test_anything_else_is_not(host, reached):
    assert not answers_to(host, reached)


def test_who_chose_the_name_is_told_how_to_allow_it_however_it_was_started():
    answer = ask(KnownHosts(PlainTextResponse("a page")), "/", headers={"Host": "lab.local:8501"})
    assert answer.status == 403
    text = answer.body.decode()
    assert '<code>STREAMLIT_SERVER_ALLOWED_HOSTS="lab.local localhost 127.0.0.1"</code>' in text
    assert "make run" not in text, "make serve, a container or a cluster may have started it"
