"""Every answer forbids what no page of ours needs; only one lesson asked for so may be framed."""

import base64
import hashlib
import re

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse, RedirectResponse, StreamingResponse
from starlette.routing import Route
from streamlit.web.server.starlette.starlette_static_routes import (
    create_streamlit_static_assets_routes,
)

from pages.server import page_head
from pages.server.headers import SecurityHeaders, content_security_policy
from tests.server.asgi import ask, run


def plain(request):
    return PlainTextResponse(
        "hello", headers={"x-frame-options": "ALLOWALL", "Content-Security-Policy": "img-src *"}
    )


def away(request):
    return RedirectResponse("/plain")


def bit_by_bit(request):
    return StreamingResponse(iter(["a", "b"]))


OWN = [Route("/plain", plain), Route("/away", away), Route("/bit_by_bit", bit_by_bit)]
STREAMLITS = Starlette(routes=[*OWN, *create_streamlit_static_assets_routes("")])
APP = SecurityHeaders(STREAMLITS, page=page_head.page(), embeddable=["clipping", "reversal"])


def policy_of(answer):
    kinds = (part.split() for part in answer.headers["content-security-policy"].split(";"))
    return {kind: set(where) for kind, *where in kinds}


@pytest.mark.parametrize(
    ("path", "method", "status"),
    [
        ("/", "GET", 200),
        ("/", "HEAD", 200),
        ("/clipping", "GET", 200),
        ("/plain", "GET", 200),
        ("/plain", "POST", 405),
        ("/away", "GET", 307),
        ("/bit_by_bit", "GET", 200),
        ("/a/../b", "GET", 400),
        ("/a/_stcore/health", "GET", 404),
    ],
)
def test_every_answer_has_them_once(path, method, status):
    answer = ask(APP, path, method=method)
    assert answer.status == status
    for name in ("content-security-policy", "permissions-policy", "referrer-policy"):
        assert len(answer.headers.getlist(name)) == 1
    assert answer.headers.getlist("x-frame-options") == ["SAMEORIGIN"]
    assert answer.headers.getlist("x-content-type-options") == ["nosniff"]
    assert policy_of(answer)["default-src"] == {"'none'"}
    assert policy_of(answer)["frame-ancestors"] == {"'self'"}
    before = ask(STREAMLITS, path, method=method)
    assert (answer.status, answer.body) == (before.status, before.body)
    assert set(before.headers) <= set(answer.headers)


def test_no_other_host_is_named():
    for query in ("", "embed=true&lesson=cliff"):
        policy = policy_of(ask(APP, "/clipping", query=query))
        ancestors = policy.pop("frame-ancestors")
        assert ancestors == ({"*"} if query else {"'self'"})
        for kind, where in policy.items():
            assert where, kind
            for source in where:
                assert re.fullmatch(
                    r"'(self|none|unsafe-inline|sha256-[\w+/=]+)'|blob:|data:", source
                )


def test_no_script_runs_but_ours():
    allowed = policy_of(ask(APP, "/"))["script-src"]
    assert "'self'" in allowed
    assert not allowed & {"'unsafe-inline'", "'unsafe-eval'", "data:", "'none'"}


def test_the_scripts_in_the_page_are_let_through():
    html = re.sub(r"<!--.*?-->", "", page_head.page(), flags=re.DOTALL)
    inside = re.findall(r"<script>(.*?)</script>", html, flags=re.DOTALL)
    assert len(inside) > 1
    hashes = {
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
        for script in inside
    }
    allowed = policy_of(ask(APP, "/"))["script-src"]
    assert {source for source in allowed if "sha" in source} == hashes


def test_a_known_hash():
    """What browsers themselves suggest in the console for a script without text."""
    empty = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    for page in ("<script></script>", '<script type="module"></script>'):
        assert empty in content_security_policy(page)
    assert "sha256" not in content_security_policy('<script src="a.js"></script>')


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/clipping", "embed=true&lesson=cliff"),
        ("/reversal", "lesson=flip&step=2&embed=true&embed_options=show_padding&x=1%2C2"),
    ],
)
def test_one_lesson_may_be_framed_by_anyone(path, query):
    answer = ask(APP, path, query=query)
    assert policy_of(answer)["frame-ancestors"] == {"*"}
    assert "x-frame-options" not in answer.headers
    assert answer.headers["x-content-type-options"] == "nosniff"
    own = policy_of(ask(APP, path))
    assert policy_of(answer) == own | {"frame-ancestors": {"*"}}


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/clipping", ""),
        ("/clipping", "lesson=cliff"),
        ("/clipping", "embed=true"),
        ("/clipping", "embed=true&lesson="),
        ("/clipping", "embed=false&lesson=cliff"),
        ("/clipping", "embed=false&embed=true&lesson=cliff"),
        ("/clipping/deeper", "embed=true&lesson=cliff"),
        ("/teach", "embed=true&lesson=cliff"),
        ("/playground", "embed=true&lesson=cliff"),
        ("/", "embed=true&lesson=cliff"),
    ],
)
def test_nothing_else_may_be_framed_elsewhere(path, query):
    answer = ask(APP, path, query=query)
    assert policy_of(answer)["frame-ancestors"] == {"'self'"}
    assert answer.headers["x-frame-options"] == "SAMEORIGIN"


@pytest.mark.parametrize(
    ("base", "path", "root", "framed"),
    [
        ("course", "/course/clipping", "", True),
        ("/a/course/", "/a/course/clipping", "", True),
        ("", "/below/clipping", "/below", True),
        ("course", "/clipping", "", False),
        ("", "/course/clipping", "", False),
    ],
)
def test_below_a_base_address_too(base, path, root, framed):
    app = SecurityHeaders(STREAMLITS, base=base, embeddable=["clipping"])
    answer = ask(app, path, root=root, query="embed=true&lesson=cliff")
    assert ("x-frame-options" not in answer.headers) is framed


def socket(app):
    """What is sent to who opens a socket."""
    sent = []

    async def send(message):
        sent.append(message)

    scope = {"type": "websocket", "path": "/labs", "query_string": b"", "headers": []}
    run(SecurityHeaders(app)(scope, None, send))
    return sent


def test_what_goes_over_a_socket_is_passed_on_as_it_is():
    sent = [
        {"type": "websocket.accept"},
        {"type": "websocket.send", "text": "x"},
        {"type": "websocket.close", "code": 1008},
    ]

    async def app(scope, receive, send):
        for one in sent:
            await send(one)

    assert socket(app) == sent


def test_a_socket_that_is_refused_is_an_answer_with_the_headers():
    async def app(scope, receive, send):
        await send({"type": "websocket.close", "code": 1008})

    start, body = socket(app)
    assert (start["type"], start["status"]) == ("websocket.http.response.start", 403)
    names = {name for name, _ in start["headers"]}
    assert {b"content-security-policy", b"x-content-type-options"} <= names
    assert body["type"] == "websocket.http.response.body"


def test_a_failure_is_an_answer_with_the_headers_and_is_passed_on():
    async def fails(request):
        raise ZeroDivisionError

    app = Starlette(routes=[Route("/", fails)], middleware=[Middleware(SecurityHeaders)])
    sent = []

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": []}
    with pytest.raises(ZeroDivisionError):
        run(app(scope, None, send))
    start, _ = sent
    assert start["status"] == 500
    assert b"content-security-policy" in {name for name, _ in start["headers"]}
