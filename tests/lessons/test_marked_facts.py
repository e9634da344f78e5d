"""Facts in a lesson's text are marked where their number can follow the lab."""

import pytest

from lessons.prose.steps import fill, quoted


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("at {{ x }}", "at <x:=1.5>"),
        ("at **{{ x:.2f }}**", "at **<x:.2f=1.50>**"),
        ("at {{ low }}", "at <low:=−2>"),
        ("$x = {{ x }}$ and {{ x }}", "$x =$\u00a0<x:=1.5> and <x:=1.5>"),
        ("`{{ x }}` {{ x }}", "`1.5` <x:=1.5>"),
        ("{{ word }}", "<word:=it says so>"),
    ],
)
def test_facts_in_running_text_are_marked(text: str, marked: str) -> None:
    facts: dict[str, float | str] = {"x": 1.5, "low": -2, "word": "it says so"}
    assert fill(text, facts, lambda name, shown: f"<{name}={shown}>") == marked


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("At $x = {{ x:.3g }}$.", "At $x =$_[x:.3g].$".rstrip("$")),
        ("$f({{ x }}, {{ y }})$", "$f($[x]_$,$_[y]$)$"),
        ("$2 \\cdot {{ x }} = {{ y }}$", "$2 \\cdot$_[x]_$=$_[y]"),
        ("$h = {{ x }} \\cdot h_{t-1}$", "$h =$_[x]_$\\cdot h_{t-1}$"),
        ("$e^{ {{ x }} }$ and $-{{ x }}$", None),
        ("$\\frac{1}{ {{ x }} }$ and $2 {{ x }}$", None),
        ("$\\left( {{ x }} \\right)$ and `x = {{ x }}`", None),
        ("$$x = {{ x }}$$", None),
    ],
)
def test_a_number_in_maths_is_marked_where_the_maths_can_be_split(
    text: str, shown: str | None
) -> None:
    facts: dict[str, float | str] = {"x": 1.0, "y": 2.0}
    marked = fill(text, facts, lambda name, shown: f"[{name.rstrip(':')}]")
    assert marked.replace("\u00a0", "_") == (shown or fill(text, facts))
    assert bool(quoted(text)) == bool(shown)
