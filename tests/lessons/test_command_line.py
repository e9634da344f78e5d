"""python -m lessons, as a user runs it; most of it in this process, for a new one takes seconds."""

import json
import os
import re
import shlex
import subprocess
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from lessons.__main__ import _asked, _parser, main
from lessons.check.runs import Runs
from lessons.check.trainings import reuse_saved_runs
from lessons.gradient_tricks.doctor.command import parse
from lessons.outputs.catalogue import chapters, find, lessons
from lessons.outputs.reading import steps
from tests.support.alone import Alone
from tests.support.amount import also
from tests.support.present import present

pytestmark = pytest.mark.slow


Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        status = main(words)
        printed = capsys.readouterr()
        return subprocess.CompletedProcess(words, status, printed.out, printed.err)

    return run


def test_list_is_the_chapters_with_a_lesson_a_line_slug_first(command: Command) -> None:
    done = command("list")
    assert done.returncode == 0
    told = [block.splitlines() for block in done.stdout.split("\n\n")]
    assert [lines[0].partition(":")[0] for lines in told] == [one.slug for one in chapters()]
    slugs = [line.split()[0] for lines in told for line in lines[1:]]
    assert slugs == [lesson.slug for lesson in lessons()]


def test_run_prints_one_json_object_at_exactly_the_given_inputs(command: Command) -> None:
    done = command(
        "run", "noise_leaks", "--set", "x=1,-2,-1", "--set", "u=1.04,0.94,1.08", "--json"
    )
    body = json.loads(done.stdout)
    gradient = body["series"]["trick_gradient"]
    assert gradient["role"] == "trick_gradient"
    assert gradient["x"] == [1.0, -2.0, -1.0]
    assert gradient["y"] == pytest.approx([1.04**0.5, -(0.94**0.5), -(1.08**0.5)], rel=1e-12)
    assert {"forward", "true_gradient", "intended_gradient"} <= set(body["series"])


def test_run_prints_a_table_for_people(command: Command) -> None:
    done = command("run", "wrong_place", "--set", "x=0,1")
    assert "NaN" in done.stdout
    assert "At x = 0:" in done.stdout


def test_an_exported_file_prints_what_run_prints(
    tmp_path: Path, command: Command, alone: Alone
) -> None:
    settings = ["--set", "x=-3,0.5", "--set", "noise_high=2", "--set", "seed=5"]
    file = tmp_path / "wrong_place.py"
    file.write_text(command("export", "wrong_place", *settings).stdout, "utf-8")
    (text,) = alone.run(tmp_path, [[file.name]])
    ran = command("run", "wrong_place", *settings, "--json")
    printed, series = json.loads(text), json.loads(ran.stdout)["series"]
    for role in ("forward", "trick_gradient"):
        assert printed[role] == pytest.approx(series[role]["y"], rel=1e-12)


def test_the_numbers_of_a_training_come_from_a_training(command: Command) -> None:
    done = command("run", "moons", "--set", "seeds=2", "--steps", "120", "--json")
    trained = json.loads(done.stdout)["trained"]
    assert trained["step"] == 120
    assert trained["trick_label_loss"] < 0.5
    assert "step 120 of 1000" in done.stderr
    first = json.loads(command("run", "moons", "--steps", "0", "--json").stdout)
    assert first["trained"] == {"step": 0}


def test_help_of_a_lesson_lists_its_parameters_with_range_and_meaning(command: Command) -> None:
    said = command("run", "flip", "--help").stdout
    for parameter in find("flip").lab.parameters:
        (line,) = (one for one in said.splitlines() if one.split()[:1] == [parameter.name])
        assert parameter.label in line
        assert parameter.default in line
    assert "−1000 to 1000" in said


SOME = ["flip", "moons"]


@pytest.mark.parametrize("slug", [*SOME, *also(*(one.slug for one in lessons()))])
def test_what_a_lesson_tells_in_a_notebook_can_be_done_in_a_terminal(slug: str) -> None:
    """Each command is one of ours and is accepted, the bug's code is there, each link leads out."""
    lesson = find(slug)
    with reuse_saved_runs(Runs(lesson)):
        said = "\n\n".join(steps(lesson))
    lines = re.findall("^python -m lessons (.+)$", said, re.MULTILINE)
    assert lines
    for line in lines:
        _asked(parse(_parser(), shlex.split(line, comments=True)))
    bug = present(lesson.bug)
    assert f"def {bug.broken.__name__}(" in said
    assert bug.url in said
    assert "](/" not in said
    assert "{{" not in said
    if slug == "moons":
        assert "After step 600 of 600 the mean target accuracy" in said
        assert said.count("After step 1,000: mean over the seeds") == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("run", "no_such_lesson"), "no_such_lesson"),
        (("run", "noise_leaks", "--set", "x=a"), "not a number"),
        (("run", "noise_leaks", "--set", "x"), "NAME=VALUE"),
        (("run", "noise_leaks", "--set", "x=1", "--set", "x=2"), "twice"),
        (("run", "noise_leaks", "--set", "noise_lo=1"), "noise_low"),
        (("export", "noise_leaks", "--set", "draws=-1"), "outside"),
        (("run",), "lesson"),
        (("dance",), "dance"),
        (("run", "right_place", "--cuts", "mul:9"), "edge"),
        (("run", "right_place", "--cuts", "nothing:0"), "edge"),
        (("run", "right_place", "--cuts", "mul"), "edge"),
        (("export", "flip", "--cuts", "pow:0"), "unrecognized arguments: --cuts"),
        (("notebook", "flip", "--cuts", "pow:0"), "unrecognized arguments: --cuts"),
        (("run", "flip", "--steps", "3"), "flip trains nothing"),
        (("play", os.fsdecode(b"/nowhere/\xff\xfe")), "/nowhere/\\udcff\\udcfe: No such file"),
        (("run", "flpi"), "no lesson “flpi”. Did you mean flip?"),
        (("new", "revesal/mine"), "no chapter “revesal”. Did you mean reversal?"),
        (("new", "reversal/my-lesson"), "“my-lesson” is no slug"),
        (("new", "reversal/moons"), "“moons” is taken"),
        (("new", "reversal/silent_key"), "“silent_key” is taken"),
        (("new", "reversal/mine", "--like", "flpi"), "Did you mean flip?"),
        (("new", "reversal/mine", "--like", "scope"), "write override_map/mine"),
        (("run", "Flip"), "no lesson “Flip”. Did you mean flip?"),
        ((), "command"),
    ],
)
def test_bad_input_is_one_line_on_stderr_and_a_failure(
    words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) != 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert message in printed.err
    assert len(printed.err.strip().splitlines()) == 1


def test_a_lesson_about_a_warning_prints_it_in_its_text_alone(command: Command) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert "None of the inputs have" in command("notebook", "frozen_checkpoint").stdout
    assert not caught


def test_cuts_stop_the_gradient_and_leave_the_forward_value(command: Command) -> None:
    words = ("run", "right_place", "--json")
    plain = json.loads(command(*words).stdout)["series"]
    body = json.loads(command(*words, "--cuts", "sqrt_1:0").stdout)
    assert body["cuts"] == "sqrt_1:0"
    assert body["series"]["forward"] == plain["forward"]
    assert not any(body["series"]["trick_gradient"]["y"])
    assert all(plain["trick_gradient"]["y"])
