"""Streamlit's scripts arrive compressed, with its own headers; everything else is as it was."""

import asyncio
import gzip
import random
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.datastructures import Headers
from streamlit.file_util import get_static_dir
from streamlit.web.server.starlette.starlette_static_routes import (
    create_streamlit_static_assets_routes,
)

from pages.server import application, compression
from pages.server.compression import File, StaticCompression, accepts_gzip, compressible
from tests.server.asgi import GZIP, ask, asked, run

INDEX = Path(get_static_dir()) / "index.html"
STATIC = INDEX.parent / "static"
NAMED = re.findall(r'(?:src|href)="\./static/([^"]+\.(?:js|css))"', INDEX.read_text("utf-8"))


def streamlits(base=""):
    """Streamlit's own static files as it serves them itself."""
    return Starlette(routes=create_streamlit_static_assets_routes(base))


@pytest.mark.parametrize("base", ["", "course", "/a/course/"])
def test_a_script_is_the_same_but_smaller(base):
    plain = streamlits(base)
    packed = StaticCompression(plain, base=base)
    root = f"/{base.strip('/')}/static/".replace("//", "/")
    assert len(NAMED) > 50
    for name in (NAMED[0], NAMED[-1]):
        before = ask(plain, root + name, headers=GZIP)
        after = ask(packed, root + name, headers=GZIP)
        assert before.headers.get("content-encoding") is None, "Streamlit compresses it itself now"
        assert after.headers["content-encoding"] == "gzip"
        assert gzip.decompress(after.body) == before.body == (STATIC / name).read_bytes()
        assert int(after.headers["content-length"]) == len(after.body) < len(before.body) / 2
        assert after.headers["vary"] == "Accept-Encoding"
        for same in ("content-type", "cache-control"):
            assert after.headers[same] == before.headers[same]


def test_head_says_what_get_would():
    app = StaticCompression(streamlits())
    got = ask(app, f"/static/{NAMED[0]}", headers=GZIP)
    head = ask(app, f"/static/{NAMED[0]}", headers=GZIP, method="HEAD")
    assert head.headers == got.headers
    assert (head.status, head.body) == (200, b"")


FONT = min(STATIC.rglob("*.woff2")).relative_to(STATIC).as_posix()


@pytest.mark.parametrize(
    ("path", "request_"),
    [
        (f"/static/{NAMED[0]}", {}),
        (f"/static/{NAMED[0]}", {"headers": {"Accept-Encoding": "br, gzip;q=0"}}),
        (f"/static/{NAMED[0]}", {"headers": GZIP | {"Range": "bytes=0-99"}}),
        (f"/static/{NAMED[0]}", {"headers": GZIP, "method": "POST"}),
        (f"/elsewhere/static/{NAMED[0]}", {"headers": GZIP}),
        (f"/static/{FONT}", {"headers": GZIP}),
        ("/static/js/no-such-script.js", {"headers": GZIP}),
        ("/static/js/../../index.html", {"headers": GZIP}),
        ("/static//etc/hostname", {"headers": GZIP}),
        ("/static/", {"headers": GZIP}),
        ("/", {"headers": GZIP}),
        ("/manifest.json", {"headers": GZIP}),
    ],
)
def test_the_rest_is_passed_on(path, request_):
    plain = streamlits()
    before, after = (ask(app, path, **request_) for app in (plain, StaticCompression(plain)))
    assert after == before
    assert "content-encoding" not in after.headers


def test_below_a_mount_too():
    app = StaticCompression(streamlits())
    answer = ask(app, f"/below/static/{NAMED[0]}", root="/below", headers=GZIP)
    assert answer.headers["content-encoding"] == "gzip"


def test_other_kinds_of_connection_are_passed_on():
    seen = []

    async def app(scope, receive, send):
        seen.append(scope)

    scope = {"type": "websocket", "path": f"/static/{NAMED[0]}", "headers": []}
    run(StaticCompression(app)(scope, None, None))
    assert seen == [scope]


def test_what_is_gone_since_is_for_streamlit_to_answer(tmp_path):
    (tmp_path / "a.js").write_text("let a = 1;")
    app = StaticCompression(streamlits(), files=compressible(tmp_path, 1000))
    (tmp_path / "a.js").unlink()
    answer = ask(app, "/static/a.js", headers=GZIP)
    assert (answer.status, answer.body) == (200, INDEX.read_bytes())


def test_all_that_streamlit_brings_is_kept_for_less_than_the_limit():
    files = [path for path in STATIC.rglob("*") if path.suffix in compression.TYPES]
    assert sum(path.stat().st_size for path in files) <= compression.MOST
    assert len(compressible(STATIC, compression.MOST)) == len(files) > 300


def test_the_largest_are_left_out_at_the_limit(tmp_path):
    for name, size in (("a.js", 50), ("b.css", 30), ("c.svg", 20), ("d.js", 51), ("e.png", 1)):
        (tmp_path / name).write_bytes(b"x" * size)
    assert set(compressible(tmp_path, 150)) == {"a.js", "b.css", "c.svg"}
    assert set(compressible(tmp_path, 151)) == {"a.js", "b.css", "c.svg", "d.js"}


def test_a_link_that_leads_out_is_no_file_of_it(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret.json").write_text("{}")
    (inside / "own.js").write_text("")
    (inside / "out.json").symlink_to(tmp_path / "secret.json")
    assert set(compressible(inside, 1000)) == {"own.js"}


def test_a_first_visit_is_a_third_once_warm(monkeypatch):
    files = compressible(STATIC, compression.MOST)
    monkeypatch.setattr(compression, "_streamlits", lambda: files)
    names = compression.first_visit()
    assert set(NAMED) < set(names)
    begun = {file.split("/")[1].partition(".")[0] for file in names}
    assert begun >= compression.LATER, "Streamlit has no such script any more"
    compression.warm()
    assert all(files[name]._compressed.done() for name in names)
    assert sum(file._compressed is not None for file in files.values()) == len(names)
    plain = sum((STATIC / name).stat().st_size for name in names)
    assert sum(len(files[name].compressed().result()) for name in names) < plain / 3


@pytest.mark.parametrize("headers", [GZIP, {}], ids=["gzip", "as it is"])
def test_of_one_who_does_not_read_a_piece_waits_and_no_copy_of_the_whole(headers):
    content = random.Random(1).randbytes(1_000_000)
    file = File(lambda: content, "text/plain")
    taken = []

    async def send(message):
        taken.append(message)

    async def story():
        answer = await file.answer("GET", Headers(headers), "no-store")
        await answer({}, None, send)
        return answer

    answer = run(story())
    bodies = [message["body"] for message in taken[1:]]
    assert max(map(len, bodies)) <= compression.PIECE
    whole = b"".join(bodies)
    assert (gzip.decompress(whole) if headers else whole) == content
    assert int(answer.headers["content-length"]) == len(whole)
    assert answer.body is file.compressed().result(), "all share the bytes"


class Slow:
    """A file whose reading takes until it may end; counts how often and where it is read."""

    def __init__(self):
        self.threads = []
        self.go = threading.Event()
        self.file = File(self.read, "text/plain")

    def read(self):
        self.threads.append(threading.current_thread())
        self.go.wait(20)
        return b"slow " * 1000

    async def answer(self):
        return await self.file.answer("GET", Headers(GZIP), "no-store")


def test_many_at_once_wait_for_one_thread_and_hold_nobody_up():
    slow = Slow()

    async def many():
        ticks = 0
        wishes = asyncio.gather(*(slow.answer() for _ in range(20)))
        while not wishes.done():
            await asyncio.sleep(0.01)
            ticks += 1
            if ticks == 10:
                slow.go.set()
        return ticks, await wishes, threading.current_thread()

    ticks, answers, loop = run(many())
    assert len(slow.threads) == 1
    assert slow.threads[0] is not loop
    assert ticks >= 10
    assert {gzip.decompress(answer.body) for answer in answers} == {b"slow " * 1000}


def test_one_who_goes_away_takes_nothing_from_the_others():
    before, slow = Slow(), Slow()

    async def three():
        other = asyncio.create_task(before.answer())  # what is cancelled has not begun yet
        await asyncio.sleep(0.05)
        first, second = (asyncio.create_task(slow.answer()) for _ in range(2))
        await asyncio.sleep(0.05)
        first.cancel()
        before.go.set()
        slow.go.set()
        return await asyncio.gather(first, second, other, return_exceptions=True)

    gone, *answers = run(three())
    assert isinstance(gone, asyncio.CancelledError)
    assert [gzip.decompress(answer.body) for answer in answers] == [b"slow " * 1000] * 2


@pytest.mark.parametrize(
    ("accepts", "gzipped"),
    [
        ("gzip", True),
        ("deflate, GZIP;q=0.5", True),
        ("gzip; q=1.0", True),
        ("br", False),
        ("", False),
        ("identity, gzip;q=0", False),
        ("gzip; q=0.000", False),
        ("xgzip, gzipped", False),
    ],
)
def test_gzip_is_sent_to_who_accepts_it(accepts, gzipped):
    assert accepts_gzip(Headers({"Accept-Encoding": accepts})) is gzipped


def test_requests_side_by_side_get_each_their_own():
    app = StaticCompression(streamlits())
    names = NAMED[:5]

    async def several():
        return await asyncio.gather(*(asked(app, f"/static/{n}", headers=GZIP) for n in names))

    for name, answer in zip(names, run(several()), strict=True):
        assert gzip.decompress(answer.body) == (STATIC / name).read_bytes()


def test_a_server_that_ends_while_it_warms_up_says_nothing(monkeypatch):
    ended = ThreadPoolExecutor(1)
    ended.shutdown()
    monkeypatch.setattr(compression, "_worker", ended)
    monkeypatch.setattr(compression, "_streamlits", lambda: {"a.js": File(bytes, "text/plain")})
    monkeypatch.setattr(compression, "first_visit", lambda: ["a.js"])
    application._warm()
