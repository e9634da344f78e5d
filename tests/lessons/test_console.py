"""What the command line reads and prints, whatever its streams are: closed, full, in another code.

Most of it is asked of `main` in this process: starting Python and loading torch takes seconds.
"""

import io
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from lessons.__main__ import main
from lessons.outputs.catalogue import lessons
from lessons.outputs.plain_torch import in_torch

pytestmark = pytest.mark.slow

PROGRAM = "# A root – √\nx = input(3)\ny = x**2\nshow(y, x)\n"
AS_TABLE = "A root – √\nx = 3\ny = 9\ntrick_gradient by x: 6\ntrue_gradient by x: 6"


Give = Callable[[bytes], None]


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Give:
    def give(data: bytes) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), "cp1252"))

    return give


# --- what is printed


def written(
    encoding: str, monkeypatch: pytest.MonkeyPatch, commands: Sequence[Sequence[str]]
) -> list[bytes]:
    """What a command leaves in a file where Python would write in this encoding."""
    found = []
    for words in commands:
        kept = io.BytesIO()
        monkeypatch.setattr("sys.stdout", io.TextIOWrapper(kept, encoding))
        assert main(words) == 0
        found.append(kept.getvalue())
    return found


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_numbers_and_tables_are_utf_8_wherever_they_are_written(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = [("list",), ("run", "flip"), ("run", "flip", "--json"), ("play", "preset:halve"),
                ("play", "preset:wrong_place", "--json"), ("notebook", "flip")]  # fmt: skip
    commands += [("export", one.slug) for one in lessons() if not in_torch(one).isascii()]
    ours = written("utf-8", monkeypatch, commands)
    assert written(encoding, monkeypatch, commands) == ours
    assert not any(one.isascii() for one in (ours[1], *ours[5:]))


full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full device here")


@full
@pytest.mark.parametrize("words", [("list",), ("export", "moons"), ("run", "flip"), ("--help",)])
def test_where_nothing_can_be_written_one_line_says_so(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with open("/dev/full", "w") as device:
        monkeypatch.setattr("sys.stdout", device)
        assert main(words) == 2
    assert (
        capsys.readouterr().err == "python -m lessons: standard output: No space left on device.\n"
    )


@pytest.mark.parametrize(("stream", "words"), [("stdin", ("play", "-")), ("stdout", ("list",))])
def test_a_closed_stream_is_named(
    stream: str,
    words: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(f"sys.{stream}", None)
    assert main(words) == 2
    assert f"standard {stream[3:]}put is closed." in capsys.readouterr().err


def test_who_reads_only_the_first_lines_is_told_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reads, writes = os.pipe()
    os.close(reads)
    with open(writes, "w") as pipe:
        monkeypatch.setattr("sys.stdout", pipe)
        assert main(["export", "moons"]) == 0
    assert capsys.readouterr().err == ""


def test_an_interrupt_ends_it_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Interrupted(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, _: object) -> int:
            raise KeyboardInterrupt

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(Interrupted())))
    assert main(["play", "-"]) == 130
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    "words",
    [
        ("play", "{}"),
        ("play", "preset:{}"),
        ("play", "x", "--{}"),
        ("{}",),
        ("run", "{}"),
        ("run", "flip", "--set", "{}"),
        ("run", "flip", "--set", "{}=1"),
        ("run", "flip", "--set", "scale={}"),
        ("run", "flip", "--cuts", "{}"),
        ("run", "flip", "--cuts", "mul:{}"),
        ("export", "flip", "--set", "dtype={}"),
    ],
)
@pytest.mark.parametrize(
    "text", ["\x1b[31mred\x1b]0;title\x07", "two\nlines", "\x9b2J", "\u202eabc"]
)
def test_what_was_typed_is_told_back_without_its_control_characters(
    words: tuple[str, ...], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([word.replace("{}", text) for word in words]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.endswith("\n")
    assert printed.err[:-1].isprintable()


# --- what is read


@pytest.mark.parametrize(
    "data",
    [
        PROGRAM.encode("utf-8"),
        PROGRAM.encode("utf-8-sig"),
        PROGRAM.replace("\n", "\r\n").encode("utf-8-sig"),
    ],
)
def test_a_file_may_begin_with_a_byte_order_mark(
    data: bytes, tmp_path: Path, stdin: Give, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "root.txt"
    file.write_bytes(data)
    stdin(data)
    for name in (str(file), "-"):
        assert main(["play", name]) == 0
        assert capsys.readouterr().out.startswith(AS_TABLE)


@pytest.mark.parametrize(
    ("letters", "said"), [(100_000, "at most 40,000 are read"), (400_000, "1,000,000 bytes")]
)
def test_a_long_file_is_said_to_be_long(
    letters: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "long.txt"
    file.write_text("#" + "√" * letters, "utf-8")
    assert main(["play", str(file)]) == 2
    assert said in capsys.readouterr().err
