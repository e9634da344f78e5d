"""No computed or measured number is typed into a lesson's text: facts are filled in.

The rule, outside code, values in double braces and what ``ALLOWED`` names: no decimal number; no
whole number before a unit or per cent; none of two digits or more or above 2 after a word or sign
that states a result (is, gives, returns, prints, about, =, ≈).
"""

import re

import pytest

from lessons.outputs.catalogue import ROOT

TEXTS = sorted(ROOT.glob("*/**/en.md"))
FILLED = re.compile(r"\{\{.*?\}\}", re.DOTALL)
APART = re.compile(
    r"```.*?```|`[^`\n]*`|%\{[^}]*\}|\]\([^)\n]*\)|^<!--.*?-->|\A---\n.*?^---$", re.DOTALL | re.M
)
ALLOWED = re.compile(
    r"(?:TensorFlow|torch|Python|version|chapter|lesson|step|figure|section|seed)s? \d[\d.]*"
    r"|\b(?:at|with|from|set) \$\w = [-\d]+\$"  # an input that the text chooses
    r"|\b5(?: to |–)95 % of (?:the|all|them)|\b2 to the power"  # what an area or an axis shows
    r"|\b(?:19|20)\d\d\b|#\d+|\b(?:float|bfloat|int)\d+\b|\\frac\{?1\}?\{?2\}?",
    re.IGNORECASE,
)
ASKED = re.compile(r"^\*\*(?:Try it|Your turn):\*\*.*?(?=\n\n|\n<!--|\Z)", re.DOTALL | re.MULTILINE)
"""What the learner is to set or reach: `touch`, `goal` and `solved` say the same to the tests."""
SET = re.compile(r"\b(?:to|is|above|below|add) [−-]?\d[\d.]*")
WRONG = {
    "a decimal number": re.compile(r"(?<![\w.])\d+\.\d+"),
    "a number before a unit": re.compile(
        r"(?<![\w.])\d[\d,]*\s?(?:%|°|ms\b|s\b|seconds?\b|percent\b|per cent\b|draws\b|epochs\b)"
    ),
    "a stated result": re.compile(
        r"(?:\b(?:is|are|was|gives?|gave|returns?|returned|prints?|printed|becomes?|equals|about"
        r"|gets?|arrives?)|[=≈])\s*(?:exactly |only |about |again )?\**[-−]?"
        r"(?:[3-9]|\d\d+)(?![\w^²³.]|\s*[\\(])"
    ),
}


def typed(text: str) -> list[str]:
    """What the rule forbids in a text, each with a few words around it."""
    text = ASKED.sub(lambda task: SET.sub("", task[0]), text)
    plain = ALLOWED.sub("", FILLED.sub("", APART.sub("", text)))
    return [
        f"{what}: …{plain[max(0, match.start() - 30) : match.end() + 20]}…".replace("\n", " ")
        for what, pattern in WRONG.items()
        for match in pattern.finditer(plain)
    ]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.parent.relative_to(ROOT)))
def test_no_number_is_typed(path):
    found = typed(path.read_text("utf-8"))
    assert not found, "\n".join([*found, "Fill it in: {{ fact:.3g }}, a fact of the Result."])


@pytest.mark.parametrize(
    "text",
    [
        "At x it is 0.98 in size.",
        "The spread falls by 37 %.",
        "The gradient is 12, not less.",
        "It takes 80 ms.",
        "autograd gives −6 there",
        "so $g = 27$ now",
        "Accuracy rises to .95 from 0.72",
        "a turn of 18°",
    ],
)
def test_a_typed_result_is_found(text):
    assert typed(text)


@pytest.mark.parametrize(
    "text",
    [
        "It is {{ trick_gradient:.3g }}, about {{ share:.0f }} %.",
        "Its local derivative is 1, and at 0 it is NaN.",
        "$y = x^2$ has the slope $2x$, the root $\\frac{1}{2\\sqrt{y}}$.",
        "Ganin et al., 2016, and pytorch#48574, in TensorFlow 2.",
        "`y = 0.5 * x` in float32",
        "```python\nx = 0.25\n```",
        "<!-- lab: noise_low=0.5 -->",
        "Two passes, three uses.",
        "At $x = 40$ nothing moves.",
        "the derivative is 3x²",
    ],
)
def test_notation_names_and_filled_in_values_pass(text):
    assert typed(text) == []
