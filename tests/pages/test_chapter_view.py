"""What an address leads to, without a browser: a lesson, a program, or something near."""

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from lessons.outputs.catalogue import find, lessons, lessons_by_earlier_slug, lessons_by_slug
from lessons.outputs.quiz import LENGTH
from pages.ui.words import WORDS
from tests.support.server import ROOT

pytestmark = pytest.mark.slow


def opened(place: str, **query: str) -> AppTest:
    page = AppTest.from_file(str(ROOT / "pages/main.py"), default_timeout=120)
    page._page_hash = calc_hash(place)
    page.query_params = {name: [text] for name, text in query.items()}
    page.run()
    assert not page.exception
    return page


@pytest.mark.parametrize(
    ("chapter", "query"),
    [
        ("override_map", {"lesson": "silent_key", "step": "6", "key": "Sing"}),
        ("reversal", {"lesson": "builder", "step": "99", "builders": "2", "cuts": "pow:0"}),
    ],
)
def test_the_address_of_a_lesson_that_is_part_of_another_one_leads_there(
    chapter: str, query: dict[str, str]
) -> None:
    page = opened(chapter, **query)
    assert not page.warning
    assert page.query_params == {"lesson": "type_not_name"}
    assert any(find("type_not_name").prose.steps[0].title in one.value for one in page.markdown)


def test_no_lesson_of_today_has_the_name_of_an_earlier_one() -> None:
    assert not lessons_by_earlier_slug().keys() & lessons_by_slug().keys()


def test_an_address_from_before_a_lesson_moved_to_another_chapter_leads_there() -> None:
    page = opened("in_the_wild", lesson="unroll", step="2")
    assert not page.warning
    assert page.query_params == {"lesson": "unroll", "step": "2"}
    assert any(find("unroll").prose.steps[1].title in one.value for one in page.markdown)
    assert any("3 of 7" in str(one.proto.body) for one in page.get("html"))


@pytest.mark.parametrize("lesson", ["no_such_lesson", "x" * 3000])
def test_an_address_of_no_lesson_leads_to_the_first_and_says_so(lesson: str) -> None:
    page = opened("in_the_wild", lesson=lesson, step="-1", evil="<script>")
    assert page.warning
    assert page.markdown


@pytest.mark.parametrize(
    "query", [{"program": "@@@"}, {"program": "A" * 30_000}, {"preset": "<script>"}], ids=range(3)
)
def test_an_address_of_no_program_opens_the_playground(query: dict[str, str]) -> None:
    assert opened("playground", **query).markdown


def test_the_end_of_the_course_leads_to_its_chapters_quiz_and_to_a_program_of_ones_own() -> None:
    lesson = lessons()[-1]
    page = opened(lesson.chapter, lesson=lesson.slug, step=str(len(lesson.prose.steps)))
    page.button(key="next").click().run()
    links = [one.proto.label for one in page.get("page_link")]
    assert links[-2:] == [WORDS("chapters_quiz", n=LENGTH), WORDS("try_own_program")]
