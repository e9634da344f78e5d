"""What happens to the replicas when they are told to be new ones, without nginx and the app."""

import socket

import pytest

from deploy import serve
from deploy.serve import Replica, Site
from tests.support.server import free_port


@pytest.fixture
def happened(monkeypatch):
    """What was done to replicas, in order."""
    done = []

    def noted(what):
        return lambda replica, *_: done.append((what, replica.port))

    for what in ("start", "wait", "end"):
        monkeypatch.setattr(Replica, what, noted(what))
    monkeypatch.setattr(serve, "RELOAD", 0.0)
    return done


def ports(site, folder):
    text = (folder / "conf.d" / "site.conf").read_text("utf-8")
    return [one.port for one in site.replicas], [
        port for port in range(9000, 9010) if f"127.0.0.1:{port} " in text
    ]


def test_a_new_replica_is_ready_before_an_old_one_ends(happened, tmp_path):
    site = Site(2, "127.0.0.1:8501", 9001, "", tmp_path)
    site.roll()
    assert happened == [
        *(("start", 9003), ("wait", 9003), ("end", 9001)),
        *(("start", 9001), ("wait", 9001), ("end", 9002)),
    ]
    assert ports(site, tmp_path) == ([9003, 9001], [9001, 9003])
    happened.clear()
    site.end()
    assert sorted(happened) == [("end", port) for port in (9001, 9003)]


def test_where_no_new_one_starts_the_old_ones_go_on(happened, tmp_path, monkeypatch, capsys):
    def fails(replica, ending):
        raise RuntimeError(f"the replica on port {replica.port} did not become ready")

    site = Site(2, "127.0.0.1:8501", 9001, "", tmp_path)
    monkeypatch.setattr(Replica, "wait", fails)
    site.roll()
    assert happened == [("start", 9003), ("end", 9003)]
    assert ports(site, tmp_path) == ([9001, 9002], [9001, 9002])
    said = "the replica on port 9003 did not become ready: the old ones go on\n"
    assert capsys.readouterr().out == said


def test_a_port_that_was_taken_meanwhile_is_left_alone(happened, tmp_path):
    first = free_port()
    site = Site(1, "127.0.0.1:8501", first, "", tmp_path)
    assert [one.port for one in site.replicas] == [first]
    with socket.create_server(("127.0.0.1", first + 1)):  # another site's
        site.roll()
    assert site.replicas[0].port > first + 1


def test_nothing_is_started_once_the_site_ends(happened, tmp_path, monkeypatch):
    site = Site(2, "127.0.0.1:8501", 9001, "", tmp_path)

    def ends(replica):
        happened.append(("end", replica.port))
        site.ending.set()  # a Ctrl-C, while the first old one ends

    monkeypatch.setattr(Replica, "end", ends)
    site.roll()
    assert happened == [("start", 9003), ("wait", 9003), ("end", 9001)]
