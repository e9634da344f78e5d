"""Every answer forbids what no page of ours needs; the owner says who may frame a page."""

import re

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from pages.server.headers import FRAMED_BY, SecurityHeaders
from pages.ui.page import page
from tests.server.asgi import Answer, ask


async def plain(request: Request) -> PlainTextResponse:
    return PlainTextResponse("hello")


async def loose(request: Request) -> PlainTextResponse:
    headers = {"Referrer-Policy": "unsafe-url", "Content-Security-Policy": "img-src *"}
    return PlainTextResponse("hello", headers=headers)


INSIDE = Starlette(routes=[Route("/loose", loose), Route("/{rest:path}", plain)])
APP = SecurityHeaders(INSIDE, page())


def policy_of(answer: Answer) -> dict[str, set[str]]:
    kinds = (part.split() for part in answer.headers["content-security-policy"].split(";"))
    return {kind: set(where) for kind, *where in kinds}


@pytest.mark.parametrize("request_", ["GET /", "HEAD /", "POST /clipping", "GET /loose"])
def test_every_answer_has_them_once(request_: str) -> None:
    method, path = request_.split()
    answer, before = ask(APP, path, method=method), ask(INSIDE, path, method=method)
    for name in ("content-security-policy", "permissions-policy", "referrer-policy"):
        assert len(answer.headers.getlist(name)) == 1
    assert answer.headers.getlist("x-content-type-options") == ["nosniff"]
    assert policy_of(answer)["default-src"] == {"'none'"}
    assert (answer.status, answer.body) == (before.status, before.body)
    assert set(before.headers) <= set(answer.headers)


def test_no_other_host_is_named_and_no_script_runs_but_ours() -> None:
    policy = policy_of(ask(APP, "/clipping"))
    assert policy.pop("frame-ancestors") == {"*", "'self'"}
    for kind, where in policy.items():
        assert where, kind
        for source in where:
            assert re.fullmatch(r"'(self|none|unsafe-inline|sha256-[\w+/=]+)'|blob:|data:", source)
    allowed = policy["script-src"]
    assert "'self'" in allowed
    assert not allowed & {"'unsafe-inline'", "'unsafe-eval'", "data:", "'none'"}


@pytest.mark.parametrize(
    ("given", "framed_by"),
    [
        ("https://moodle.example.org", {"https://moodle.example.org", "'self'"}),
        ("self http://localhost:8000", {"'self'", "http://localhost:8000"}),
        ("https://*.example.org", {"https://*.example.org", "'self'"}),
        ("", {"*", "'self'"}),
    ],
)
def test_an_owner_says_who_may_frame_every_page(
    given: str, framed_by: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FRAMED_BY, given)
    assert policy_of(ask(SecurityHeaders(INSIDE), "/clipping"))["frame-ancestors"] == framed_by
