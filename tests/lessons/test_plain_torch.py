"""The plain torch of each lesson: short, without our names, with our numbers; cut with detach."""

import contextlib
import dataclasses
import json
import math
import re

import pytest

from lessons.contract.lesson import CutError
from lessons.outputs.catalogue import find, lessons
from lessons.outputs.notebook import notebook
from lessons.outputs.plain_torch import FILE, plain_torch, with_detach
from tests.equivalents import compared, ours_at
from tests.lessons.test_every_lesson import exported_settings, trained_for, with_scissors
from tests.support.amount import also

LESSONS = pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
LONGEST, WITH_A_MAP, TRAINING = 40, 80, 120
"""Lines of a file: of most, of those that write an override map of their own, of a training."""
TOLERANCE = {"float64": 1e-9, "float32": 1e-5, "bfloat16": 2e-2}


@LESSONS
def test_it_is_short_and_names_nothing_of_ours(lesson):
    text = (lesson.folder / FILE).read_text("utf-8")
    longest = WITH_A_MAP if lesson.chapter == "override_map" else LONGEST
    assert len(text.splitlines()) <= (TRAINING if lesson.lab.training else longest)
    assert not re.search(r"lessons|gradient_tricks|trick_lab", text)
    known = "json|math|sys|torch" if lesson.lab.training else "json|math|torch"
    assert not re.search(rf"import (?!{known})", text), "torch and the standard library"


@pytest.mark.parametrize(
    "lesson",
    [pytest.param(one, marks=pytest.mark.long if one.lab.training else ()) for one in lessons()],
    ids=lambda one: one.slug,
)
def test_it_prints_the_lessons_numbers_at_any_setting(lesson, tmp_path, alone):
    steps = [step.lab for step in lesson.prose.steps if step.lab]
    given = [*exported_settings(lesson), *steps]
    cases = [(lesson.validate(dict(one)), ()) for one in given] + with_scissors(lesson)
    if lesson.lab.training:  # of two steps in all, so that each looks at its last one
        cases = [({**values, "steps": 2}, cuts) for values, cuts in cases]
    files = [tmp_path / f"plain_{number}.py" for number in range(len(cases))]
    for file, (values, cuts) in zip(files, cases, strict=True):
        file.write_text(plain_torch(lesson, values, cuts), "utf-8")
        assert "Not cut here" not in file.read_text("utf-8"), (
            f"No place for a detach in {FILE} at {cuts}: each op of the graph that lesson.py's "
            "program makes stands in the file's program too, with its operands written out."
        )
    words = ["2", "99"] if lesson.lab.training else []  # steps, seeds
    printed = alone.run(tmp_path, [[str(file), *words] for file in files])
    for (values, cuts), text in zip(cases, printed, strict=True):
        apart = compared(ours_at(lesson, values, cuts), json.loads(text))
        assert max(apart.values()) <= TOLERANCE[values.get("dtype", "float64")], (
            values,
            cuts,
            apart,
        )
        if lesson.lab.training:
            facts, means = trained_for(lesson, values, 2, cuts), json.loads(text)["trained"]
            # Other ops in another order: in 8 bits a rounding turns Adam's first steps around.
            within = 0.05 if values["dtype"] == "bfloat16" else 1e-4
            near = {name: pytest.approx(facts[name], rel=1e-3, abs=within) for name in means}
            assert means == near != {}


GRAPHS = [one for one in lessons() if one.lab.start and not one.lab.training]
MORE = [one for one in lessons() if one.lab.start and one.lab.training]


@pytest.mark.parametrize(
    "lesson",
    [*GRAPHS[::3], *also(*GRAPHS[1::3], *GRAPHS[2::3], *MORE)],
    ids=lambda one: one.slug,
)
def test_it_prints_the_lessons_numbers_with_every_edge_cut_or_says_what_is_not(
    lesson, tmp_path, alone
):
    few = {"steps": "1", "seeds": "1"} if lesson.lab.training else {}
    cases = []
    for given in exported_settings(lesson):
        values = lesson.validate({**given, **few})
        edges = sorted(lesson.edges(values))
        for cuts in (edges, edges[::2], edges[1::2]):
            with contextlib.suppress(CutError):
                cases.append((values, cuts, ours_at(lesson, values, cuts)))
    files = [tmp_path / f"cut_{number}.py" for number in range(len(cases))]
    for file, (values, cuts, _) in zip(files, cases, strict=True):
        file.write_text(plain_torch(lesson, values, cuts), "utf-8")
    printed = alone.run(tmp_path, [[str(file)] for file in files])
    for file, (values, cuts, ours), text in zip(files, cases, printed, strict=True):
        if "Not cut here" not in file.read_text("utf-8"):
            apart = compared(ours, json.loads(text))
            assert max(apart.values()) <= TOLERANCE[values["dtype"]], (values, cuts, apart)


@pytest.mark.parametrize(
    ("slug", "given", "cuts", "gradient"),
    [
        ("the_end", {"way": "custom", "after": "linear"}, [("add", 0)], [0.0, 0.0, 0.0]),
        ("the_end", {"way": "rule", "after": "nothing"}, [("sqrt_1", 0)], [0.0, 0.0, 0.0]),
        ("the_end", {"way": "custom"}, [("pow", 0), ("sqrt", 0)], [0.0, 0.0, 0.0]),
        ("flip", {}, [("add", 1), ("pow", 0)], [0.0, 0.0, 0.0]),
        ("cut_by_accident", {}, [("sum", 0), ("sub", 0), ("pow", 0)], [math.nan, math.nan]),
    ],
)
def test_what_is_cut_off_gets_no_gradient_in_the_file_either(
    slug, given, cuts, gradient, tmp_path, alone
):
    lesson = find(slug)
    text = plain_torch(lesson, lesson.validate(given), cuts)
    assert "Not cut here" not in text
    (tmp_path / "cut.py").write_text(text, "utf-8")
    (printed,) = alone.run(tmp_path, [["cut.py"]])
    assert json.loads(printed)["trick_gradient"] == pytest.approx(gradient, nan_ok=True)


def test_where_the_file_would_compute_another_gradient_no_cut_is_made(tmp_path):
    """Its op of this name stands elsewhere than the lesson's."""
    lesson = find("flip")
    text = (lesson.folder / FILE).read_text("utf-8").replace("beside * x", "x * beside + 0 * x")
    text = text.replace("    y = x\n", "    y = 0 * x + x\n")
    (tmp_path / FILE).write_text(text, "utf-8")
    moved = dataclasses.replace(lesson, folder=tmp_path)
    said = plain_torch(moved, lesson.validate({}), [("add", 0)])
    assert "# Not cut here: add:0." in said
    assert ".detach()" not in said


def test_a_cut_is_a_detach_at_the_operand():
    lesson = find("flip")
    values = lesson.validate({"flips": "1"})
    cut = plain_torch(lesson, values, [("add", 0), ("mul", 0)])
    assert "(y**3).detach() + beside * x.detach()" in cut
    assert "y.detach()**3" in plain_torch(lesson, values, [("pow", 0)])
    twice = lesson.validate({"flips": "2"})
    said = plain_torch(lesson, twice, [("flip_gradient", 0)])
    assert "# Not cut here: flip_gradient:0. A hook, a class with a backward of its" in said


def test_an_operand_within_a_list_is_found():
    lesson = find("flip")
    text = "import torch\ndef f(x):\n    return torch.stack([x, 2 * x]).sum()\n"
    found, missing = with_detach(text, "f", type(lesson.lab.start(lesson.validate({})))(
        {"x": lesson.lab.start(lesson.validate({})).leaves["x"]}), [("stack", 1)])  # fmt: skip
    assert not missing
    assert "[x, (2 * x).detach()]" in found


def test_beside_a_setting_the_operand_is_the_tensor_though_a_class_of_its_own_made_it():
    lesson = find("flip")
    begun = lesson.lab.start(lesson.validate({}))
    text = """import torch
class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.exp()
    @staticmethod
    def backward(ctx, upstream):
        return upstream
def f(x, scale):
    y = Own.apply(x)
    return (y - scale) ** 2
"""
    start = type(begun)({"x": begun.leaves["x"]}, {"scale": 2.0})
    found, missing = with_detach(text, "f", start, [("sub", 0)])
    assert not missing
    assert "(y.detach() - scale) ** 2" in found


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
