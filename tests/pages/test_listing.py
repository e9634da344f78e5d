"""Code on a page: escaped, and with the changes of a fix."""

import html
import re

import pytest

from lessons.contract.lesson import Lesson
from lessons.outputs.catalogue import lessons
from pages.labs.code import marked_lines, pane
from pages.ui.listing import difference, markup
from tests.support.folded import folded


def text_of(shown: str) -> list[str]:
    rows = re.findall(r'<(\w+) class="gt-row"[^>]*>(.*?)\n</\1>', shown, re.DOTALL)
    return [html.unescape(re.sub("<[^>]+>", "", row)).rstrip() for _, row in rows]


@folded("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_page_and_lab_get_the_source_as_it_is_with_the_trick_marked(lesson: Lesson) -> None:
    marks = marked_lines(lesson.source, lesson.highlight)
    lines = lesson.source.rstrip("\n").split("\n")
    shown, made = markup(lesson.source), pane(lesson.source, marks)
    assert text_of(shown) == [line.rstrip() for line in lines]
    assert ["".join(text for _, text in pieces) for pieces in made["lines"]] == lines
    kinds = {kind for pieces in made["lines"] for kind, _ in pieces if kind}
    assert kinds == set(re.findall(r'class="(keyword|string|number|comment)"', shown))
    # A trick may stand in several places: which of them runs is the learner's choice.
    times = lesson.source.count(lesson.highlight) if lesson.highlight else 0
    assert len(marks) == times * len(lesson.highlight.splitlines())
    assert made["marks"] == marks
    assert lesson.highlight in "\n".join(lines[line] for line in marks)


@pytest.mark.parametrize(
    "source",
    ["<script>alert(1)</script>", "x = '<b>' & \"</pre>\"", 's = """\n<i>\n"""', "(", "\t)\n é ="],
)
def test_nothing_in_code_becomes_html(source: str) -> None:
    shown = markup(source, {}, '"><script>')
    assert set(re.findall(r"<(\w+)", shown)) <= {"pre", "code", "span"}
    assert text_of(shown) == [line.rstrip() for line in source.split("\n")]


def test_changed_lines_are_marked_on_both_sides() -> None:
    listing, marks = difference("def f(x):\n    a = x\n    return a", "def f(x):\n    return x")
    lines = listing.split("\n")
    assert [lines[n] for n, mark in marks.items() if mark == "removed"] == [
        "    a = x",
        "    return a",
    ]
    assert [lines[n] for n, mark in marks.items() if mark == "added"] == ["    return x"]
    assert difference("same", "same") == ("same", {})


def test_words_are_coloured_as_python_reads_them_in_broken_code_too() -> None:
    (first, second) = pane("match x:\n    case _: f'{x}'  # (")["lines"]
    assert first == [("keyword", "match"), ("", " x:")]
    assert ("keyword", "case") in second
    assert second[-4:] == [("", "x"), ("string", "}'"), ("", "  "), ("comment", "# (")]
    assert pane("if (\nreturn 3")["lines"][1] == [("keyword", "return"), ("", " "), ("number", "3")]
