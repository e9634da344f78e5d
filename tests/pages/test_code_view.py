"""Code on a page: escaped, marked where the trick sits, with the changes of a fix."""

import html
import re

import pytest

from lessons import lessons
from pages.ui.code_view import difference, marked_lines, markup


def text_of(shown: str) -> list[str]:
    rows = re.findall(r'<(\w+) class="gt-row">(.*?)\n</\1>', shown, re.DOTALL)
    return [html.unescape(re.sub("<[^>]+>", "", row)) for _, row in rows]


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_the_source_comes_out_as_it_is_and_the_trick_is_marked(lesson):
    marks = marked_lines(lesson.source, lesson.highlight)
    shown = markup(lesson.source, marks)
    assert [line.rstrip() for line in text_of(shown)] == [
        line.rstrip() for line in lesson.source.rstrip("\n").split("\n")
    ]
    assert shown.count("<mark") == len(marks) == len(lesson.highlight.splitlines())
    marked = [lesson.source.split("\n")[line] for line in marks]
    assert lesson.highlight in "\n".join(marked)


@pytest.mark.parametrize(
    "source",
    ["<script>alert(1)</script>", "x = '<b>' & \"</pre>\"", 's = """\n<i>\n"""', "(", "\t)\n é ="],
)
def test_nothing_in_code_becomes_html(source):
    shown = markup(source, {}, '"><script>')
    assert set(re.findall(r"<(\w+)", shown)) <= {"pre", "code", "span"}
    assert [line.rstrip() for line in text_of(shown)] == [
        line.rstrip() for line in source.split("\n")
    ]


def test_changed_lines_are_marked_on_both_sides():
    listing, marks = difference("def f(x):\n    a = x\n    return a", "def f(x):\n    return x")
    lines = listing.split("\n")
    assert [lines[n] for n, mark in marks.items() if mark == "removed"] == [
        "    a = x",
        "    return a",
    ]
    assert [lines[n] for n, mark in marks.items() if mark == "added"] == ["    return x"]
    assert difference("same", "same") == ("same", {})
