"""A websocket after its handshake: what it makes of what comes, and what it says by itself."""

import asyncio
import gc
import socket
import weakref
from contextlib import asynccontextmanager

import pytest
from starlette.websockets import WebSocketDisconnect
from websockets.frames import Frame, Opcode
from websockets.protocol import CLIENT, Protocol, State

from pages.server import line
from pages.server.line import Line
from tests.server.asgi import run

MOST = 100_000
GONE = "websocket.disconnect"


class Other:
    """The other side, as a browser's."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer
        self.protocol = Protocol(CLIENT, state=State.OPEN, max_size=None)
        self.waiting = []

    def say(self, *calls):
        """Send what these calls of the protocol make, in one piece."""
        for name, *more in calls:
            getattr(self.protocol, name)(*more)
        self.writer.write(b"".join(self.protocol.data_to_send()))

    async def hears(self):
        """The next that comes; None where the connection has ended."""
        while not (events := self.waiting or self.protocol.events_received()):
            data = await asyncio.wait_for(self.reader.read(65_536), 20)
            if not data:
                return None
            self.protocol.receive_data(data)
        self.waiting = events[1:]
        return events[0]


@asynccontextmanager
async def opened():
    """A line and its other side."""
    ours, its = socket.socketpair()
    made = asyncio.Queue()
    ended = asyncio.Event()

    async def live(one):
        made.put_nowait(one)
        await ended.wait()

    ours.setblocking(False)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_accepted_socket(lambda: Line(live, MOST), ours)
    other = Other(*await asyncio.open_connection(sock=its))
    try:
        yield await made.get(), other
    finally:
        ended.set()
        other.writer.close()
        transport.abort()
        await asyncio.sleep(0.01)  # both are closed in the loop's next rounds


def lived(story):
    """Run it with both sides."""

    async def whole():
        async with opened() as (one, other):
            await asyncio.wait_for(story(one, other), 30)

    run(whole())


def test_texts_and_bytes_come_and_go_whole_and_in_order():
    async def story(one, other):
        other.say(("send_text", b"first"), ("send_binary", b"\0\1"), ("send_text", "ü".encode()))
        assert [await one.receive() for _ in range(3)] == [
            {"type": "websocket.receive", "text": "first"},
            {"type": "websocket.receive", "bytes": b"\0\1"},
            {"type": "websocket.receive", "text": "ü"},
        ]
        await one.send_text("ä")
        assert (await other.hears()).data == "ä".encode()
        await one.send_bytes(b"\0" * 300_000)
        assert (await other.hears()).data == b"\0" * 300_000

    lived(story)


def test_a_message_in_parts_is_one_and_a_ping_between_them_is_answered():
    async def story(one, other):
        other.say(
            ("send_text", b"a", False),
            ("send_continuation", b"b", False),
            ("send_ping", b"there?"),
            ("send_continuation", b"c", True),
        )
        assert (await one.receive())["text"] == "abc"
        assert (await other.hears()).data == b"there?"

    lived(story)


def test_no_more_is_read_than_is_taken():
    async def story(one, other):
        for number in range(200):
            other.say(("send_text", b"%d" % number + b"." * 50_000))
        writing = asyncio.create_task(other.writer.drain())
        await asyncio.wait([writing], timeout=0.3)
        assert not writing.done(), "the other side waits"
        assert one._came.qsize() < 20
        for number in range(200):
            assert (await one.receive())["text"].rstrip(".") == str(number)
        await writing

    lived(story)


def test_who_does_not_read_is_waited_for():
    async def story(one, other):
        async def tell():
            for number in range(400):
                await one.send_bytes(b"%d" % number + b"." * 50_000)

        telling = asyncio.create_task(tell())
        await asyncio.wait([telling], timeout=0.3)
        assert not telling.done()
        assert one._transport.get_write_buffer_size() < 1_000_000
        for number in range(400):
            assert bytes((await other.hears()).data).rstrip(b".") == b"%d" % number
        await telling

    lived(story)


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ((("send_text", b"." * (MOST + 1)),), 1009),
        ((("send_text", b"\xff"),), 1007),
        ((("send_close", 1001),), 1001),
    ],
    ids=["too long", "no text", "it leaves"],
)
def test_it_closes(said, code):
    async def story(one, other):
        other.say(*said)
        message = await one.receive()
        assert (message["type"], message["code"]) == (GONE, code)
        await other.hears()
        assert other.protocol.close_rcvd.code == code
        assert await other.hears() is None
        with pytest.raises(WebSocketDisconnect):
            await one.send_text("too late")

    lived(story)


def test_bytes_that_are_no_frame_close_it():
    async def story(one, other):
        other.writer.write(b"GET / HTTP/1.1\r\n\r\n")
        message = await one.receive()
        assert (message["type"], message["code"]) == (GONE, 1002)

    lived(story)


def test_a_connection_that_breaks_is_a_disconnect():
    async def story(one, other):
        other.writer.transport.abort()
        assert await one.receive() == {"type": GONE, "code": 1006}
        with pytest.raises(WebSocketDisconnect):
            await one.send_text("too late")

    lived(story)


def test_a_close_of_ours_is_said_with_its_reason_and_waits_for_the_answer(monkeypatch):
    monkeypatch.setattr(line, "FAREWELL", 0.2)

    async def story(one, other):
        await one.close(1012, "service restart")
        await one.close(1000)  # once is enough
        assert (await one.receive())["code"] == 1012
        await other.hears()
        assert (other.protocol.close_rcvd.code, other.protocol.close_rcvd.reason) == (
            1012,
            "service restart",
        )
        assert await other.hears() is None, "nor does it wait for ever"

    lived(story)


def test_what_the_other_side_still_said_before_our_close_breaks_nothing():
    async def story(one, other):
        await one.close(1012)
        other.say(("send_text", b"under way"))
        await other.hears()
        assert other.protocol.close_rcvd.code == 1012

    lived(story)


def test_who_gives_no_sign_of_life_is_let_go_and_who_does_is_not(monkeypatch):
    monkeypatch.setattr(line, "PING", 0.3)  # both sides are on one loop, which may be late

    async def story(one, other):
        for _ in range(4):
            assert isinstance(await other.hears(), Frame)  # a ping
            other.writer.write(b"".join(other.protocol.data_to_send()))  # its pong
        while (heard := await other.hears()) and heard.opcode is Opcode.PING:
            pass  # pings that nobody answers
        assert heard.opcode is Opcode.CLOSE
        assert other.protocol.close_rcvd.code == 1011
        assert (await one.receive())["code"] == 1011

    lived(story)


def test_it_is_freed_once_it_is_closed():
    async def whole():
        async with opened() as (one, other):
            seen = weakref.ref(one)
            other.say(("send_close", 1000))
            await one.receive()
            del one
        await asyncio.sleep(0)
        while seen():
            gc.collect()
            await asyncio.sleep(0.01)

    run(asyncio.wait_for(whole(), 20))
