"""The listening socket: who has too many connections gets no more, and others do."""

import socket
from contextlib import ExitStack, suppress
from typing import Any
from unittest.mock import Mock

import pytest
import uvicorn

from pages.server import listener as listening
from pages.server.listener import Listener


def test_a_visitor_has_half_of_the_connections_and_a_proxy_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(listening, "MOST_CONNECTIONS", 6)
    monkeypatch.setattr(listening, "COUNT_EVERY", 0.0)
    server = uvicorn.Server(uvicorn.Config("app", forwarded_allow_ips="127.0.1.0/24"))
    connections: set[Any] = server.server_state.connections
    bound = socket.create_server(("127.0.0.1", 0))
    bound.setblocking(False)
    with ExitStack() as open_, Listener(bound, server) as listener:

        def accepted(host: str) -> bool:
            come = socket.create_connection(listener.getsockname(), source_address=(host, 0))
            open_.enter_context(come)
            with suppress(BlockingIOError):
                one, address = listener.accept()
                open_.enter_context(one)
                connections.add(Mock(client=address))
                return True
            return False

        assert [accepted("127.0.0.1") for _ in range(5)] == [True] * 3 + [False] * 2
        assert [accepted("127.0.0.2") for _ in range(2)] == [True] * 2
        left = next(one for one in connections if one.client[0] == "127.0.0.1")
        connections.remove(left)
        assert accepted("127.0.0.1")
        assert not accepted("127.0.0.1")
        connections -= {one for one in connections if one.client[0] == "127.0.0.1"}
        assert [accepted("127.0.1.1") for _ in range(5)] == [True] * 4 + [False]


def test_a_server_with_too_few_descriptors_says_how_many_it_needs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(listening, "raise_file_limit", lambda: 256)
    bound = socket.create_server(("127.0.0.1", 0))
    with bound, pytest.raises(SystemExit, match="256 files and needs 1024"):
        Listener(bound, uvicorn.Server(uvicorn.Config("app")))
