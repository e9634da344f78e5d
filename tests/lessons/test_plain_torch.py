"""The plain torch of each lesson: short, without our names, with our numbers."""

import ast
import json
import re
from pathlib import Path

import pytest

from lessons.outputs.catalogue import find, lessons
from lessons.outputs.notebook import notebook
from lessons.outputs.plain_torch import WORDS, plain_torch
from tests.support.alone import Alone

SOME = ["flip", "right_place", "several_inputs", "type_not_name"]


def test_each_runs_where_nothing_of_ours_is_loaded(tmp_path: Path, alone: Alone) -> None:
    """One of each kind; what a file may import is a rule for every lesson."""
    commands = []
    for lesson in (*map(find, SOME), *(one for one in lessons() if one.lab.training)):
        few = {"seeds": "1"} if lesson.lab.training else {}
        text = plain_torch(lesson, lesson.validate(few))
        (tmp_path / f"{lesson.slug}.py").write_text(text, "utf-8")
        commands.append([f"{lesson.slug}.py", *(["1", "1"] if few else [])])
    for printed in alone.run(tmp_path, commands):
        assert json.loads(printed).keys() >= {"forward", "trick_gradient"}


def test_each_function_that_learners_see_works_under_torch_func() -> None:
    """It can, if it has a ``setup_context``."""
    chapters = find("flip").folder.parents[1]
    for path in [*chapters.rglob("*.py"), *chapters.rglob("*.md")]:
        text = path.read_text("utf-8")
        assert text.count("(torch.autograd.Function):") == text.count("    def setup_context(") + (
            text.count("    setup_context =")
        ), path


@pytest.mark.parametrize("cuts", [2, 20])
def test_the_cuts_of_the_screen_are_named_and_change_no_code(cuts: int) -> None:
    lesson = find("flip")
    plain = plain_torch(lesson, lesson.validate({}))
    text = plain_torch(lesson, lesson.validate({}), [(f"add_{n}", 0) for n in range(cuts)])
    comments = " ".join(line[2:] for line in text.splitlines() if line.startswith("# "))
    names = [f"{name}:0" for name in sorted(f"add_{n}" for n in range(cuts))]
    assert WORDS("not_cut", cuts=", ".join(names)) in comments
    assert max(map(len, text.splitlines())) <= 100
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(plain)), "so it prints the same"


MARKDOWN = {"cell_type", "id", "metadata", "source"}
CODE = MARKDOWN | {"execution_count", "outputs"}
"""The keys that Jupyter's format 4.5 requires of a cell, and it allows no others."""


def code_cells(text: str) -> list[str]:
    """The code of a notebook, whose form is checked."""
    made = json.loads(text)
    assert made.keys() == {"cells", "metadata", "nbformat", "nbformat_minor"}
    assert (made["nbformat"], made["nbformat_minor"]) == (4, 5)
    assert made["metadata"]["kernelspec"].keys() >= {"name", "display_name"}
    ids = [cell["id"] for cell in made["cells"]]
    assert len({*ids}) == len(ids)
    found = []
    for cell in made["cells"]:
        is_code = cell["cell_type"] == "code"
        assert cell.keys() == (CODE if is_code else MARKDOWN)
        assert is_code or cell["cell_type"] == "markdown"
        assert re.fullmatch(r"[\w-]{1,64}", cell["id"], re.ASCII)
        assert cell["metadata"] == {}
        assert all(line.endswith("\n") for line in cell["source"][:-1])
        if is_code:
            assert (cell["execution_count"], cell["outputs"]) == (None, [])
            found.append("".join(cell["source"]))
    return found


def written_to_run(text: str) -> str:
    """A file that runs a notebook's cells one by one, in one namespace, and looks at its figure."""
    drawn = "assert any(line.y is not None for line in figure.data)"
    return "\n".join([*(f"exec({code!r})" for code in code_cells(text)), drawn])


@pytest.mark.parametrize("slug", SOME)
def test_a_notebooks_cells_run_in_turn_and_print_the_lessons_numbers(
    slug: str, tmp_path: Path, alone: Alone
) -> None:
    lesson = find(slug)
    values = lesson.validate(next(step.lab for step in lesson.prose.steps if step.lab))
    (tmp_path / "cells.py").write_text(written_to_run(notebook(lesson, values)), "utf-8")
    (printed,) = alone.run(tmp_path, [["cells.py"]])
    numbers, result = json.loads(printed), lesson.compute(values)
    for name in ("forward", "trick_gradient"):
        assert numbers[name] == pytest.approx(result[name].y.tolist(), rel=1e-9)


@pytest.mark.long
def test_every_notebooks_code_runs_as_jupyter_starts_it(tmp_path: Path, alone: Alone) -> None:
    """Its kernel gets arguments of its own: they are no number of steps."""
    names = [f"{one.slug}.py" for one in lessons()]
    for lesson, name in zip(lessons(), names, strict=True):
        few = {"steps": "1", "seeds": "1"} if lesson.lab.training else {}
        text = notebook(lesson, lesson.validate(few))
        (tmp_path / name).write_text(written_to_run(text), "utf-8")
    assert len(alone.run(tmp_path, [[name, "-f", "kernel.json"] for name in names])) == len(names)


@pytest.mark.parametrize(
    ("slug", "given", "why"),
    [
        ("right_place", {"x": "-2, 0, 1"}, "the chain rule multiplies them"),
        ("not_finite", {"w": "4, 0", "clip": "norm"}, "this norm is not finite"),
        ("in_place", {"change": "in_place"}, "RuntimeError"),
        ("right_place", {"x": "-2, 1"}, None),
    ],
)
def test_a_file_that_prints_nan_says_why(
    slug: str, given: dict[str, str], why: str | None, tmp_path: Path, alone: Alone
) -> None:
    text = plain_torch(find(slug), find(slug).validate(given))
    file = tmp_path / "file.py"
    file.write_text(text, "utf-8")
    (printed,) = alone.run(tmp_path, [[str(file)]])
    comments = " ".join(line[2:] for line in text.splitlines() if line.startswith("# "))
    assert ("NaN" in printed) == ("Where NaN is printed:" in comments) == bool(why)
    assert (why or "") in comments
