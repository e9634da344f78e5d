"""A chapter's page, without a browser: the lesson that an address leads to."""

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from lessons.outputs.catalogue import find
from tests.support.server import ROOT

pytestmark = pytest.mark.slow


def test_an_address_from_before_a_lesson_moved_to_another_chapter_leads_there():
    page = AppTest.from_file(str(ROOT / "pages/main.py"), default_timeout=120)
    page._page_hash = calc_hash("in_the_wild")
    page.query_params = {"lesson": ["unroll"], "step": ["2"]}
    page.run()
    assert not page.exception
    assert not page.warning
    assert page.query_params == {"lesson": "unroll", "step": "2"}
    assert any(find("unroll").prose.steps[1].title in one.value for one in page.markdown)
    assert any("3 of 6" in str(one.proto.body) for one in page.get("html"))
