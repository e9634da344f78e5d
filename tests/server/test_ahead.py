"""What each page tells the browser to fetch ahead: all of it is there, and asked for once."""

import gzip
import re

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse
from starlette.routing import Route

from pages.server import assets
from pages.server.ahead import Ahead, tags
from pages.server.compression import StaticCompression
from tests.server.asgi import ask

PAGE = "<!DOCTYPE html><html><head><title>ä</title></head><body></head></body></html>"
ASKED = {"accept": "text/html,application/xhtml+xml;q=0.9"}


async def page(request: Request) -> HTMLResponse:
    asked = " ".join(name for name in ("if-none-match", "range") if name in request.headers)
    return HTMLResponse(PAGE, headers={"etag": "x", "last-modified": "y", "x-asked": asked})


async def text(request: Request) -> PlainTextResponse:
    return PlainTextResponse(PAGE, headers={"etag": "x"})


APP = Starlette(
    routes=[Route("/", page), Route("/text", text), *assets.routes("")],
    middleware=[Middleware(StaticCompression), Middleware(Ahead)],
)


def test_a_page_gets_the_tags_in_its_head():
    answer = ask(APP, "/", headers=ASKED)
    assert answer.body.decode() == PAGE.replace("</head>", f"{tags()}</head>", 1)
    assert int(answer.headers["content-length"]) == len(answer.body)


def test_it_is_compressed_where_that_is_understood():
    answer = ask(APP, "/", headers=ASKED | {"accept-encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"
    assert tags() in gzip.decompress(answer.body).decode()


def test_a_page_of_an_earlier_version_is_never_taken_for_this_one():
    headers = ASKED | {"if-none-match": "x", "range": "bytes=0-5"}
    answer = ask(APP, "/", headers=headers)
    assert (answer.status, answer.headers["x-asked"]) == (200, "")
    assert "etag" not in answer.headers
    assert "last-modified" not in answer.headers


@pytest.mark.parametrize(("path", "accept"), [("/text", "text/html"), ("/", "*/*")])
def test_everything_else_passes_as_it_is(path, accept):
    answer = ask(APP, path, headers={"accept": accept})
    assert answer.body.decode() == PAGE
    assert answer.headers["etag"] == "x"


def test_everything_named_is_there():
    addresses = re.findall(r'(?:href|src)="\./([^"]+)"', tags())
    twice = {one.rpartition("/")[2] for one in addresses if addresses.count(one) == 2}
    assert twice == {"again.js", "early.js"}, "preloaded and run"
    for address in addresses:
        headers = {"accept-encoding": "gzip"}
        assert ask(APP, f"/{address}", headers=headers).status == 200, address
    assert any("BidiComponent" in address for address in addresses)


def test_a_server_that_sends_files_by_their_path_is_given_the_page(tmp_path):
    (tmp_path / "index.html").write_text(PAGE, "utf-8")

    async def file(request: Request) -> FileResponse:
        return FileResponse(tmp_path / "index.html")

    app = Starlette(routes=[Route("/", file)], middleware=[Middleware(Ahead)])

    async def such_a_server(scope, receive, send):
        await app({**scope, "extensions": {"http.response.pathsend": {}}}, receive, send)

    answer = ask(such_a_server, "/", headers=ASKED)
    assert answer.body.decode() == PAGE.replace("</head>", f"{tags()}</head>", 1)
