"""A websocket of one who sends much that says nothing, or reads nothing: it costs others little."""

import asyncio

import pytest
from websockets.frames import Opcode

from pages.server import line
from tests.server.test_line import lived


async def pongs(other):
    """How many come until none does for a while; it may be that more would."""
    count = 0
    while True:
        hearing = asyncio.ensure_future(other.hears())
        await asyncio.wait([hearing], timeout=0.3)
        if not hearing.done():
            hearing.cancel()
            return count
        count += hearing.result().opcode is Opcode.PONG


def test_of_a_flood_of_small_frames_few_are_read_at_a_time(monkeypatch):
    """Else one who sends nothing but pings holds up the labs of all."""
    monkeypatch.setattr(line, "RATE", 0.001)

    async def story(one, other):
        other.writer.write(b"\x89\x80\0\0\0\0" * 20_000)
        assert line.BURST <= await pongs(other) <= line.BURST + line.SLICE / 6 + 1

    lived(story)


def test_a_flood_is_read_to_its_end(monkeypatch):
    monkeypatch.setattr(line, "RATE", 5_000.0)

    async def story(one, other):
        other.say(*[("send_ping", b"")] * 2_000, ("send_text", b"last"))
        assert (await one.receive())["text"] == "last"
        assert await pongs(other) == 2_000

    lived(story)


def test_pings_of_one_who_does_not_read_leave_little_behind(monkeypatch):
    monkeypatch.setattr(line, "RATE", 1e6)
    monkeypatch.setattr(line, "MOST_UNREAD", 100_000)

    async def story(one, other):
        other.writer.transport.pause_reading()
        other.say(*[("send_ping", b"." * 125)] * 15_000)
        writing = asyncio.create_task(other.writer.drain())
        await asyncio.wait([writing], timeout=0.5)
        assert not writing.done()
        assert one._transport.get_write_buffer_size() < 110_000
        other.writer.transport.resume_reading()
        assert await pongs(other) == 15_000

    lived(story)


async def fill(one, other):
    """Say more than the other side, who does not read, can be sent."""
    other.writer.transport.pause_reading()
    while one._writable.is_set():
        await one.send_bytes(b"." * 50_000)


async def until_it_is_gone(one):
    while one._transport.get_extra_info("socket").fileno() >= 0:
        await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    "end",
    [
        lambda one, other: other.say(("send_close", 1000)),
        lambda one, other: other.writer.write(b"nonsense"),
        lambda one, other: other.writer.write_eof(),
        lambda one, other: asyncio.ensure_future(one.close(1013)),
    ],
    ids=["it closes", "it says nonsense", "it says no more", "we close"],
)
def test_who_reads_nothing_does_not_keep_a_connection_that_has_ended(monkeypatch, end):
    monkeypatch.setattr(line, "FAREWELL", 0.2)

    async def story(one, other):
        await fill(one, other)
        end(one, other)
        await until_it_is_gone(one)

    lived(story)


def test_who_reads_nothing_is_let_go_though_it_sends_and_who_reads_slowly_is_not(monkeypatch):
    monkeypatch.setattr(line, "FAREWELL", 0.2)
    monkeypatch.setattr(line, "PING", 0.3)

    async def story(one, other):
        await fill(one, other)
        for _ in range(20):
            other.say(("send_pong", b""))
            before = one._transport.get_write_buffer_size()
            if one._writable.is_set():
                break
            other.writer.transport.resume_reading()
            while before and one._transport.get_write_buffer_size() >= before:
                await other.reader.read(1_000)
            other.writer.transport.pause_reading()
            await asyncio.sleep(0.1)
        assert not one._closing
        await fill(one, other)
        while not one._closing:
            other.say(("send_pong", b""))
            await asyncio.sleep(0.01)
        await until_it_is_gone(one)

    lived(story)
