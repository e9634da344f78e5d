"""A visitor's own text as Markdown. What a browser makes of it: tests/browser/test_verbatim.py."""

import re

import pytest

from pages.ui.verbatim import verbatim

HOSTILE = ["[a](//b.cd)", "![](//b.cd/p.png)", "$x$", "<b>", ":smile:", "https://b.cd", "a\\*b"]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_mark_is_left_unescaped_and_the_text_is_the_same(text):
    made = verbatim(text)
    assert not re.search(r"(?<!\\)(?:\\\\)*[!-/:-@\[\]^-`{-~]", made)
    assert re.sub(r"\u200c?\\([!-/:-@\[-`{-~])", r"\1", made) == text


def test_it_is_one_line_of_what_can_be_seen():
    assert verbatim(" \n\n a\t\n b \x00\u202e\ud800 ") == "a b ���"


def test_words_and_letters_of_any_script_stay_as_they_are():
    assert verbatim("Straße 中文 ∇x “y” 12") == "Straße 中文 ∇x “y” 12"
