"""Which hosts are this machine's."""

import socket

import pytest

from pages.server.hosts import answers_to

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
