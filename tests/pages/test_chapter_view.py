"""What an address leads to, without a browser: a lesson, a program, or something near."""

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from lessons.outputs.catalogue import find
from tests.support.server import ROOT

pytestmark = pytest.mark.slow


def opened(place: str, **query: str) -> AppTest:
    page = AppTest.from_file(str(ROOT / "pages/main.py"), default_timeout=120)
    page._page_hash = calc_hash(place)
    page.query_params = {name: [text] for name, text in query.items()}
    page.run()
    assert not page.exception
    return page


def test_an_address_from_before_a_lesson_moved_to_another_chapter_leads_there():
    page = opened("in_the_wild", lesson="unroll", step="2")
    assert not page.warning
    assert page.query_params == {"lesson": "unroll", "step": "2"}
    assert any(find("unroll").prose.steps[1].title in one.value for one in page.markdown)
    assert any("3 of 6" in str(one.proto.body) for one in page.get("html"))


@pytest.mark.parametrize("lesson", ["no_such_lesson", "x" * 3000])
def test_an_address_of_no_lesson_leads_to_the_first_and_says_so(lesson):
    page = opened("in_the_wild", lesson=lesson, step="-1", evil="<script>")
    assert page.warning
    assert page.markdown


@pytest.mark.parametrize(
    "query", [{"program": "@@@"}, {"program": "A" * 30_000}, {"preset": "<script>"}], ids=range(3)
)
def test_an_address_of_no_program_opens_the_playground(query):
    assert opened("playground", **query).markdown
