"""Code beside a lab: coloured as Python reads it."""

from pages.labs.code import pane


def test_words_are_coloured_as_python_reads_them_in_broken_code_too():
    (first, second) = pane("match x:\n    case _: f'{x}'  # (")["lines"]
    assert first == [["keyword", "match"], ["", " x:"]]
    assert ["keyword", "case"] in second
    assert second[-4:] == [["", "x"], ["string", "}'"], ["", "  "], ["comment", "# ("]]
    assert pane("if (\nreturn 3")["lines"][1] == [["keyword", "return"], ["", " "], ["number", "3"]]
