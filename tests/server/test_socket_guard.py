"""What our pages say on Streamlit's socket reaches it and nothing else; floods end a connection."""

import socket
import time
import urllib.request
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from pages.server import socket_guard
from pages.server.socket_guard import LAB, MOST_QUERY, MOST_STATES, PAGE, STREAM
from tests.server.asgi import run
from tests.server.serving import listening
from tests.support.server import START_SECONDS


class FakeSocket:
    """What uvicorn has of a socket on which these messages come."""

    def __init__(self, contents: tuple[bytes | None, ...]) -> None:
        self.coming = [{"type": "websocket.receive", "bytes": content} for content in contents]
        self.transport, self.cut = self, False

    async def receive(self) -> Message:
        return self.coming.pop(0) if self.coming else {"type": "websocket.disconnect"}

    def abort(self) -> None:
        self.cut = True


def heard(*contents: bytes | None) -> tuple[list[bytes], bool]:
    """The messages that reach Streamlit, and whether the connection was cut."""
    fake = FakeSocket(contents)
    reached: list[bytes] = []

    async def streamlits(scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["headers"] == [(b"host", b"localhost")], "else Streamlit asks the internet"
        while (message := await receive())["type"] != "websocket.disconnect":
            reached.append(message["bytes"])

    named = [(b"host", b"localhost"), (b"origin", b"http://localhost")]
    scope = {"type": "websocket", "path": f"/{STREAM}", "headers": named}

    async def unused(message: Message) -> None:
        raise AssertionError("nothing is sent")

    run(socket_guard.SocketGuard(streamlits)(scope, fake.receive, unused))
    return reached, fake.cut


def said(**fields: Any) -> bytes:
    return bytes(BackMsg(**fields).SerializeToString())


def page(query: str = "", states: Collection[WidgetState] = ()) -> bytes:
    client = {"query_string": query, "widget_states": {"widgets": states}}
    return said(rerun_script=client)


RUN = page("lesson=flip", [WidgetState(id="next", trigger_value=True)])
FULL = page("a" * MOST_QUERY, [WidgetState(id="x", string_value="x" * 500)] * MOST_STATES)
OTHER_KINDS = {
    "file_urls_request": {"file_names": ["a"]},
    "backend_operation_request": {"install_skills": {}},
    "load_git_info": True,
    "clear_cache": True,
    "set_run_on_save": True,
    "debug_disconnect_websocket": True,
    "debug_shutdown_runtime": True,
}


@pytest.mark.parametrize("content", [RUN, FULL, said(stop_script=True), said(app_heartbeat=True)])
def test_messages_of_our_pages_pass_unchanged(content: bytes) -> None:
    assert heard(content) == ([content], False)


def test_every_kind_of_streamlits_messages_is_listed() -> None:
    """If Streamlit adds a kind, decide whether our pages need it."""
    kinds = {field.name for field in BackMsg.DESCRIPTOR.fields if field.containing_oneof}
    assert kinds == {*OTHER_KINDS, *socket_guard.KINDS}


@pytest.mark.parametrize(
    "content",
    [
        None,
        b"\xff" * 300,
        page(states=[WidgetState()] * (MOST_STATES + 1)),
        page("a=1&" * (MOST_QUERY // 4 + 1)),
        *(said(**{kind: content}) for kind, content in OTHER_KINDS.items()),
    ],
    ids=["a text", "no message", "many widgets", "many words", *OTHER_KINDS],
)
def test_what_no_page_can_say_cuts_the_connection_and_is_logged_once(
    content: bytes | None, caplog: pytest.LogCaptureFixture
) -> None:
    assert heard(content, RUN) == ([], True)
    assert len(caplog.records) == 1


@contextmanager
def opened(path: str) -> Iterator[ClientConnection]:
    """A socket of uvicorn's at this path, which says again what it hears."""

    async def echo(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] != "websocket.disconnect":
            if message["type"] == "websocket.receive":
                await send({"type": "websocket.send", "bytes": message["bytes"]})

    guard = socket_guard.SocketGuard(echo)
    with listening(guard) as host:
        # No ping of its own among what the test counts.
        address = f"ws://{host}/{path}"
        with connect(address, open_timeout=START_SECONDS, ping_interval=None) as socket:
            yield socket


def empty_piece(socket: ClientConnection) -> None:
    """Send an empty continuation frame."""
    with socket.send_context():
        socket.protocol.send_continuation(b"", fin=False)


@pytest.mark.parametrize("path", [STREAM, "labs"])
@pytest.mark.parametrize("small", [lambda s: s.ping(), lambda s: s.pong(b"x"), empty_piece])
def test_a_flood_of_small_frames_ends_the_connection(
    path: str, small: Callable[[ClientConnection], object]
) -> None:
    """uvicorn answers each ping: a client that reads no answers would fill the server's memory."""
    with opened(path) as socket:
        if small is empty_piece:
            with socket.send_context():
                socket.protocol.send_binary(b"", fin=False)
        for _ in range(20):
            small(socket)
        if small is not empty_piece:
            socket.send(RUN)
            assert socket.recv(START_SECONDS) == RUN, "some are no harm"
        assert ends(socket, small)


@pytest.mark.parametrize(
    ("path", "limit", "flood"), [(STREAM, PAGE, RUN), ("labs", LAB, b"")], ids=["page", "lab"]
)
@pytest.mark.parametrize("longer", [1, 8])
def test_a_flood_of_messages_ends_the_connection_and_a_long_one_counts_as_many(
    path: str,
    limit: socket_guard.Limit,
    flood: bytes,
    longer: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A real burst is heard in full."""
    content = page("a" * int(longer * limit.short - 100))
    with opened(path) as socket:
        for _ in range(int(limit.burst) // longer):
            socket.send(content)
            assert socket.recv(START_SECONDS) == content
        assert ends(socket, lambda s: s.send(flood))
    uvicorns = [one for one in caplog.records if one.name.startswith("uvicorn")]
    assert not uvicorns, "the limit ended it, not an error"


def test_a_message_to_a_page_that_is_too_long_cuts_the_connection() -> None:
    with opened(STREAM) as socket:
        assert ends(socket, lambda s: s.send(page("a" * 400_000)), 1)


def ends(
    socket: ClientConnection, flood: Callable[[ClientConnection], object], times: int = 20_000
) -> bool:
    """Whether the server ends the connection."""
    try:
        for _ in range(times):
            flood(socket)
        while True:
            socket.recv(START_SECONDS)
    except ConnectionClosed:
        return True


@pytest.mark.parametrize("before", [b"", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"])
def test_a_request_that_does_not_become_whole_ends_its_connection(
    before: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket_guard, "LONGEST_REQUEST", 0.05)
    with listening(PlainTextResponse("here"), http=socket_guard.Protocol) as host:
        name, port = host.split(":")
        with socket.create_connection((name, int(port)), START_SECONDS) as client:
            client.sendall(before)
            while before and not client.recv(1000).endswith(b"here"):
                pass
            client.sendall(b"GET / HTTP/1.1\r\nHost: loc")
            with suppress(ConnectionError):
                assert not client.recv(1000)


@pytest.mark.parametrize("cut", [1, 30, 45, 60])
def test_a_body_in_chunks_ends_its_connection(cut: int) -> None:
    request = b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n"
    with listening(PlainTextResponse("here"), http=socket_guard.Protocol) as host:
        name, port = host.split(":")
        with socket.create_connection((name, int(port)), START_SECONDS) as client:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with suppress(ConnectionError):
                for part in (request[:cut], request[cut:]):
                    client.sendall(part)
                    time.sleep(0.02)
                assert not client.recv(1000)


def test_a_socket_whose_beginning_does_not_become_whole_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(socket_guard, "LONGEST_REQUEST", 0.05)
    named = {"Connection": "upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": 13}
    named |= {"Host": "localhost", "Sec-WebSocket-Key": "A" * 22 + "==", "Content-Length": 50}
    lines = "\r\n".join(f"{key}: {text}" for key, text in named.items())
    with listening(PlainTextResponse("here"), http=socket_guard.Protocol) as host:
        name, port = host.split(":")
        with socket.create_connection((name, int(port)), START_SECONDS) as client:
            client.sendall(f"GET / HTTP/1.1\r\n{lines}\r\n\r\nabc".encode())
            with suppress(ConnectionError):
                assert not client.recv(1000)


def test_a_long_answer_and_a_socket_outlive_an_unfinished_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waiting = []
    monkeypatch.setattr(
        socket_guard.Protocol, "_give_up_later", lambda one: waiting.append((one, one.cycle))
    )

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
        for one, last in waiting:  # as if the time for an unfinished request were over now
            one._give_up(last)
        if scope["type"] == "websocket":
            await send({"type": "websocket.send", "text": "here"})
        else:
            await PlainTextResponse("here")(scope, receive, send)

    with listening(slow, http=socket_guard.Protocol, lifespan="off") as host:
        with urllib.request.urlopen(f"http://{host}/", timeout=START_SECONDS) as answer:
            assert answer.read() == b"here"
        with connect(f"ws://{host}/", open_timeout=START_SECONDS) as client:
            assert client.recv(START_SECONDS) == "here"
    assert len(waiting) > 1
