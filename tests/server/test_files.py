"""Scripts and styles: served by name, compressed once, kept for good; and read by slow readers."""

import asyncio
import gzip
import random
import re
import threading
from importlib.metadata import distribution
from pathlib import Path

import pytest
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from streamlit.file_util import get_static_dir

from pages.server import files
from pages.server.files import File, Files
from tests.server.asgi import GZIP, ask, run, sent
from tests.support.server import ROOT

LIVE = ROOT / "pages/ui/live"
MODULES = sorted(LIVE.glob("*.js"))
STATIC = Path(get_static_dir()) / "static"
SCRIPT = min(path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*.js"))
LAB = f"/{files.LIVE}/lab.js"

ELSE = PlainTextResponse("passed on", 404)
APP = Files(ELSE)


FILES = {
    LAB: LIVE / "lab.js",
    f"/static/{SCRIPT}": STATIC / SCRIPT,
    f"/{files.PLOTLY}": distribution("plotly").locate_file("plotly/package_data/plotly.min.js"),
    f"/{files.BASIC_PLOTLY}": LIVE / "vendor/plotly-basic.min.js",
}


@pytest.mark.parametrize(("base", "root"), [("", ""), ("/a/course/", ""), ("", "/below")])
@pytest.mark.parametrize("address", FILES)
def test_a_file_is_served_as_it_is_and_compressed(base, root, address):
    app = Files(ELSE, base=base)
    path = f"{root}{base.rstrip('/')}{address}"
    packed, plain = (ask(app, path, root=root, headers=headers) for headers in (GZIP, {}))
    assert gzip.decompress(packed.body) == plain.body == Path(FILES[address]).read_bytes()
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    for answer, accepts in ((packed, GZIP), (plain, {})):
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
        assert answer.headers["vary"] == "Accept-Encoding"
        assert int(answer.headers["content-length"]) == len(answer.body)
        head = ask(app, path, root=root, headers=accepts, method="HEAD")
        assert (head.status, head.headers) == (200, answer.headers)


def test_a_first_visit_is_a_third_of_what_streamlit_sends():
    names = re.findall(r'"\./(static/[^"]+\.(?:js|css))"', files.page())
    assert len(names) > 50
    plain = sum((STATIC.parent / name).stat().st_size for name in names)
    assert sum(len(ask(APP, f"/{name}", headers=GZIP).body) for name in names) < plain / 3


OTHERS = f"""/static/no.js /static/js/../../index.html /static//etc/hostname
/elsewhere/static/{SCRIPT} /{files.LIVE} /{files.LIVE}/lab.css /{files.LIVE}/../../../../app.py
/{files.LIVE}/%2e%2e/__init__.py /{files.LIVE}//lab.js /files//etc/hostname /files/..\\app.py"""


@pytest.mark.parametrize("path", OTHERS.split())
def test_other_names_are_passed_on(path):
    assert ask(APP, path, headers=GZIP).body == b"passed on"


def test_gzip_is_sent_to_who_accepts_it():
    for accepts in ("gzip", "deflate, GZIP;q=0.5", "gzip; q=1.0", "gzip;q=0.05, br"):
        assert "content-encoding" in ask(APP, LAB, headers={"Accept-Encoding": accepts}).headers
    for accepts in ("br", "", "identity, gzip;q=0", "gzip; q=0.000, br", "xgzip, gzipped"):
        assert "content-encoding" not in ask(APP, LAB, headers={"Accept-Encoding": accepts}).headers


@pytest.mark.parametrize("headers", [GZIP, {}], ids=["gzip", "as it is"])
def test_a_slow_reader_holds_one_piece_and_no_copy_of_the_file(headers):
    content = random.Random(1).randbytes(1_000_000)
    file = File(lambda: content, "text/plain")

    async def app(scope, receive, send):
        answer = await file.answer(Headers(headers))
        await answer(scope, receive, send)

    sizes = [len(message.get("body", b"")) for message in sent(app, "http", "/")]
    assert sum(sizes) >= len(content)
    assert max(sizes) <= files.PIECE


def test_many_wait_for_one_thread_hold_nobody_up_and_one_who_leaves_takes_nothing_from_them():
    threads, go = [], threading.Event()

    def read():
        threads.append(threading.current_thread())
        go.wait(20)
        return b"slow " * 1000

    async def many():
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


def test_the_small_plotly_is_of_the_same_version_as_the_wheels():
    whole, basic = (ask(APP, f"/{one}").body for one in (files.PLOTLY, files.BASIC_PLOTLY))
    versions = {
        re.search(rb"plotly\.js (?:\(basic - minified\) )?v(\S+)", text[:100])[1]
        for text in (whole, basic)
    }
    assert len(versions) == 1, "`make plotly` fetches the small one that goes with the wheel's"


def test_the_address_changes_with_any_module(monkeypatch):
    monkeypatch.setattr(files, "served", {})  # what this adds is gone after it
    modules = {"early.js": b"1;\n", "lab.js": b"2;\n"}
    others = [modules | {"lab.js": b"3;\n"}, modules | {"one_more.js": b""}]
    known = {files._add_modules(some) for some in (modules, modules, *others)}
    assert len(known) == 3
    for address in known:
        assert ask(APP, f"/{address}/lab.js").status == 200


def test_what_imports_as_it_runs_is_not_followed():
    modules = {
        "early.js": b'import { a } from "./a.js";\nimport "./b.js";\nvoid import("./c.js");\n',
        "a.js": b'/** @import { D } from "./d.js" */\nexport {\n  e,\n} from "./e.js";\n',
        "b.js": b'import { early } from "./early.js";\n',
    }
    assert files._reached(modules) == ["again.js", "early.js", "a.js", "b.js", "e.js"]
    assert f"{files.LIVE}/lab.js" not in files.FIRST_MODULES, "the first picture does not need it"


# --- the page ---

INDEX = (STATIC.parent / "index.html").read_text("utf-8")


@pytest.fixture
def pages(monkeypatch):
    files.page()
    monkeypatch.setattr(files, "served", {**files.served})
    files.serve_page(["reversal"])


@pytest.mark.parametrize(
    ("base", "path"),
    [("", "/"), ("", "/reversal"), ("course", "/course/"), ("course", "/course/reversal")],
)
def test_a_page_is_streamlits_with_our_tags_in_its_head(pages, base, path):
    # Whatever a browser has, it is not taken for this version.
    kept = {"if-none-match": "*", "range": "bytes=0-5"}
    plain, packed = (ask(Files(ELSE, base=base), path, headers=one) for one in (kept, GZIP))
    assert plain.status == packed.status == 200
    before, after = INDEX.split("</head>")
    text = plain.body.decode()
    assert text.startswith(before)
    assert text.endswith(f"</head>{after}")
    assert len(text) > len(INDEX)
    assert gzip.decompress(packed.body) == plain.body
    for answer in (plain, packed):
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert answer.headers["cache-control"] == "no-cache"
        assert not {"etag", "last-modified"} & {*answer.headers}


def test_everything_named_is_there(pages):
    added = files.page().removeprefix(INDEX.partition("</head>")[0]).partition("</head>")[0]
    addresses = re.findall(r'(?:href|src)="\./([^"]+)"', added)
    twice = {one.rpartition("/")[2] for one in addresses if addresses.count(one) == 2}
    assert twice == {"again.js", "early.js"}, "preloaded and run"
    for address in addresses:
        assert ask(Files(ELSE), f"/{address}", headers=GZIP).status == 200, address
    soon = {Path(address).name.partition(".")[0] for address in addresses}
    assert soon >= files._SOON, "Streamlit has no such script any more"
