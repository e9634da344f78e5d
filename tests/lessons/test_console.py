"""What the command line reads and prints, whatever its streams are: closed, full, in another code.

Most of it is asked of `main` in this process: starting Python and loading torch takes seconds.
"""

import contextlib
import io
import os
import pty
import subprocess
import sys
import threading
from collections.abc import Sequence

import pytest

from lessons.__main__ import main
from lessons.outputs.catalogue import lessons
from lessons.outputs.plain_torch import FILE
from lessons.playground import code
from lessons.playground.document.presets import presets
from lessons.text import console
from tests.support.amount import also, cases

pytestmark = pytest.mark.slow

PROGRAM = "title A root – √\ninput x = 3\nprogram\ny = x**2\n"
AS_TABLE = "A root – √\nx = 3\ny = 9\ntrick_gradient by x: 6\ntrue_gradient by x: 6"


def shell(command: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a line of the shell in which `lessons` is the command line."""
    line = f'lessons() {{ "{sys.executable}" -m lessons "$@"; }}; {command}'
    return subprocess.run(["bash", "-c", line], capture_output=True, timeout=300,
                          env=os.environ | environment)  # fmt: skip


@pytest.fixture
def stdin(monkeypatch):
    def give(data: bytes) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), "cp1252"))

    return give


# --- what is printed


def written(encoding: str, monkeypatch, commands: Sequence[Sequence[str]]) -> list[bytes]:
    """What a command leaves in a file where Python would write in this encoding."""
    found = []
    for words in commands:
        kept = io.BytesIO()
        monkeypatch.setattr("sys.stdout", io.TextIOWrapper(kept, encoding))
        assert main(words) == 0
        found.append(kept.getvalue())
    return found


@pytest.mark.random
@pytest.mark.parametrize("encoding", ["ascii", *also("cp1252", "utf-16")])
@pytest.mark.long
def test_every_exported_lesson_is_utf_8_wherever_it_is_written(encoding, monkeypatch):
    # The answers in the text of a lesson that trains are those of a training.
    read = [one for one in lessons() if encoding == "cp1252" or not one.lab.training]
    read = read[:: cases(4, 1)]
    commands = [("export", one.slug) for one in lessons()] + [("show", one.slug) for one in read]
    texts = [one.decode("utf-8") for one in written(encoding, monkeypatch, commands)]
    files, pages = texts[: len(lessons())], texts[len(lessons()) :]
    assert any(not one.isascii() for one in files)
    assert sum(not one.isascii() for one in pages) > len(read) / 2
    for one in files:
        compile(one, "exported", "exec")


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_numbers_and_tables_are_utf_8_wherever_they_are_written(encoding, monkeypatch):
    commands = [("list",), ("run", "flip"), ("run", "flip", "--json"), ("play", "preset:halve"),
                ("play", "preset:wrong_place", "--json")]  # fmt: skip
    ours = written("utf-8", monkeypatch, commands)
    assert written(encoding, monkeypatch, commands) == ours
    assert "−" in ours[1].decode("utf-8")


@pytest.mark.long
def test_a_real_export_is_utf_8_where_the_locale_knows_ascii_alone(tmp_path):
    ascii_alone = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    slug = next(
        one.slug for one in lessons() if not (one.folder / FILE).read_text("utf-8").isascii()
    )
    done = shell(f"lessons export {slug} > {tmp_path}/file.py", **ascii_alone)
    assert (done.returncode, done.stderr) == (0, b"")
    text = (tmp_path / "file.py").read_text("utf-8")
    assert not text.isascii()
    compile(text, "exported", "exec")


@pytest.mark.parametrize("language", ["torch", "torch alone", "tensorflow", "jax"])
def test_a_playground_program_in_any_language_is_utf_8(language):
    for one in presets():
        document = one.document.with_(title="√ – λ “title”")
        text = code(document, language.split()[0], alone=language.endswith("alone"))
        compile(text.encode("utf-8"), "exported", "exec")
        assert text.startswith('"""√ – λ “title”. In ')


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [("ascii", "A root - sqrt"), ("cp1252", "A root – sqrt"), ("utf-8", "A root – √")],
)
def test_a_terminal_keeps_its_encoding_and_shows_nothing_unreadable(
    encoding, shown, tmp_path, monkeypatch
):
    """A minus that became a question mark would be another number."""
    file = tmp_path / "root.txt"
    file.write_text(PROGRAM.replace("x = 3", "x = -3"), encoding="utf-8")
    ours, theirs = pty.openpty()
    with open(ours, "rb", buffering=0) as screen, open(theirs, "w", encoding=encoding) as terminal:
        monkeypatch.setattr("sys.stdout", terminal)
        assert main(["play", str(file)]) == 0
        printed = screen.read(4096).decode(encoding).replace("\r\n", "\n")
    assert printed.startswith(f"{shown}\nx = {'−3' if encoding == 'utf-8' else '-3'}\n")


def test_what_an_encoding_lacks_is_written_with_what_it_has():
    console.prepare()
    plain = "−2.5 – “é” … x₁ 10⁻² 2 × √2 ≤ ∞ → λ".encode("ascii", console.PLAIN).decode("ascii")
    assert plain == '-2.5 - "e" ... x1 10-2 2 * sqrt2 <= inf -> \\u03bb'


full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full device here")


@full
@pytest.mark.parametrize("words", [("list",), ("export", "moons"), ("run", "flip"), ("--help",)])
def test_where_nothing_can_be_written_one_line_says_so(words, monkeypatch, capsys):
    with open("/dev/full", "w") as device:
        monkeypatch.setattr("sys.stdout", device)
        assert main(words) == 1
    assert (
        capsys.readouterr().err == "python -m lessons: standard output: No space left on device.\n"
    )


@pytest.mark.parametrize(
    ("closed", "words", "status", "printed"),
    [
        ("stdout", ["list"], 1, "standard output is closed."),
        ("stdout", ["--help"], 1, "standard output is closed."),
        ("stdin", ["play", "-"], 2, "standard input is closed."),
    ],
)
def test_a_stream_that_is_closed_is_one_line(closed, words, status, printed, monkeypatch, capsys):
    monkeypatch.setattr(f"sys.{closed}", None)  # as Python has it where the shell closed it
    assert main(words) == status
    assert capsys.readouterr().err == f"python -m lessons: {printed}\n"


@full
def test_where_no_complaint_can_be_written_the_status_still_tells(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr", None)
    assert main(["run", "nobody"]) == 2
    with contextlib.suppress(OSError), open("/dev/full", "w") as device:  # it fails to close too
        monkeypatch.setattr("sys.stderr", device)
        assert main(["run", "nobody"]) == 2
    assert capsys.readouterr().out == ""


@full
@pytest.mark.parametrize(
    ("command", "status", "printed"),
    [
        ("lessons list > /dev/full", 1, "standard output: No space left on device"),
        *also(("lessons play - <&-", 2, "standard input is closed")),
    ],
)
@pytest.mark.long
def test_a_process_ends_with_its_status_and_nothing_more(command, status, printed):
    done = shell(command)
    assert (done.returncode, done.stdout) == (status, b"")
    assert done.stderr.decode() == f"python -m lessons: {printed}.\n"


def test_who_reads_only_the_first_lines_is_told_nothing():
    done = shell("lessons export moons | head -1; exit ${PIPESTATUS[0]}")
    assert done.returncode == 0
    assert done.stderr == b""
    assert done.stdout.count(b"\n") == 1


def test_an_interrupt_ends_it_without_a_traceback(monkeypatch, capsys):
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
def test_what_was_typed_is_told_back_without_its_control_characters(words, text, capsys):
    assert main([word.replace("{}", text) for word in words]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.endswith("\n")
    assert printed.err[:-1].isprintable()


def test_a_name_that_is_no_text_is_told_back(capsys):
    assert main(["play", os.fsdecode(b"/nowhere/\xff\xfe")]) == 2
    assert "/nowhere/\\udcff\\udcfe: No such file" in capsys.readouterr().err


# --- what is read


@pytest.mark.parametrize(
    "data",
    [
        PROGRAM.encode("utf-8"),
        PROGRAM.encode("utf-8-sig"),
        PROGRAM.encode("utf-16"),
        b"\xfe\xff" + PROGRAM.encode("utf-16-be"),
        PROGRAM.replace("\n", "\r\n").encode("utf-8-sig"),
    ],
)
def test_a_file_may_begin_with_a_byte_order_mark(data, tmp_path, stdin, capsys):
    file = tmp_path / "root.txt"
    file.write_bytes(data)
    stdin(data)
    for name in (str(file), "-"):
        assert main(["play", name]) == 0
        assert capsys.readouterr().out.startswith(AS_TABLE)


def test_a_long_file_is_said_to_be_long_where_it_is_cut_within_a_letter(tmp_path, capsys):
    file = tmp_path / "long.txt"
    file.write_text("#" + "√" * 100_000, "utf-8")
    assert main(["play", str(file)]) == 2
    assert "at most 40,000 are read" in capsys.readouterr().err


@pytest.fixture
def fifo(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


def test_a_named_pipe_that_nobody_writes_is_not_waited_for_for_ever(fifo, monkeypatch, capsys):
    monkeypatch.setattr(console, "WAIT", 0.2)
    assert main(["play", str(fifo)]) == 2
    said = capsys.readouterr().err
    assert "no program writes into this pipe" in said
    assert said.count("\n") == 1


def test_a_named_pipe_is_read_to_its_end_once_somebody_has_it_open(fifo, monkeypatch, capsys):
    """However slow they are: what comes from <(…) may take its time."""
    monkeypatch.setattr(console, "WAIT", 30)
    opened, waited = threading.Event(), threading.Event()

    def write() -> None:
        with open(fifo, "wb", buffering=0) as file:
            opened.set()
            waited.wait(30)
            file.write(PROGRAM[:20].encode())
            file.write(PROGRAM[20:].encode())

    real = os.set_blocking

    def blocking(descriptor: int, block: bool) -> None:
        waited.set()  # only now is a word written: it was waited for with the pipe open
        real(descriptor, block)

    monkeypatch.setattr("os.set_blocking", blocking)
    writer = threading.Thread(target=write)
    writer.start()
    assert main(["play", str(fifo)]) == 0
    writer.join()
    assert opened.is_set()
    assert capsys.readouterr().out.startswith(AS_TABLE)


@pytest.mark.parametrize(
    "way", ["lessons play <(cat {})", *also("cat {} | lessons play /dev/stdin")]
)
@pytest.mark.long
def test_pipes_of_the_shell_are_read(way, tmp_path):
    file = tmp_path / "root.txt"
    file.write_text(PROGRAM, encoding="utf-8")
    done = shell(way.format(file))
    assert done.stderr == b""
    assert done.stdout.decode("utf-8").startswith(AS_TABLE)
