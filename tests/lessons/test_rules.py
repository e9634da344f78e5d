"""Each rule of `lessons.check` notices a lesson that breaks it."""

import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

import lessons.__main__
import lessons.chapters
import lessons.check
from lessons.check import (
    Rule,
    check,
    experiments,
    frameworks,
    numbers,
    problems,
    questions,
    stage,
    text,
    torch_file,
    trainings,
)
from lessons.check.differences import CHOSEN_INPUT, largest_differences
from lessons.check.runs import Runs
from lessons.contract.figure import Figure
from lessons.contract.result import Result
from lessons.contract.settings import Settings
from lessons.kit.experiment import Program
from lessons.outputs import catalogue, new
from lessons.outputs.catalogue import find
from lessons.training.under_way import Run

TRY = "drag the {{ scale:.3g }}, or **Scale λ**. Which changes"
USE = "**Use it** when the part after"

# (rule, lesson, file): (text to replace, replacement, in the message)
BROKEN = {
    (text.form, "flip", "en.md"): [
        ("## When to use it", "## When to apply it", "last step but one"),
        ("layer reverse?", "layer reverses", "question mark"),
        ("remember: A", "remember: Two words\nforget: A", "5 to 25"),
        ("predict: transfer", "predict: other", "predict: transfer"),
        (USE, f"{'word ' * 120}{USE}", "at most 90"),
        ("**Try it:** cut", "Cut", "asks nothing"),
        ("stage: graph", "stage: gradient", "one step uses it"),
    ],
    (text.form, "unroll", "en.md"): [
        ("NMT-py#1148]", "NMT-py#1149]", "to OpenNMT/OpenNMT-py#1148")
    ],
    (text.typed, "flip", "en.md"): [(USE, f"It is 0.37. {USE}", "a decimal number in")],
    (text.controls, "flip", "en.md"): [
        ("controls: beside", "controls: besid", "no control 'besid'"),
        ("controls: beside", "controls: a,b,c,d,e", "at most 4"),
    ],
    (text.source, "flip", "lesson.py"): [('highlight="y', 'highlight="z', "to highlight")],
    (text.try_it, "flip", "en.md"): [
        (TRY, "the chart shows a lot.", "tells the learner nothing to do"),
        (TRY, "wait and watch.", "names no control by its label"),
        (TRY, "move **Scale μ**.", "“Scale μ” is neither a control"),
        (TRY, "press **Start** and wait.", "nothing to start"),
        ("set **Scale λ** and", "set **Scale μ** and", "“Scale μ” is neither a control"),  # a task
    ],
    (text.try_it, "cliff", "en.md"): [
        ("set **Window**", "cut an edge, set **Window**", "no graph")
    ],
    (text.try_it, "frozen_checkpoint", "en.md"): [
        ("“trained”, as", "“shut”, as", "“shut” is no choice"),
        ("“trained”, as", "“frozen”, as", "is already at"),
    ],
    (text.trainings, "codebook", "en.md"): [
        ("to see both distances", "to see {{ trick_apart }}", "trick_apart of the run before")
    ],
    (text.trainings, "moving_target", "en.md"): [
        ("nearer hides=true_gradient", "nearer", "add `hides="),
        ("The one with", "{{ plain_off }}: with", "can have"),
        ("A value is", "`{{ plain_off }}` is", "can have"),
    ],
    (experiments.values, "flip", "lesson.py"): [
        ("x**3 + beside * x", "x**3", "and `plain` -3.375, -0.125, 1. A trick")
    ],
    (experiments.slopes, "flip", "lesson.py"): [
        ("x**3 + beside * x", "x.detach() * x**2 + beside * x", "the slope of the value is 6.75: "),
        ("x**3 + beside * x", "x**3 + beside * x + x * torch.nan", "has the value a slope"),
    ],
    (numbers.results, "critic_leak", "lesson.py"): [
        ("intended=own_gradients", "intended=lambda v, **_: v", "shape [], the trained leaf [2]"),
    ],
    (numbers.facts, "flip", "en.md"): [
        ("{{ added", "{{ adde", "no fact 'adde' to fill in. Did you mean added?"),
    ],
    (numbers.match_saved, "flip", "numbers.json"): [
        ('"path": -4.0', '"path": -4.1', "'path' was -4.1"),
        ('"answer": "path"', '"answer": "other"', "was other"),
        ('"added"', '"adds"', "keep flip"),
    ],
    (questions.options, "flip", "en.md"): [
        ("- product: {{ product", "- path: {{ product", "same key"),
        ("path: {{ path:.4g }}:", "path = one_flip: {{ nothing:.4g }}:", "begin alike"),
    ],
    (questions.typed, "flip", "en.md"): [("- added:", "- added = product:", "counts as 'product'")],
    (questions.sketches, "wrong_place", "en.md"): [
        ("hides=trick_gradient", "", "Hide 'trick_"),
        ("- same = true_gradient", "- same = reciprocal", "counts as right at"),
    ],
    (questions.sketches, "wrong_place", "lesson.py"): [
        ("near=0.45", "near=-1.0", "counts as ''"),
        ("near=0.45", "near=9.0", "counts as right at"),
    ],
    (questions.quiz, "flip", "en.md"): [
        ("quiz: scale=3 beside=1", "quiz: scale=1", "'sign_only' is as right as 'path'"),
        ("quiz: scale=3 beside=1", "quiz: scale=1 beside=3", "the task is done before"),
        ("quiz: scale=3 beside=1", "quiz: x=1,2,3", "doesn't reach the goal"),
        ("<!-- bug: -->", "<!-- bug: -->\n<!-- quiz: scale=2 -->", "No quiz can ask this"),
    ],
    (questions.bug, "flip", "en.md"): [("- both_ends", "- no_ends", "order of the fixes")],
    (questions.bug, "flip", "bug.py"): [
        ("assert head == plain_head", "assert True", "passes its own"),
        ('"head * feature, -1.0"', '"head * featur"', "isn't the bug's"),
        ("assert extractor ==", "assert True or", "here 2 do. other_sign passes;"),
        ("assert extractor == -", "assert extractor == 1 -", "here 0 do"),
        ("revgrad#5", "revgrad#five", "no issue on GitHub"),
        ("Getting nan losses after gradient reversal", "NaN", "title"),
        ("2020-11-03", "2120-11-03", "can't have been opened"),
    ],
    (stage.stages, "flip", "en.md"): [
        ("stage: curves", "stage: curvs", "`stage: curvs` is none of"),
        ("<!-- bug: -->", "<!-- stage: table -->\n<!-- bug: -->", "own code"),
    ],
    (stage.stages, "frozen_checkpoint", "en.md"): [
        (
            "stage: recorded",
            "stage: gradient",
            "`- recorded_title` is of a chart that no step shows",
        ),
    ],
    (stage.titles, "value_or_norm", "en.md"): [
        ("subject: The gradient,", "subject: The full gradient,", "_subject` has 49 letters")
    ],
    (stage.drags, "value_or_norm", "lesson.py"): [
        ('limit="length"', 'limt="length"', "sets 'limt', which is no control. Did you mean limit")
    ],
    (stage.touch, "flip", "en.md"): [
        ("touch: scale=3", "touch: scale=1", "leaves the stage"),
        ("<!-- touch: scale=3 -->\n", "", "what to touch"),
    ],
    (stage.answers, "flip", "en.md"): [("<!-- reveal: flips=2 -->\n", "", "looks the same")],
    (stage.tasks, "flip", "en.md"): [
        ("solved: scale=1 beside=3", "solved: scale=1", "doesn't reach"),
        ("missed: scale=0 |", "missed: scale=1 beside=3 |", "reaches the goal"),
        ("solved: scale=1", "solved: run=2 scale=1", "nothing to train"),
        ("solved: scale=1", "solved: cuts=no:0 scale=1", "`no:0` is no edge that can be cut"),
        ("goal: trick_gradient = 0", "goal: trick_gradient != 0", "Its settings already reach"),
    ],
    (stage.stages, "type_not_name", "en.md"): [
        ("```python\ndef flip", "```text\ndef flip", "no block of Python")
    ],
    (stage.moves, "flip", "en.md"): [
        ("or **Scale λ**. Which", "or **Device**. Which", "“Device” moves")
    ],
    (stage.graph, "wrong_place", "en.md"): [
        ("at=1", "at=99", "the backward pass has"),
        ("at=1", "cuts=no:0", "`no:0` is no edge that can be cut"),
    ],
    (torch_file.form, "flip", "in_torch.py"): [
        ("import json\n", "import json\n" + 9 * "\n", "at most 40"),
        ("import json\n", "import json, numpy\nimport os\n", "import os"),
        ("class Flip", "class lessons", "has 'lessons'"),
    ],
    (torch_file.numbers, "flip", "in_torch.py"): [
        ("return -ctx", "return ctx", 'another `"trick_gradient"`')
    ],
    (torch_file.numbers, "moving_target", "in_torch.py"): [
        ("w -= rate", "w += rate", "trick_off = 0.588 (the lesson 0.486) and 3 more")
    ],
    (torch_file.numbers, "moving_target", "lesson.py"): [
        (".mean(-1)", ".mean()", "has shape [], expected [1], one for each seed"),
    ],
    (frameworks.files, "flip", "in_jax.py"): [("import jax\n", "import jax  #\n", "changed since")],
    (frameworks.files, "flip", "in_jax.json"): [("-4.0", "-4.1", "trick_gradient differs by")],
    (trainings.file, "moving_target", "trained.json"): [
        ('"chance=1 steps=1000"', '"chance=0"', "has ['the defaults', 'chance=0'")
    ],
}


def edited(folder: Path, slug: str, file: str, old: str, new: str) -> Path:
    """A copy of a lesson's folder with one text of one file replaced, wherever it stands."""
    copy = folder / "broken_chapter" / slug
    shutil.copytree(find(slug).folder, copy, ignore=shutil.ignore_patterns("__pycache__"))
    was = (copy / file).read_text("utf-8")
    assert old in was
    (copy / file).write_text(was.replace(old, new), "utf-8")
    return copy


@pytest.fixture
def chapter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose lessons can be loaded."""
    path = [*lessons.chapters.__path__, str(tmp_path)]
    monkeypatch.setattr(lessons.chapters, "__path__", path)
    for module in [m for m in sys.modules if m.startswith("lessons.chapters.broken_chapter")]:
        monkeypatch.delitem(sys.modules, module)
    return tmp_path


def test_a_new_lesson_breaks_no_rule_and_comes_last_in_its_chapter(
    chapter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    *_, last = catalogue.chapters_by_slug()["gone_missing"].lessons
    monkeypatch.setattr(catalogue, "ROOT", chapter)
    folder = new.write("gone_missing/my_lesson", "frozen_checkpoint")
    assert check("my_lesson") == []
    front = catalogue.load(folder).prose.front
    assert front["short"] == "My lesson"
    assert float(front["order"]) > float(last.prose.front["order"])
    assert "gone_missing.frozen_checkpoint" not in (folder / "lesson.py").read_text("utf-8")


@pytest.mark.parametrize(
    ("rule", "slug", "file", "old", "new", "says"),
    [(*key, *row) for key, rows in BROKEN.items() for row in rows],
)
def test_a_broken_lesson_is_noticed(
    chapter: Path,
    rule: Rule,
    slug: str,
    file: str,
    old: str,
    new: str,
    says: str,
) -> None:
    runs = Runs(catalogue.load(edited(chapter, slug, file, old, new)))
    found = list(map(str, problems(runs, rule)))
    assert any(says in one for one in found), found


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        ("en.md", "{{ reversed_path:.4g }}.", "{{ reversd_path:.4g }}.", "Did you mean reversed_"),
        ("en.md", "Here a cube", "Here {{ a cube", "no placeholder: `{{ a`"),
        ("en.md", "asks=two_flips", "asks=two_flip", "no fact 'two_flip'. Did you mean two_flips"),
        ("en.md", "goal: trick_gradient", "goal: trick_gradint", "no fact 'trick_gradint'"),
        ("en.md", "touch: scale=3", "touch: scal=3", "`scal=3`: There is no such"),
        ("en.md", "touch: scale=3", "touch: scale", "`touch: scale` needs name=value"),
        ("en.md", "stage: curves", "stag: curves", "unknown directive 'stag'"),
        ("en.md", "## Words\n", "## Words\n- foo: A word\n", "the word 'foo' is used in no file"),
        ("en.md", "graph -->\n<!-- unc", "grap -->\n<!-- unc", "`stage: grap` is none of"),
        ("en.md", "order: 10", "order: last", "`order: last` is no number"),
        ("en.md", "bench: trick=reversal", "bench: trick=reversl", "“reversl” is not one of"),
        ("en.md", "&b.times=1", "&b.tims=1", "no control 'b.tims'"),
        ("lesson.py", "class Settings(AlongX):", "class Settings(AlongX)", "SyntaxError"),
        ("lesson.py", "whole(1,", "wole(1,", "NameError: name 'wole'"),
        ("lesson.py", "(y, scale)\n", "(y, scal)\n", "NameError: name 'scal'"),
        ("in_torch.py", "    y = x\n", "    y = xx\n", "NameError: name 'xx'"),
    ],
)
def test_a_mistake_is_told_once_with_its_line(
    chapter: Path, monkeypatch: pytest.MonkeyPatch, file: str, old: str, new: str, says: str
) -> None:
    folder = edited(chapter, "flip", file, old, new)
    monkeypatch.setattr(catalogue, "ROOT", chapter)
    was = (find("flip").folder / file).read_text("utf-8").splitlines()
    now = (folder / file).read_text("utf-8").splitlines()
    line = next(n for n, pair in enumerate(zip(was, now, strict=False), 1) if len({*pair}) == 2)
    (problem,) = check("flip")
    assert str(problem).startswith(f"{folder / file}:{line}: ")
    assert says in str(problem)


def moved(result: Result, **by: int) -> Result:
    """A result whose forward series lies elsewhere, by so much in x or y."""
    first, *others = result.series
    moves = {name: getattr(first, name) + step for name, step in by.items()}
    return replace(result, series=(replace(first, **moves), *others))


def another_x() -> dict[str, float]:
    return {"x": 2.0}


def with_facts(result: Result, **facts: Any) -> Result:
    return replace(result, facts={**result.facts, **facts})


@pytest.mark.parametrize(
    ("rule", "slug", "change", "says"),
    [
        (numbers.results, "wrong_place", lambda r: replace(r, notes=()), "no note says why"),
        (numbers.results, "flip", lambda r: replace(r, series=r.series[:-1]), "lacks a series"),
        (numbers.results, "flip", lambda r: moved(r, x=1), "isn't over the learner's x"),
        (numbers.results, "flip", lambda r: replace(r, more_facts=[another_x]), "same name"),
        (numbers.facts, "flip", lambda r: with_facts(r, scale=7.0), "'scale' is a control"),
        (numbers.facts, "flip", lambda r: with_facts(r, x=7.0), "'x' is a control"),
        (numbers.ops, "flip", lambda r: [torch.ones(()) for _ in range(4001)] and r, "at most"),
        (questions.typed, "flip", lambda r: with_facts(r, product="12"), "cannot be shown"),
        (numbers.cuts, "flip", lambda r, cut=0: moved(r, y=1), "changes the value"),
        (numbers.cuts, "flip", lambda r, cut=0: replace(r, more_facts=()), "a fact is gone"),
        (numbers.cuts, "flip", lambda r, cut=0: torch.ones(()).backward(), "no gradient to read"),
    ],
)  # fmt: skip
def test_a_broken_result_is_noticed(
    rule: Rule, slug: str, change: Callable[..., Any], says: str
) -> None:
    """Of the functions, those with two parameters change what comes after a cut alone."""
    lesson, after_a_cut = find(slug), change.__code__.co_argcount > 1

    def compute(program: Program, values: Settings) -> Result:
        found = lesson.lab.compute(program, values)
        changed: Result = found if after_a_cut and program is lesson.program else change(found)
        return changed

    runs = Runs(replace(lesson, lab=replace(lesson.lab, compute=compute)))
    assert says in str(problems(runs, rule))


def test_a_chart_without_a_number_in_words_is_noticed() -> None:
    lesson = find("flip")

    def silent(result: Result, values: Settings) -> Figure:
        return replace(lesson.lab.charts[0](result, values), alt="")

    runs = Runs(replace(lesson, lab=replace(lesson.lab, charts=[silent])))
    assert "curves_alt has no number" in str(problems(runs, numbers.results))


def test_an_answer_that_is_no_option_a_place_taken_and_a_name_of_the_graph_are_noticed() -> None:
    lesson = find("moving_target")
    wrong = replace(lesson, predictions=dict.fromkeys(lesson.predictions, lambda result: "nope"))
    assert "'nope', none of" in str(problems(Runs(wrong), questions.options))
    front = {**lesson.prose.front, "order": find("critic_leak").prose.front["order"]}
    twice = replace(lesson, prose=replace(lesson.prose, front=front))
    assert "is also critic_leak's" in str(problems(Runs(twice), text.order))
    named = replace(lesson.lab.parameters[0], name="at")
    lab = replace(lesson.lab)
    object.__setattr__(lab, "parameters", (named, *lesson.lab.parameters))
    assert "Rename the parameter" in str(problems(Runs(replace(lesson, lab=lab)), text.controls))


def test_a_lesson_cut_short_is_noticed() -> None:
    lesson = find("flip")
    few = replace(lesson, prose=replace(lesson.prose, steps=lesson.prose.steps[2:3]))
    found = str(problems(Runs(few), text.form, stage.tasks))
    assert "4 to 7 steps; this one has 1" in found
    assert "here are 0" in found
    assert "one task at least" in found


@pytest.mark.parametrize(
    ("old", "says"),
    [("order: 10\n", "front matter lacks order"), (" asks=two_flips", "without naming a fact")],
)
def test_a_lesson_that_does_not_load_is_a_problem_of_its_text(
    chapter: Path, monkeypatch: pytest.MonkeyPatch, old: str, says: str
) -> None:
    folder = edited(chapter, "flip", "en.md", old, "")
    monkeypatch.setattr("lessons.check.folder_of", lambda slug: folder)
    (problem,) = check("flip")
    assert problem.file == folder / "en.md"
    assert says in problem.text


def test_a_problem_names_its_file_and_line(chapter: Path) -> None:
    folder = edited(chapter, "flip", "en.md", "**Try it:** cut", "Cut")
    (problem,) = problems(Runs(catalogue.load(folder)), text.form)
    line = (folder / "en.md").read_text("utf-8").splitlines()[problem.line - 1]
    assert (problem.file, line) == (folder / "en.md", "## When to use it")


def test_the_commands_fail_with_a_problem_and_keep_what_was_meant(
    chapter: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = edited(chapter, "flip", "numbers.json", '"path": -4.0', '"path": -4.1')
    for module in (lessons.check, trainings):
        monkeypatch.setattr(module, "folder_of", lambda slug: folder)
    assert lessons.__main__.main(["check", "flip"]) == 1
    printed = capsys.readouterr().out
    assert "'path' was -4.1, is -4.0. If it should, run `python -m lessons keep flip`." in printed
    assert printed.endswith("1 lesson, 2 problems\n")
    assert lessons.__main__.main(["keep", "flip"]) == 0
    now, was = ((one / "numbers.json").read_text("utf-8") for one in (folder, find("flip").folder))
    assert now == was
    assert lessons.__main__.main(["check", "flip"]) == 0


def test_what_trained_json_knows_is_not_trained_until_a_source_changes(
    chapter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same sources, then a line more in the lesson's own, then all anew by order."""
    lesson, run = find("moving_target"), Run.advance
    made = []

    def advance(*given: Any) -> None:
        made.append(1)
        run(*given)

    monkeypatch.setattr(Run, "advance", advance)
    monkeypatch.setattr(trainings, "digest", lambda of: trainings.read_trained(lesson)["sources"])
    assert not problems(Runs(lesson), stage.tasks, questions.options)
    assert not made
    monkeypatch.setattr(trainings, "digest", lambda of: "other")
    runs = Runs(lesson)
    assert not problems(runs, stage.tasks, questions.options)
    assert made
    assert trainings.describe_largest_change(runs) == "no number moved"
    runs.trained = {name: {**facts, "trick_off": 0.25} for name, facts in runs.trained.items()}
    assert re.fullmatch(r"trick_off [\d.e+]+ → 0.25", trainings.describe_largest_change(runs))


def test_each_source_changes_the_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lesson = find("moving_target")
    shutil.copytree(trainings._ROOT / "lessons", tmp_path / "lessons")
    monkeypatch.setattr(trainings, "_ROOT", tmp_path)
    seen = {trainings.digest(lesson)}
    for name in (
        "chapters/in_the_wild/moving_target/lesson.py",
        "training/stacked.py",
        "kit/gradients.py",
        "gradient_tricks/tricks/plain.py",
    ):
        with (tmp_path / "lessons" / name).open("a", encoding="utf-8") as file:
            file.write("# changed\n")
        seen.add(trainings.digest(lesson))
    assert len(seen) == 5
    (tmp_path / "lessons" / "kit" / "formulas" / "along_edge.py").write_text("# not one of them")
    assert trainings.digest(lesson) in seen


def test_a_wrong_number_is_noticed() -> None:
    ours = {"forward": [1.0, "nan"], "trick_gradient": [2.0], "name": "Mul", "once": 7}
    same = {"forward": [1.0, "NaN"], "trick_gradient": [[2.0]], "name": "Mul", "else": 1}

    def differences(**changed: Any) -> dict[str, float]:
        return largest_differences({CHOSEN_INPUT: 1} | ours, same | changed)

    assert differences(once=[5, 7])["once"] == 0
    assert differences(once=[7, 5])["once"] > 0
    assert set(differences().values()) == {0.0}
    assert differences(trick_gradient=[2.2])["trick_gradient"] == pytest.approx(0.1)
    assert differences(name="Identity")["name"] == float("inf")
    assert differences(forward=[1.0, 1.0])["forward"] == float("inf")
    with pytest.raises(ValueError, match="forward: 1 numbers in the file, 2 in the lesson"):
        differences(forward=[1.0])
    with pytest.raises(ValueError, match="the file has no trick_gradient"):
        largest_differences(ours, {"forward": [1.0, "nan"]})
