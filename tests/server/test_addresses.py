"""An unknown address gets a 404 page with a link home."""

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount

from pages.server import addresses
from pages.server.addresses import Addresses, add_page
from tests.server.asgi import ask

SITE, BELOW = (
    Addresses(PlainTextResponse("here"), root, ["labs"], ["/readyz"]) for root in ("/", "/course/")
)
HERE = {"": b"page", "reversal": b"page", "reversal/": b"here", "_stcore/health": b"here"}


@pytest.fixture(autouse=True)
def _pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "served", {})
    add_page("page", ["reversal"])


@pytest.mark.parametrize("path", HERE)
def test_pages_are_below_a_base_address_too_and_streamlit_has_its_own(path: str) -> None:
    assert ask(SITE, f"/{path}").body == HERE[path]
    assert ask(BELOW, f"/course/{path}").body == HERE[path]


def test_a_machine_asks_at_the_root() -> None:
    assert ask(SITE, "/readyz").body == ask(BELOW, "/readyz").body == b"here"


def test_home_is_below_a_base_address_and_a_mount() -> None:
    answer = ask(BELOW, "/reversal")
    assert b'href="/course/"' in answer.body
    assert answer.headers["cache-control"] == "no-store"
    outer = Starlette(routes=[Mount("/below", BELOW)])
    assert b'href="/below/course/"' in ask(outer, "/below/nothing").body
    hostile = ask(SITE, "/nothing", root='/"x').body.decode()
    assert 'href="/&quot;x/"' in hostile
