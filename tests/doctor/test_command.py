"""``python -m lessons trace``: what it reads, what it writes, and what it says for mistakes."""

import inspect
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from lessons.__main__ import main
from lessons.gradient_tricks.doctor import TraceError
from lessons.gradient_tricks.doctor.target import bound, read, value_of
from tests.doctor import broken

BROKEN = str(Path(broken.__file__))


Command = Callable[..., tuple[object, str, str]]


@pytest.fixture
def command(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Command:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())

    def run(*words: str) -> tuple[object, str, str]:
        status: object
        try:
            status = main(["trace", *words])
        except SystemExit as end:
            status = end.code
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


def test_it_prints_the_faults_and_writes_the_page(command: Command, tmp_path: Path) -> None:
    status, out, err = command(f"{BROKEN}:detached", "--arg", "x=-2,-1,1")
    assert (status, err) == (1, "")
    assert "1 fault" in out
    assert "h.detach()" in out
    assert "Written: detached.html" in out
    assert (tmp_path / "detached.html").read_text("utf-8").startswith("<!doctype html>")


def test_a_page_of_somebody_else_stays(command: Command, tmp_path: Path) -> None:
    (tmp_path / "detached.html").write_text("<!doctype html>my own")
    status, out, err = command(f"{BROKEN}:detached", "--arg", "x=-2,-1,1")
    assert (status, out) == (2, "")
    assert "detached.html exists and is no report of ours" in err
    assert (tmp_path / "detached.html").read_text("utf-8").endswith("my own")
    for _ in range(2):  # one of ours makes room for the next
        assert command(f"{BROKEN}:fine", "--arg", "x=1", "--arg", "w=1")[0] == 0


def test_where_it_was_written_is_told_without_control_characters(
    command: Command, tmp_path: Path
) -> None:
    name = "red\x1b[31m.html"
    _, out, _ = command(f"{BROKEN}:detached", "--arg", "x=-2,-1,1", "--out", name)
    assert "Written: red\ufffd[31m.html" in out
    assert out.replace("\n", "").isprintable()
    assert (tmp_path / name).exists()


@pytest.mark.parametrize(
    ("what", "given", "says"),
    [
        ("make", "input=randn(4,3):0", ["weight"]),
        ("zero_arguments", "input=randn(4,3):0", ["weight"]),
        ("instance", "input=randn(4,3):0", ["weight"]),
        ("reads_globals", "x=randn(2,3):1", ["instance.weight", "scale"]),
        ("as_dictionary", "x=3", ["result 9"]),
    ],
)
def test_what_a_target_may_be(command: Command, what: str, given: str, says: list[str]) -> None:
    status, out, err = command(f"{BROKEN}:{what}", "--arg", given)
    assert (status, err) == (0, "")
    assert all(one in out for one in says)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nowhere.py:f"], "There is no file nowhere.py"),
        (["broken.py"], "There is no file broken.py"),
        (["broken"], "FILE.py or FILE.py:NAME is expected"),
        ([f"{BROKEN}:absent"], "has no absent. It has item, "),
        ([f"{BROKEN}:not_a_function"], "is a int; a function"),
        ([f"{BROKEN}:item"], "item(x): missing a required argument: 'x'"),
        (
            [f"{BROKEN}:item", "--arg", "x=1", "--arg", "y=1"],
            "item(x): got an unexpected keyword argument 'y'",
        ),
        ([f"{BROKEN}:item", "--arg", "x"], "--arg needs NAME=VALUE"),
        ([f"{BROKEN}:item", "--arg", "x=a,b"], "x: a,b is not understood"),
        ([f"{BROKEN}:item", "--arg", "x=1@float3"], "is not understood"),
        ([f"{BROKEN}:item", "--arg", "x=1", "--arg", "x=2"], "each name once"),
        ([f"{BROKEN}:item", "--arg", "x=1", "--out", "none/x.html"], "No such file"),
    ],
)
def test_a_mistake_is_told_in_words(command: Command, words: list[str], says: str) -> None:
    status, out, err = command(*words)
    assert (status, out) == (2, "")
    assert says in err
    assert "Traceback" not in err


def test_the_last_lines_of_a_program_that_raised(command: Command) -> None:
    _, _, err = command(f"{BROKEN}:fails", "--arg", "x=1,2,3,4")
    first, *frames, last = err.strip().split("\n")
    assert first == "python -m lessons: fails raised:"
    assert [frame.partition(":")[0].strip() for frame in frames] == ["broken.py"]
    assert "rows @ torch.ones(3)" in err
    assert "RuntimeError" in last


def test_a_file_that_does_not_run(command: Command, tmp_path: Path) -> None:
    (tmp_path / "half.py").write_text("import torch\nx = (\n")
    assert "does not run" in command("half.py:f")[2]
    (tmp_path / "broken_import.py").write_text("import nothing_of_the_kind\n")
    assert "nothing_of_the_kind" in command("broken_import.py:f")[2]
    (tmp_path / "leaves.py").write_text("raise SystemExit(3)\n")
    assert "does not run" in command("leaves.py:f")[2]


@pytest.mark.parametrize(
    ("text", "shape", "dtype", "grad"),
    [
        ("3", (), torch.float32, True),
        ("-2,-1,1", (3,), torch.float32, True),
        ("[[1,2],[3,4]]", (2, 2), torch.float32, True),
        ("tensor([1.,2],dtype=float64)", (2,), torch.float64, True),
        ("tensor([0,1])", (2,), torch.int64, False),
        ("1,2@constant", (2,), torch.float32, False),
        ("randn(2,3):4", (2, 3), torch.float32, True),
        ("rand(2,dtype=float16):1@constant", (2,), torch.float16, False),
        ("randint(0,5,(2,2)):1", (2, 2), torch.int64, False),
        ("zeros(3)", (3,), torch.float32, True),
        ("ones(())", (), torch.float32, True),
        ("inf,-inf,nan", (3,), torch.float32, True),
        ("True,False", (2,), torch.bool, False),
    ],
)
def test_how_a_tensor_is_written(
    text: str, shape: tuple[int, ...], dtype: torch.dtype, grad: bool
) -> None:
    value = value_of("x", text)
    assert (tuple(value.shape), value.dtype, value.requires_grad) == (shape, dtype, grad)


def test_a_seed_draws_the_same_again() -> None:
    one, again, other = (value_of("x", f"randn(3):{seed}") for seed in (1, 1, 2))
    assert torch.equal(one, again)
    assert not torch.equal(one, other)


def test_plain_values_by_annotation_or_by_word() -> None:
    given = read(["x=1,2", "power=3", "name=q", "scale=0.5"])
    signature = inspect.signature(broken.plain_arguments)
    values = bound("plain_arguments", signature, given, grad=True)
    assert (values["power"], values["name"], values["scale"]) == (3, "q", 0.5)
    assert float(broken.plain_arguments(**values)) == pytest.approx(4.5)
    with pytest.raises(TraceError, match="declared as int"):
        value_of("n", "'a'", int)
