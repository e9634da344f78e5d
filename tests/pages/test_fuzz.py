"""Some hostile addresses; fuzz.py says what must hold. ``make fuzz`` tries many more."""

import random

import pytest
import streamlit as st

from pages.server import site
from pages.ui import chapter_view, memory
from tests.pages import fuzz
from tests.support.amount import cases
from tests.support.fuzzing import found

pytestmark = pytest.mark.slow


@pytest.mark.random
def test_hostile_addresses_do_no_harm():
    count = cases(10, 400)
    came = found("tests.pages.fuzz", count)
    # Neither may quietly become a test of nothing.
    assert came["page"] == count // 2
    assert min(came["http_200"], came["http_400"], came["http_404"]) > 1


@pytest.mark.parametrize("word", fuzz.HOSTILE[:4])
def test_a_word_that_is_not_escaped_is_found(word, monkeypatch):
    monkeypatch.setattr(chapter_view.Chapter, "find", lambda *_: st.warning(word) and None)
    with pytest.raises(AssertionError, match=" in warning: "):
        fuzz.opened(random.Random(1), "reversal", f"lesson={word}")


def test_an_exception_on_a_page_is_found(monkeypatch):
    monkeypatch.setattr(memory, "trail", lambda lesson: 1 / 0)
    with pytest.raises(AssertionError, match="an exception: ZeroDivisionError"):
        fuzz.opened(random.Random(1), "reversal", "")


def test_a_mistake_of_ours_in_a_frame_is_found(monkeypatch):
    monkeypatch.setattr(site, "answer", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        _ = [fuzz.asked(random.Random(place), "") for place in range(40)]
