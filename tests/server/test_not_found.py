"""What is not here is said to be so: with the way home for people, as text for programs."""

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount

from pages.server import files
from pages.server.not_found import NotFound
from tests.server.asgi import ask, inside, sent

SITE, BELOW = (
    NotFound(PlainTextResponse("here"), base, ["reversal"], ["labs"], ["api"], ["/healthz"])
    for base in ("", "course")
)
HERE = ["", "reversal", "reversal/", files.PLOTLY, "api/x", "_stcore/health"]


@pytest.mark.parametrize("path", HERE)
def test_what_is_here_is_passed_on_below_a_base_address_too(path):
    assert ask(SITE, f"/{path}").body == b"here"
    assert ask(BELOW, f"/course/{path}").body == b"here"


def test_a_machine_asks_at_the_root():
    assert ask(SITE, "/healthz").body == ask(BELOW, "/healthz").body == b"here"


@pytest.mark.parametrize("path", ["/nothing", "/reversal/x", "/reversal//", "/labs", "//reversal"])
def test_an_unknown_address_leads_home(path):
    answer = ask(SITE, path)
    assert (answer.status, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert answer.headers["cache-control"] == "no-store"
    text = answer.body.decode()
    assert 'href="/"' in text
    assert not any(part in text for part in ("<script", "src=", "url("))


@pytest.mark.parametrize("method", ["GET", "PUT", "OPTIONS", "DELETE"])
@pytest.mark.parametrize(
    "path", ["static/x.js", "x/static/x.js", "_stcore/upload_file/a/b", "_stcore/metrics", "api"]
)
def test_an_unknown_file_and_what_streamlit_offers_are_said_to_be_none_as_text(method, path):
    for site, address in ((SITE, f"/{path}"), (BELOW, f"/course/{path}")):
        answer = ask(site, address, method=method)
        assert (answer.status, answer.body) == (404, b"Not found")
        assert answer.headers["content-type"].startswith("text/plain")


def test_home_is_below_a_base_address_and_a_mount():
    assert b'href="/course/"' in ask(BELOW, "/reversal").body
    outer = Starlette(routes=[Mount("/below", BELOW)])
    assert b'href="/below/course/"' in ask(outer, "/below/nothing").body
    hostile = ask(SITE, "/nothing", root='/"x').body.decode()
    assert 'href="/&quot;x/"' in hostile


@pytest.mark.parametrize(("path", "status"), [("/labs", None), ("/", 404), ("/x/labs", 404)])
def test_a_socket_elsewhere_is_refused(path, status):
    site = NotFound(inside, "", ["reversal"], ["labs"], [], [])
    assert sent(site, "websocket", path)[0]["status"] == status
