"""What is said on Streamlit's own socket: what pages of ours say reaches it, and nothing else."""

import threading

import pytest
import uvicorn
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from pages.server import stream
from pages.server.stream import BURST, MOST_BYTES, MOST_QUERY, MOST_STATES, STREAM, CheckedStream
from tests.server.asgi import run
from tests.support.server import START_SECONDS, free_port


class Line:
    """Uvicorn's side of a socket, on which these messages come."""

    def __init__(self, contents=()):
        self._coming = [{"type": "websocket.receive", "bytes": content} for content in contents]
        self.transport, self.read = self, True

    async def receive(self):
        return self._coming.pop(0) if self._coming else {"type": "websocket.disconnect"}

    def close(self):
        """Read nothing more."""
        self.read = False


def heard(*contents, line=None):
    """The messages that reach Streamlit, and the code with which the socket was closed."""
    line = line or Line(contents)
    reached, closed = [], []

    async def send(message):
        closed.append(message["code"])

    async def streamlits(scope, receive, send):
        while (message := await receive())["type"] != "websocket.disconnect":
            reached.append(message["bytes"])

    scope = {"type": "websocket", "path": f"/{STREAM}", "headers": [(b"host", b"localhost")]}
    run(CheckedStream(streamlits)(scope, line.receive, send))
    return reached, closed


def said(**fields):
    return BackMsg(**fields).SerializeToString()


def page(query="", states=()):
    client = {"query_string": query, "widget_states": {"widgets": states}}
    return said(rerun_script=client)


RUN = page("lesson=flip", [WidgetState(id="next", trigger_value=True)])
OURS = [RUN, said(stop_script=True), said(app_heartbeat=True)]


def test_what_a_page_says_is_heard_as_it_came():
    assert heard(*OURS) == (OURS, [])


OTHERS = {
    "file_urls_request": {"file_names": ["a"]},
    "backend_operation_request": {"install_skills": {}},
    "load_git_info": True,
    "clear_cache": True,
    "set_run_on_save": True,
    "debug_disconnect_websocket": True,
    "debug_shutdown_runtime": True,
}


@pytest.mark.parametrize("kind", OTHERS)
def test_what_no_page_of_ours_says_is_not_heard(kind, caplog):
    """Nor logged more than once: Streamlit would, each time."""
    other = said(**{kind: OTHERS[kind]})
    assert heard(other, other, RUN, other) == ([RUN], [])
    assert [record.message for record in caplog.records] == [
        f"Streamlit's socket: a message of the kind {kind} came and is left out"
    ]


def test_every_kind_there_is_was_looked_at():
    """Of a new one somebody has to say whether our pages need it."""
    kinds = {field.name for field in BackMsg.DESCRIPTOR.fields if field.containing_oneof}
    assert kinds == {*OTHERS, *stream.HEARD}


@pytest.mark.parametrize(
    "content",
    [
        said(file_urls_request={"file_names": [""] * (MOST_BYTES // 2)}),
        page(states=[WidgetState()] * (MOST_STATES + 1)),
        page("a=1&" * (MOST_QUERY // 4 + 1)),
    ],
    ids=["many files", "many widgets", "many words"],
)
def test_what_would_take_much_more_than_its_bytes_closes_the_socket(content):
    assert heard(content, RUN) == ([], [1009])


def test_as_much_as_a_page_may_say_is_heard():
    most = page("a" * MOST_QUERY, [WidgetState(id="x", string_value="x" * 500)] * MOST_STATES)
    assert len(most) < MOST_BYTES
    assert heard(most) == ([most], [])


def test_who_says_more_than_a_page_can_is_closed():
    reached, closed = heard(*[RUN] * (2 * int(BURST)))
    assert BURST <= len(reached) < 1.2 * BURST
    assert closed == [1008]


def test_only_of_who_says_too_much_nothing_more_is_read():
    """All others are let say that they close, too."""
    for content, read in ((RUN, False), (b"\xff" * 9, True), (b"x" * (MOST_BYTES + 1), True)):
        line = Line([content] * (2 * int(BURST)))
        heard(line=line)
        assert line.read is read


def test_a_long_message_counts_as_many():
    long = page("a" * MOST_QUERY)
    reached, closed = heard(*[long] * 20)
    assert BURST * stream.SHORT / len(long) - 1 < len(reached) < 10
    assert closed == [1008]


@pytest.fixture(scope="module")
def served():
    """The address of such a socket on a server of uvicorn's, which says again what it hears."""

    async def echo(scope, receive, send):
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] != "websocket.disconnect":
            if message["type"] == "websocket.receive":
                await send({"type": "websocket.send", "bytes": message["bytes"]})

    port = free_port()
    config = uvicorn.Config(
        CheckedStream(echo), port=port, ws="websockets-sansio", lifespan="off", log_level="warning"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    for _ in range(100 * START_SECONDS):
        if server.started or not thread.is_alive():
            break
        threading.Event().wait(0.01)
    yield f"ws://127.0.0.1:{port}/{STREAM}"
    server.should_exit = True
    thread.join(20)


@pytest.mark.parametrize("sign", ["ping", "pong"])
def test_who_sends_signs_of_life_without_end_is_let_go(served, sign):
    """Each ping is answered, and who reads none of it would fill this machine's memory."""
    with connect(served) as other:

        def say(count):
            for number in range(count):
                getattr(other, sign)(f"{count} {number}")
            other.send(RUN)
            return other.recv(10)

        assert say(20) == RUN, "some are no harm"
        with pytest.raises(ConnectionClosed):
            say(10_000)
