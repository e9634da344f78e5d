"""The plain torch of each lesson: short, without our names, with our numbers."""

import ast
import json

import pytest

from lessons.outputs.catalogue import find, lessons
from lessons.outputs.notebook import notebook
from lessons.outputs.plain_torch import WORDS, plain_torch
from tests.support.folded import folded


@folded("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_it_runs_where_nothing_of_ours_is_loaded(lesson, tmp_path, alone):
    file = tmp_path / f"{lesson.slug}.py"
    few = {"seeds": "1"} if lesson.lab.training else {}
    file.write_text(plain_torch(lesson, lesson.validate(few)), "utf-8")
    (printed,) = alone.run(tmp_path, [[str(file), *(["1", "1"] if few else [])]])
    assert json.loads(printed).keys() >= {"forward", "trick_gradient"}


@pytest.mark.parametrize("cuts", [2, 20])
def test_the_cuts_of_the_screen_are_named_and_change_no_code(cuts):
    lesson = find("flip")
    plain = plain_torch(lesson, lesson.validate({}))
    text = plain_torch(lesson, lesson.validate({}), [(f"add_{n}", 0) for n in range(cuts)])
    comments = " ".join(line[2:] for line in text.splitlines() if line.startswith("# "))
    names = [f"{name}:0" for name in sorted(f"add_{n}" for n in range(cuts))]
    assert WORDS("not_cut", cuts=", ".join(names)) in comments
    assert max(map(len, text.splitlines())) <= 100
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(plain)), "so it prints the same"


@pytest.mark.long
def test_every_notebooks_code_runs_as_jupyter_starts_it(tmp_path, alone):
    """Its kernel gets arguments of its own: they are no number of steps."""
    names = [f"{one.slug}.py" for one in lessons()]
    for lesson, name in zip(lessons(), names, strict=True):
        few = {"steps": "1", "seeds": "1"} if lesson.lab.training else {}
        cells = json.loads(notebook(lesson, lesson.validate(few)))["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        drawn = "assert any(line.y is not None for line in figure.data)"
        (tmp_path / name).write_text("\n".join([*code, drawn]), "utf-8")
    assert len(alone.run(tmp_path, [[name, "-f", "kernel.json"] for name in names])) == len(names)


@pytest.mark.long
@pytest.mark.parametrize("slug", ["flip", "right_place"])
def test_a_notebook_runs(slug):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    made = nbformat.reads(notebook(find(slug), find(slug).validate({})), 4)
    nbformat.validate(made)
    nbclient.NotebookClient(made, timeout=300, startup_timeout=300, kernel_name="python3").execute()
    code = [cell for cell in made.cells if cell.cell_type == "code"]
    assert "trick_gradient" in code[0].outputs[0].text
    assert any("application/vnd.plotly" in kind for one in code[1].outputs for kind in one.data)


@pytest.mark.parametrize(
    ("slug", "given", "why"),
    [
        ("right_place", {"x": "-2, 0, 1"}, "the chain rule multiplies them"),
        ("not_finite", {"w": "4, 0", "clip": "norm"}, "this norm is not finite"),
        ("in_place", {"change": "in_place"}, "RuntimeError"),
        ("right_place", {"x": "-2, 1"}, None),
    ],
)
def test_a_file_that_prints_nan_says_why(slug, given, why, tmp_path, alone):
    text = plain_torch(find(slug), find(slug).validate(given))
    file = tmp_path / "file.py"
    file.write_text(text, "utf-8")
    (printed,) = alone.run(tmp_path, [[str(file)]])
    comments = " ".join(line[2:] for line in text.splitlines() if line.startswith("# "))
    assert ("NaN" in printed) == ("Where NaN is printed:" in comments) == bool(why)
    assert (why or "") in comments
