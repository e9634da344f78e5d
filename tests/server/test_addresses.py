"""What is not here is said to be so, with the way home."""

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount

from pages.server.addresses import Addresses
from tests.server.asgi import ask

SITE, BELOW = (
    Addresses(PlainTextResponse("here"), root, ["reversal"], ["labs"], ["/readyz"])
    for root in ("/", "/course/")
)
HERE = ["", "reversal", "reversal/", "_stcore/health"]


@pytest.mark.parametrize("path", HERE)
def test_what_is_here_is_passed_on_below_a_base_address_too(path):
    assert ask(SITE, f"/{path}").body == b"here"
    assert ask(BELOW, f"/course/{path}").body == b"here"


def test_a_machine_asks_at_the_root():
    assert ask(SITE, "/readyz").body == ask(BELOW, "/readyz").body == b"here"


def test_home_is_below_a_base_address_and_a_mount():
    answer = ask(BELOW, "/reversal")
    assert b'href="/course/"' in answer.body
    assert answer.headers["cache-control"] == "no-store"
    outer = Starlette(routes=[Mount("/below", BELOW)])
    assert b'href="/below/course/"' in ask(outer, "/below/nothing").body
    hostile = ask(SITE, "/nothing", root='/"x').body.decode()
    assert 'href="/&quot;x/"' in hostile
