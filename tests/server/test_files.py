"""Scripts and styles: served by name, compressed once, kept for good; and read by slow readers."""

import asyncio
import gzip
import random
import threading
from pathlib import Path

import pytest
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send
from streamlit.file_util import get_static_dir

from pages.server.addresses import PIECE, Addresses, File
from pages.ui.page import LIVE, PLOTLY
from tests.server.asgi import GZIP, ask, run, sent
from tests.support.server import ROOT

MODULES = ROOT / "pages/ui/live"
STATIC = Path(get_static_dir()) / "static"
SCRIPT = min(path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*.js"))

ELSE = PlainTextResponse("not a file")
APP = Addresses(ELSE)

FILES = {
    f"/static/{SCRIPT}": (STATIC / SCRIPT).read_bytes(),
    f"/{PLOTLY}": (MODULES / "vendor/plotly.min.js").read_bytes() + b"\nexport default Plotly;\n",
}


@pytest.mark.parametrize(("at", "root"), [("/", ""), ("/a/course/", ""), ("/", "/below")])
@pytest.mark.parametrize("address", FILES)
def test_a_file_is_served_as_it_is_and_compressed(at: str, root: str, address: str) -> None:
    app = Addresses(ELSE, at)
    path = f"{root}{at.rstrip('/')}{address}"
    packed, plain = (ask(app, path, root=root, headers=headers) for headers in (GZIP, {}))
    assert gzip.decompress(packed.body) == plain.body == FILES[address]
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    for answer, accepts in ((packed, GZIP), (plain, {})):
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
        assert answer.headers["vary"] == "Accept-Encoding"
        assert int(answer.headers["content-length"]) == len(answer.body)
        head = ask(app, path, root=root, headers=accepts, method="HEAD")
        assert (head.status, head.headers) == (200, answer.headers)


NOT_SERVED = f"""/static/no.js /static/js/../../index.html /static//etc/hostname
/elsewhere/static/{SCRIPT} /{LIVE}/lab.js /{LIVE}/../../../../app.py
/{LIVE}/%2e%2e/__init__.py /{LIVE}//lab.js /files//etc/hostname /files/..\\app.py"""


@pytest.mark.parametrize("path", NOT_SERVED.split())
def test_other_names_are_no_files(path: str) -> None:
    assert ask(APP, path, headers=GZIP).status == 404


def asking(encodings: str) -> dict[str, str]:
    return {"Accept-Encoding": encodings}


def test_gzip_is_sent_to_who_accepts_it() -> None:
    for accepts in ("gzip", "deflate, GZIP;q=0.5", "gzip, br"):
        assert "content-encoding" in ask(APP, f"/{PLOTLY}", headers=asking(accepts)).headers
    for accepts in ("br", "", "identity"):
        assert "content-encoding" not in ask(APP, f"/{PLOTLY}", headers=asking(accepts)).headers


@pytest.mark.parametrize("headers", [GZIP, {}], ids=["gzip", "as it is"])
def test_a_slow_reader_holds_one_piece_and_no_copy_of_the_file(headers: dict[str, str]) -> None:
    content = random.Random(1).randbytes(1_000_000)
    file = File(lambda: content, "text/plain")

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        answer = await file.answer(Headers(headers))
        await answer(scope, receive, send)

    sizes = [len(message.get("body", b"")) for message in sent(app, "http", "/")]
    assert sum(sizes) >= len(content)
    assert max(sizes) <= PIECE


def test_many_wait_for_one_thread_hold_nobody_up_and_one_who_leaves_takes_nothing_from_them() -> (
    None
):
    threads, go = [], threading.Event()

    def read() -> bytes:
        threads.append(threading.current_thread())
        go.wait(60)
        return b"slow " * 1000

    async def many() -> tuple[threading.Thread, list[bool]]:
        file = File(read, "text/plain")
        answers = [asyncio.create_task(file.answer(Headers(GZIP))) for _ in range(20)]
        await asyncio.sleep(0.1)
        answers[0].cancel()
        go.set()
        await asyncio.wait(answers)
        return threading.current_thread(), [answer.cancelled() for answer in answers]

    loop, cancelled = run(many())
    assert cancelled == [True] + [False] * 19
    assert len(threads) == 1
    assert threads[0] is not loop
