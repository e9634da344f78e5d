"""What a tab tells of itself: taken where it is news, and nothing else is believed."""

import pytest

from pages.ui.tab import read

REPORT = {
    "session": "before",
    "path": "/course/reversal",
    "query": "lesson=flip&step=3&step=4&x=-1,+2&embed=true&hide=",
}


def test_what_another_session_drew_is_news():
    words = {"lesson": "flip", "step": "3", "x": "-1, 2", "hide": ""}
    assert read(REPORT, "reversal", "now") == words


@pytest.mark.parametrize(
    ("page", "session"), [("reversal", "before"), ("clipping", "now"), ("", "now")]
)
def test_what_this_session_drew_or_another_page_shows_is_not(page, session):
    assert read(REPORT, page, session) is None


@pytest.mark.parametrize(
    "report",
    [
        None,
        [],
        "lesson=flip",
        {},
        REPORT | {"path": None},
        REPORT | {"query": "x=" + "1" * 40_000},
    ],
)
def test_nonsense_is_nothing(report):
    assert read(report, "reversal", "now") is None


def test_only_so_many_words_are_read():
    query = "&".join(f"a{n}={n}" for n in range(2000))
    assert len(read(REPORT | {"query": query}, "reversal", "now")) == 64
