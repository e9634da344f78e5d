"""What a learner answered, as a teacher gets it."""

import csv
import io
import json

from lessons.outputs.catalogue import find
from lessons.outputs.results import TYPE, Answered, answered, as_data, as_files
from lessons.outputs.review import reviewed


def test_each_question_is_a_row_with_its_first_and_its_final_answer():
    flip = find("flip")
    bug = next(one for one in flip.prose.questions if one.kind == "bug")
    wrong = next(one.key for one in bug.options if one.key != flip.bug.right())
    final = reviewed("flip", (("bug", flip.bug.right()), ("twice", "12~product~12")))
    first = reviewed("flip", (("bug", wrong), ("twice", "12~product~12")))
    right = {"twice": True, "bug": False}
    rows = answered(flip, first, final, right, {"twice": "2026-11-25T15:55Z"})
    told = {question.name: row for question, row in zip(flip.prose.questions, rows, strict=True)}
    assert told["twice"].first_answer.startswith("12")
    assert (told["twice"].right, told["twice"].right_at_first) == (True, True)
    assert told["twice"].time == "2026-11-25T15:55Z"
    assert told["bug"].first_answer != told["bug"].final_answer
    assert (told["bug"].right, told["bug"].right_at_first, told["bug"].time) == (True, False, None)
    assert told["reversed"] == Answered(
        "flip", "A second path goes around the layer. What comes back to x?"
    )
    lost = answered(flip, final, final, right, {})[2]
    assert (lost.first_answer, lost.right, lost.right_at_first) == (None, True, False)
    data = as_data(rows, done=False)
    assert (data["type"], data["version"], data["done"]) == (TYPE, 1, False)
    assert [data[name] for name in ("questions", "answered", "right", "right_at_first")] == [
        *(len(rows), 2, 2, 1)
    ]
    assert json.loads(as_files(data)["json"]) == data


def test_a_spreadsheet_takes_no_cell_for_a_formula():
    said = ["=1+1", "+1", "-0.5", "@SUM(A1)", "\t=1", "\r=1", "a, “b” = c", 'x"y', "−0.5"]
    rows = [Answered("flip", "Predict", one, one, True, False, None) for one in said]
    text = as_files(as_data(rows, done=True))["csv"]
    assert text.startswith("\ufeff")
    found = list(csv.DictReader(io.StringIO(text[1:], newline="")))
    assert list(found[0]) == list(Answered.__dataclass_fields__)
    for row, one in zip(found, said, strict=True):
        assert row["first_answer"] == (f"'{one}" if one[0] in "=+-@\t\r" else one)
        assert (row["right"], row["right_at_first"], row["time"]) == ("yes", "no", "")
