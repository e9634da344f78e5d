"""What a command line reads and prints, and the exit status it ends with.

What a file or another program takes up is UTF-8 on every machine. A person's terminal keeps its own
encoding; what that lacks is written with what it has. Whatever goes wrong is one line.
"""

import codecs
import contextlib
import io
import os
import stat
import sys
import time
import unicodedata
from collections.abc import Callable

PLAIN = "lessons.plain"
"""The name of the error handler for letters that a terminal lacks, once ``prepare`` has run."""

WAIT = 5.0
"""Seconds in which somebody must open a named pipe to write into it."""

_INSTEAD = str.maketrans({
    "−": "-", "–": "-", "—": "-", "’": "'", "‘": "'", "“": '"', "”": '"', "×": "*", "·": "*",
    "÷": "/", "√": "sqrt", "∞": "inf", "≤": "<=", "≥": ">=", "≠": "!=", "→": "->", "°": " deg",
})  # fmt: skip


class OutputError(OSError):
    """Nothing can be printed any more; the message says why."""


def answer(program: str, compute: Callable[[], str | bytes], *mistakes: type[Exception]) -> int:
    """Print what a command computes, or what is wrong with what was asked.

    Args:
        program: how the command is called; its complaints begin with this.
        mistakes: errors besides ValueError whose words are for people; these may have lines.

    Returns:
        The exit status: 0; 2 for a mistake; 1 if the answer could not be written; 130 after an
        interrupt, as in a shell.
    """
    prepare()
    try:
        write(compute())
    except OutputError as error:
        _complain(f"{program}: {error}")
        return 1
    except mistakes as error:
        _complain(*f"{program}: {error}".split("\n"))
        return 2
    except ValueError as error:
        _complain(f"{program}: {error}")
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def prepare() -> None:
    """Set how standard output and error write; once a process is enough."""
    codecs.register_error(PLAIN, _plainly)
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(errors=PLAIN)
    if isinstance(sys.stdout, io.TextIOWrapper):
        if sys.stdout.isatty():
            sys.stdout.reconfigure(errors=PLAIN)
        else:
            sys.stdout.reconfigure(encoding="utf-8")


def write(content: str | bytes) -> None:
    """Print, and see to it that it arrives. Who stops reading has what they wanted.

    Raises:
        OutputError: it could not be written.
    """
    if sys.stdout is None:
        raise OutputError("standard output is closed.")
    if isinstance(content, bytes) and sys.stdout.isatty():
        raise OutputError("a terminal cannot show this file. Write it to one, as in … > lesson.zip")
    try:
        if isinstance(content, bytes):
            sys.stdout.buffer.write(content)
            sys.stdout.flush()
        else:
            print(content, end="" if content.endswith("\n") else "\n", flush=True)
    except OSError as error:
        # As it ends, Python would write what is left once more, and fail once more.
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise OutputError(f"standard output: {error.strerror}.") from None


def _complain(*lines: str) -> None:
    """Write to standard error, without anything that a terminal would obey."""
    if sys.stderr is not None:  # print would write to standard output instead
        with contextlib.suppress(OSError):
            print("\n".join(map(printable, lines)), file=sys.stderr, flush=True)


def printable(text: str) -> str:
    r"""The text with each character that cannot be shown written as Python writes it.

    >>> printable("√ of \x1b[31m")
    '√ of \\x1b[31m'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def read(name: str, most: int) -> str:
    """A text file, a pipe, or with ``-`` standard input: UTF-8, or UTF-16 with its mark in front.

    Args:
        name: as it was typed.
        most: bytes that are read; what stands behind them is not.

    Raises:
        ValueError: it cannot be read, or is not text.
    """
    shown = "standard input" if name == "-" else name
    try:
        data = _standard_input(most) if name == "-" else _file(name, most)
    except OSError as error:
        raise ValueError(f"{shown}: {error.strerror or error}.") from None
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    decoder = codecs.getincrementaldecoder("utf-16" if wide else "utf-8")()
    try:
        # What was cut off at the bound may be cut within a letter.
        return decoder.decode(data, final=len(data) < most)
    except UnicodeDecodeError:
        raise ValueError(f"{shown} is not text in UTF-8.") from None


def _standard_input(most: int) -> bytes:
    if sys.stdin is None:
        raise ValueError("standard input is closed.")
    return sys.stdin.buffer.read(most)


def _file(name: str, most: int) -> bytes:
    if not stat.S_ISFIFO(os.stat(name).st_mode):
        with open(name, "rb") as file:
            return file.read(most)
    # To open a pipe waits for whoever writes into it; opened so, it tells whether there is anybody.
    with open(os.open(name, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0) as pipe:
        end = time.monotonic() + WAIT
        while (chunk := pipe.read(most)) == b"":  # None: somebody is there, and has not written
            if time.monotonic() > end:
                raise ValueError(f"{name}: no program writes into this pipe.")
            time.sleep(0.02)
        os.set_blocking(pipe.fileno(), True)
        data = chunk or b""
        while len(data) < most and (chunk := pipe.read(most - len(data))):
            data += chunk
        return data


def _plainly(error: UnicodeError) -> tuple[str, int]:
    """Codec error handler: a minus for a true minus, ``sqrt`` for its sign, else the code point."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = unicodedata.normalize("NFKD", error.object[error.start : error.end])
    plain = "".join(c for c in lost.translate(_INSTEAD) if not unicodedata.combining(c))
    return plain.encode("ascii", "backslashreplace").decode(), error.end
