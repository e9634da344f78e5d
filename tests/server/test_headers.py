"""Every answer forbids what no page of ours needs; only one lesson asked for so may be framed."""

import re

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from pages.server import files
from pages.server.headers import SecurityHeaders
from tests.server.asgi import ask


async def plain(request):
    return PlainTextResponse("hello")


async def loose(request):
    headers = {"X-Frame-Options": "ALLOWALL", "Content-Security-Policy": "img-src *"}
    return PlainTextResponse("hello", headers=headers)


INSIDE = Starlette(routes=[Route("/loose", loose), Route("/{rest:path}", plain)])
APP = SecurityHeaders(INSIDE, page=files.page(), embeddable=["clipping", "reversal"])


def policy_of(answer):
    kinds = (part.split() for part in answer.headers["content-security-policy"].split(";"))
    return {kind: set(where) for kind, *where in kinds}


@pytest.mark.parametrize("request_", ["GET /", "HEAD /", "POST /clipping", "GET /loose"])
def test_every_answer_has_them_once(request_):
    method, path = request_.split()
    answer, before = ask(APP, path, method=method), ask(INSIDE, path, method=method)
    for name in ("content-security-policy", "permissions-policy", "referrer-policy"):
        assert len(answer.headers.getlist(name)) == 1
    assert answer.headers.getlist("x-frame-options") == ["SAMEORIGIN"]
    assert answer.headers.getlist("x-content-type-options") == ["nosniff"]
    assert policy_of(answer)["default-src"] == {"'none'"}
    assert (answer.status, answer.body) == (before.status, before.body)
    assert set(before.headers) <= set(answer.headers)


def test_no_other_host_is_named_and_no_script_runs_but_ours():
    policy = policy_of(ask(APP, "/clipping"))
    for kind, where in policy.items():
        assert where, kind
        for source in where:
            assert re.fullmatch(r"'(self|none|unsafe-inline|sha256-[\w+/=]+)'|blob:|data:", source)
    allowed = policy["script-src"]
    assert "'self'" in allowed
    assert not allowed & {"'unsafe-inline'", "'unsafe-eval'", "data:", "'none'"}


@pytest.mark.parametrize(
    ("base", "path", "root", "query"),
    [
        ("", "/clipping", "", "embed=true&lesson=cliff"),
        ("", "/reversal", "", "lesson=flip&step=2&embed=true&embed_options=show_padding&x=1%2C2"),
        ("course", "/course/clipping", "", "embed=true&lesson=cliff"),
        ("/a/course/", "/a/course/clipping", "", "embed=true&lesson=cliff"),
        ("", "/below/clipping", "/below", "embed=true&lesson=cliff"),
    ],
)
def test_one_lesson_may_be_framed_by_anyone(base, path, root, query):
    app = SecurityHeaders(INSIDE, base=base, embeddable=["clipping", "reversal"])
    answer, own = (ask(app, path, root=root, query=one) for one in (query, ""))
    assert "x-frame-options" not in answer.headers
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert policy_of(answer) == policy_of(own) | {"frame-ancestors": {"*"}}


REST = """/clipping /clipping?lesson=cliff /clipping?embed=true /clipping?embed=true&lesson=
/clipping?embed=false&lesson=cliff /clipping?embed=false&embed=true&lesson=cliff
/clipping/deeper?embed=true&lesson=cliff /course/clipping?embed=true&lesson=cliff
/teach?embed=true&lesson=cliff /?embed=true&lesson=cliff"""


@pytest.mark.parametrize("address", REST.split())
def test_nothing_else_may_be_framed_elsewhere(address):
    path, _, query = address.partition("?")
    answer = ask(APP, path, query=query)
    assert policy_of(answer)["frame-ancestors"] == {"'self'"}
    assert answer.headers["x-frame-options"] == "SAMEORIGIN"
