"""The app as it is served, asked over HTTP and sockets for what no page of ours asks for."""

import http.client
import json
import re
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from lessons.outputs.catalogue import chapters
from pages.server import WORDS
from pages.server.application import OTHER_PAGES
from pages.ui.page import LIVE
from tests.browser.looking import ready
from tests.conftest import OpenPage
from tests.support.browser import PATIENCE, Theme, new_context
from tests.support.server import ROOT, START_SECONDS, Server, streamlit
from tests.support.stream import Stream, state

pytestmark = pytest.mark.browser  # they share the browser's server

HEADERS = {
    "content-security-policy": "default-src 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "permissions-policy": "camera=()",
}


def answer(
    url: str, path: str, method: str = "GET", **headers: str
) -> tuple[int, dict[str, str], str]:
    """Status, headers and text; the path is sent as it is, and redirects are not followed."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=START_SECONDS)
    try:
        connection.putrequest(method, path, skip_host="Host" in headers, skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        came = connection.getresponse()
        return (
            came.status,
            {k.lower(): v for k, v in came.getheaders()},
            came.read().decode(errors="replace"),
        )
    finally:
        connection.close()


def has_all(headers: dict[str, str]) -> None:
    for name, part in HEADERS.items():
        assert part in headers.get(name, ""), name


# --- headers ---

REQUESTS = [
    ("GET", "/", 200),
    ("HEAD", "/", 200),
    ("POST", "/", 405),
    *(("GET", f"/{chapter.slug}", 200) for chapter in chapters()),
    *(("GET", f"/{name}", 200) for name in OTHER_PAGES),
    ("GET", "/stop_gradient/", 301),
    ("POST", "/stop_gradient/", 308),
    ("GET", "/stop_gradient/x", 404),
    ("GET", "/favicon.png", 200),
    ("GET", "/static/nothing.js", 404),
    ("GET", f"/{LIVE}", 200),
    ("GET", "/files/nothing", 404),
    ("PUT", f"/{LIVE}", 405),
    ("GET", "/frame.json?lab=flip&scale=3", 200),
    ("GET", "/frame.json?lab=flip&scale=much", 400),
    ("GET", "/frame.json?lab=nothing", 400),
    ("DELETE", "/frame.json", 405),
    ("GET", "/frame.json/", 404),
    ("GET", "/labs", 404),
    ("GET", "/_stcore/health", 200),
    ("OPTIONS", "/_stcore/health", 204),
    ("GET", "/_stcore/metrics", 404),
    ("GET", "/_stcore/host-config", 200),
    ("GET", "/_stcore/stream", 404),
    ("GET", "/_stcore/bidi-components/x", 404),
    ("PUT", "/_stcore/upload_file/a/b", 404),
    ("DELETE", "/_stcore/upload_file/a/b", 404),
    ("POST", "/_stcore/agent/mcp", 404),
    ("GET", "/media/x", 404),
    ("GET", "/component/x", 404),
    ("GET", "/auth/login", 404),
    ("GET", "/oauth2callback", 404),
    ("GET", "/a/../b", 404),
    ("GET", "//evil.example", 404),
    ("GET", "/%2e%2e/x", 404),
]


@pytest.mark.parametrize(("method", "path", "status"), REQUESTS)
def test_every_answer_has_the_headers(app: Server, method: str, path: str, status: int) -> None:
    found, headers, _ = answer(app.url, path, method)
    assert found == status
    has_all(headers)


def in_thread(work: Callable[..., Any]) -> Callable[..., Any]:
    """Run it in a thread of its own: Playwright has a loop running in this one."""

    @wraps(work)
    def whole(*given: Any, **named: Any) -> Any:
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(work, *given, **named).result()

    return whole


@in_thread
def socket_refused(url: str, path: str, **more: Any) -> tuple[int, dict[str, str], str]:
    """How a socket was refused."""
    with pytest.raises(InvalidStatus) as refused:
        connect(url.replace("http", "ws") + path, open_timeout=START_SECONDS, **more).__enter__()
    response = refused.value.response
    headers = {name.lower(): value for name, value in response.headers.items()}
    return response.status_code, headers, response.body.decode()


@pytest.mark.parametrize("path", ["/", "/nothing", "/labs/", "/static/x", "/stop_gradient/labs"])
def test_a_socket_elsewhere_is_not_found_and_logs_no_traceback(app: Server, path: str) -> None:
    before = len(app.log(10**7))
    status, headers, _ = socket_refused(app.url, path, origin=app.url)
    assert status == 404
    has_all(headers)
    assert "Traceback" not in app.log(10**7)[before:]


# --- hosts ---

NAME = "lab.localhost"  # a browser asks this machine for it


def port(url: str) -> str:
    return str(urlsplit(url).port)


@pytest.mark.parametrize("path", ["/", "/nothing/at/all", "/frame.json", "/_stcore/host-config"])
def test_a_name_that_is_not_of_this_machine_gets_nothing(app: Server, path: str) -> None:
    status, headers, text = answer(app.url, path, Host=f"evil.example:{port(app.url)}")
    assert status == 403
    has_all(headers)
    assert "evil.example" in text
    assert "STREAMLIT_SERVER_ALLOWED_HOSTS" in text
    assert len(text) < 2500


@pytest.mark.parametrize("path", ["/labs", "/_stcore/stream"])
@pytest.mark.parametrize("host", ["127.0.0.1", "evil.example"])
def test_a_socket_for_another_site_or_by_another_name_is_refused(
    app: Server, path: str, host: str
) -> None:
    url = f"http://{host}:{port(app.url)}"
    origin = "https://evil.example" if host == "127.0.0.1" else url
    client = socket.create_connection(("127.0.0.1", int(port(app.url))))
    status, headers, text = socket_refused(url, path, origin=origin, sock=client)
    assert status == 403
    has_all(headers)
    assert "evil.example" in text or host == "127.0.0.1"


def test_a_page_behind_a_proxy_that_changes_its_name_says_how_to_allow_that(
    app: Server, visitor: Callable[..., Page]
) -> None:
    """As JupyterHub's and Codespaces' proxies do."""
    url = f"http://{NAME}:{port(app.url)}"
    page = visitor()
    page.route(
        f"{url}/**",
        lambda route: route.fulfill(
            response=route.fetch(
                url=route.request.url.replace(url, app.url), timeout=1000 * PATIENCE
            )
        ),
    )
    page.goto(url)
    said = page.get_by_role("alert")
    expect(said).to_contain_text(f'corsAllowedOrigins = ["{url}"]')
    expect(said).to_contain_text(f'STREAMLIT_SERVER_CORS_ALLOWED_ORIGINS="{url}"')


# --- what is not there ---


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/nothing/at/all",
        "/stop_gradient/x/y?lesson=flip",
        "/labs",
        "/static/x.js",
        "/files/x/y",
        "/_stcore/x",
    ],
)
def test_an_unknown_address_leads_home(app: Server, path: str) -> None:
    for headers in ({}, {"Range": "bytes=0-20"}, {"Accept-Encoding": "identity"}):
        status, came, text = answer(app.url, path, Accept="text/html", **headers)
        assert status == 404
        assert came["content-type"].startswith("text/html")
        assert re.findall(r'(?:src|href)="([^"]*)"', text) == ["data:,", "/"]
        assert "<script" not in text


@pytest.mark.parametrize("query", ["", "?lesson=flip&step=2&x=1%2C2"])
def test_a_slash_at_the_end_leads_to_the_page(app: Server, query: str) -> None:
    status, headers, _ = answer(app.url, f"/reversal/{query}")
    assert (status, headers["location"]) == (301, f"/reversal{query}")
    assert answer(app.url, f"/reversal{query}")[0] == 200


@pytest.mark.long  # a server more costs as much as ten pages
def test_below_a_base_address_lab_and_home_are_there_by_the_name_it_was_told_alone(
    open_page: OpenPage,
) -> None:
    settings = {"server.allowedHosts": NAME, "server.baseUrlPath": "course"}
    with streamlit(ROOT / "app.py", settings=settings) as server:
        for path in ("/course/reversal", "/course/"):
            assert answer(server.url, path, Host=NAME)[0] == 200
        for path in ("/", "/course/"):
            assert answer(server.url, path)[0] == 403
        for path in ("/course/nothing/x", "/reversal", "/"):
            status, headers, text = answer(server.url, path, Host=NAME, Accept="text/html")
            assert status == 404
            has_all(headers)
            assert 'href="/course/"' in text
        url = f"http://{NAME}:{port(server.url)}/course/reversal"
        page = ready(open_page(f"{url}?lesson=flip&scale=1.5"))
        page.locator("[data-control=scale] input[type=range]").press("ArrowRight")
        page.wait_for_function("location.search.includes('scale=1.6')")
        assert page.url.startswith(f"{url}?")
        page.goto("about:blank")  # the server ends first


@pytest.fixture
def visitor(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Pages of a browser that enforces the page's own policy."""
    with ExitStack() as stack:

        def visitor(**settings: Any) -> Page:
            context = new_context(browser, **settings)
            stack.callback(context.close)
            return context.new_page()

        yield visitor


def test_the_way_home_works_with_the_keyboard_and_in_the_dark(
    app: Server, visitor: Callable[..., Page]
) -> None:
    page = visitor()
    came = []
    page.on("response", lambda response: came.append(response.url))
    page.goto(app.url + "/nothing/at/all")
    expect(page.locator("h1")).to_have_text(WORDS("no_page"))
    papers: dict[Theme, str] = {"light": "rgb(253, 252, 249)", "dark": "rgb(20, 23, 29)"}
    for theme, colour in papers.items():
        page.emulate_media(color_scheme=theme)
        paper = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        assert paper == colour
        assert Axe().run(page).violations_count == 0, theme
    assert came == [app.url + "/nothing/at/all"], "it needs no other file"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("h1").first).to_have_text("Pick a trick. Move anything.")


# --- Streamlit's own socket ---


@in_thread
def test_what_is_no_message_ends_the_connection_and_is_one_line_in_the_log(app: Server) -> None:
    before = len(app.log(10**7))
    with Stream(app.url, "glossary") as stream:
        assert stream.run()
        stream.socket.send(b"\xff" * 300)
        with pytest.raises(ConnectionClosed):
            list(stream.socket)
    logged = app.log(10**7)[before:].strip().splitlines()
    assert len(logged) == 1
    assert "Streamlit's socket" in logged[0]
    assert len(logged[0]) < 200


BROKEN = ["not json", "", "[" * 100_000, '{"go":' * 900 + "1" + "}" * 900, "1" * 5000, '{"go": "\\']


COMPONENTS = ["lesson_search", "gradient_tab", "gradient_lab"]


@in_thread
def test_a_state_that_is_no_json_costs_nobody_else_anything(app: Server) -> None:
    with Stream(app.url, "glossary") as other:
        for text in BROKEN:
            with Stream(app.url, "stop_gradient", "lesson=right_place") as stream:
                assert stream.run()
                widget = stream.component("gradient_lab")
                events = widget.replace("$$ID", "$$STREAMLIT_INTERNAL_TRIGGER_ID") + "__events"
                stream.run(state(widget, json_value=text))
                stream.run(state(events, json_trigger_value=text))
            assert other.run()
            assert other.elements("exception") == []


ODD = [
    "{}",
    "null",
    "[1]",
    '"x"',
    "NaN",
    '{"go": null}',
    '{"go": {"page": "stop_gradient", "lesson": "flip", "step": 1e999}}',
    '{"go": {"page": "glossary", "lesson": {"a": 1}}}',
    '{"drawn": "\\ud800", "commit": {"a": 1}}',
]


@in_thread
def test_whatever_a_component_says_the_page_goes_on(app: Server) -> None:
    with Stream(app.url, "stop_gradient", "lesson=right_place") as stream:
        assert stream.run()
        for name in COMPONENTS:
            widget = stream.component(name)
            for text in ODD:
                assert stream.run(state(widget, json_value=text)), (name, text)
                assert stream.elements("exception") == [], (name, text)


@in_thread
def test_a_click_that_comes_as_a_state_is_followed_once(app: Server) -> None:
    with Stream(app.url, "stop_gradient", "lesson=right_place") as stream:
        assert stream.run()
        go = {"page": "stop_gradient", "lesson": "wrong_place", "step": 2}
        stream.rerun(state(stream.component("lesson_search"), json_value=json.dumps({"go": go})))
        assert stream.runs_within(2) <= 2
