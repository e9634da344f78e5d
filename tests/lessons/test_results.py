"""A learner's answers as a teacher gets them, in CSV and JSON."""

import csv
import io
import json

from lessons.outputs.catalogue import find
from lessons.outputs.results import TYPE, Answered, answered, as_data, as_files
from lessons.outputs.review import reviewed
from tests.support.present import present


def test_each_question_is_a_row_with_its_answer_and_whether_the_first_was_right() -> None:
    flip = find("flip")
    predicted = reviewed("flip", (("bug", present(flip.bug).right()), ("twice", "12~product~12")))
    rows = answered(flip, predicted, {"twice": True, "bug": False})
    told = {question.name: row for question, row in zip(flip.prose.questions, rows, strict=True)}
    assert present(told["twice"].answer).startswith("12")
    assert (told["twice"].right, told["twice"].right_at_first) == (True, True)
    assert (told["bug"].right, told["bug"].right_at_first) == (True, False)
    assert told["reversed"] == Answered(
        "flip", "A second path goes around the layer. What comes back to x?"
    )
    data = as_data(rows, done=False)
    assert (data["type"], data["version"], data["done"]) == (TYPE, 1, False)
    assert [data[name] for name in ("questions", "answered", "right", "right_at_first")] == [
        *(len(rows), 2, 2, 1)
    ]
    assert json.loads(as_files(data)["json"]) == data


def test_a_spreadsheet_takes_no_cell_for_a_formula_and_has_yes_and_no() -> None:
    said = ["=1+1", "+1", "-0.5", "@SUM(A1)", "\t=1", "\r=1", "a, “b” = c", 'x"y', "−0.5"]
    rows = [Answered("flip", "Predict", one, True, False) for one in said]
    text = as_files(as_data(rows, done=True))["csv"]
    assert text.startswith("\ufeff")
    found = list(csv.DictReader(io.StringIO(text[1:], newline="")))
    assert list(found[0]) == list(Answered.__dataclass_fields__)
    for row, one in zip(found, said, strict=True):
        assert row["answer"] == (f"'{one}" if one[0] in "=+-@\t\r" else one)
        assert (row["right"], row["right_at_first"]) == ("yes", "no")
