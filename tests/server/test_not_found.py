"""What is not here is said to be so: with the way home for people, as text for programs."""

import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse
from starlette.routing import Mount, Route

from pages.server.not_found import NotFound, page
from tests.server.asgi import ask, inside, sent


async def index(request):
    return HTMLResponse("Streamlit's page")


async def nothing(request):
    return PlainTextResponse("Not found", 404)


async def refusal(request):
    return JSONResponse({"error": "no such lesson"}, 404)


async def script(request):
    return PlainTextResponse("a", media_type="text/javascript")


ANSWERS = {"/a.js": script, "/bare": nothing, "/static/bare": nothing, "/api/x": refusal}
APP = Starlette(routes=[Route(path, one) for path, one in [*ANSWERS.items(), ("/{a:path}", index)]])
SITE = NotFound(APP, pages=["reversal"], sockets=["labs"])


@pytest.mark.parametrize("path", ["/", "/reversal", "/a.js", "/api/x"])
def test_what_is_here_is_passed_on(path):
    assert ask(SITE, path) == ask(APP, path)


@pytest.mark.parametrize("path", ["/nothing", "/reversal/x", "/labs", "/bare"])
def test_an_unknown_address_leads_home(path):
    answer = ask(SITE, path)
    assert (answer.status, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert answer.headers["cache-control"] == "no-store"
    assert 'href="/"' in answer.body.decode()


@pytest.mark.parametrize(
    "path", ["/static/x.js", "/reversal/static/x.js", "/files/x", "/_stcore/x", "/static/bare"]
)
def test_an_unknown_file_is_said_to_be_none_as_text(path):
    answer = ask(SITE, path)
    assert (answer.status, answer.body) == (404, b"Not found")
    assert answer.headers["content-type"].startswith("text/plain")


@pytest.mark.parametrize("method", ["GET", "PUT", "OPTIONS", "DELETE"])
@pytest.mark.parametrize("name", ["upload_file/a/b", "metrics"])
def test_files_are_not_taken_and_streamlit_s_meters_not_shown(method, name):
    site = NotFound(APP, base="course", pages=[], sockets=[])
    answer = ask(site, f"/course/_stcore/{name}", method=method)
    assert (answer.status, answer.body) == (404, b"Not found")


def test_home_is_below_a_base_address_and_a_mount():
    site = NotFound(APP, base="course", pages=["reversal"], sockets=[])
    assert ask(site, "/course/reversal").status == 200
    assert b'href="/course/"' in ask(site, "/reversal").body
    outer = Starlette(routes=[Mount("/below", site)])
    assert b'href="/below/course/"' in ask(outer, "/below/nothing").body


@pytest.mark.parametrize(("path", "status"), [("/labs", None), ("/", 404), ("/x/labs", 404)])
def test_a_socket_elsewhere_is_refused(path, status):
    site = NotFound(inside, pages=["reversal"], sockets=["labs"])
    assert sent(site, "websocket", path)[0]["status"] == status


def test_a_page_names_no_file_and_escapes_its_title():
    text = page(404, "<b>", "<p>Nothing.</p>", '/"x').body.decode()
    assert "&lt;b&gt;" in text
    assert 'href="/&quot;x"' in text
    assert not any(part in text for part in ("<script", "src=", "url("))
