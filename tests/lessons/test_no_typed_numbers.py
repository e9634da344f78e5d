"""The course's texts fill in computed numbers as facts; nobody types them."""

from pathlib import Path

import pytest

from lessons.check.text import typed_numbers
from lessons.outputs.catalogue import ROOT

TEXTS = [one for one in ROOT.glob("**/en.md") if not one.with_name("lesson.py").exists()]
"""The texts of chapters, and those that lessons share; `lessons.check` reads those of lessons."""


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.parent.relative_to(ROOT)))
def test_no_number_is_typed(path: Path) -> None:
    assert not typed_numbers(path.read_text("utf-8"))


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
def test_a_typed_result_is_found(text: str) -> None:
    assert typed_numbers(text)


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
def test_notation_names_and_filled_in_values_pass(text: str) -> None:
    assert typed_numbers(text) == []
