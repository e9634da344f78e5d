"""What an address asks of a lab in vain is said, and the lab is there all the same."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.looking import ready

pytestmark = pytest.mark.browser

LESSON = "stop_gradient?lesson=wrong_place&"


@pytest.mark.parametrize(
    ("address", "said"),
    [
        (LESSON + "x=a&draws=1e99&noise_low=9", "not a number"),
        (LESSON + "evil=%3Cscript%3Ealert(1)%3C/script%3E", "evil"),
        (LESSON + "x=" + "1," * 9_000, "at most|characters"),
        (LESSON + "device=cuda:7", "no device cuda:7"),
        ("stop_gradient?lesson=right_place&step=3&cuts=nothing:0", "No edge to cut at nothing:0"),
        ("playground?program=@@@", "What is shown is"),
    ],
    ids=lambda text: text[:50],
)
def test_what_an_address_asks_in_vain_is_said_and_the_rest_is_there(bare, open_page, address, said):
    page = ready(open_page(f"{bare}/{address}"))
    expect(page.locator(".gl-stage :is(svg, table)").first).to_be_visible()
    expect(page.locator(".gl-lab")).to_contain_text(re.compile(said))
