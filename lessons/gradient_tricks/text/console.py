"""What a command line reads and prints, and the exit status it ends with."""

import contextlib
import io
import os
import sys
from collections.abc import Callable

_MOST_BYTES = 1_000_000
"""The longest file that is read."""


def answer(program: str, compute: Callable[[], str], *mistakes: type[Exception]) -> int:
    """Print what a command computes, or what is wrong with what was asked.

    Args:
        program: how the command is called; its complaints begin with this.
        mistakes: errors besides ValueError whose words are for people; these may have lines.

    Returns:
        The exit status: 0; 2 for a mistake; 130 after an interrupt, as in a shell.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A file or another program gets UTF-8 on every machine.
        encoding = None if sys.stdout.isatty() else "utf-8"
        sys.stdout.reconfigure(encoding=encoding, errors="backslashreplace")
    try:
        write(compute())
    except mistakes as error:
        _complain(*f"{program}: {error}".split("\n"))
        return 2
    except ValueError as error:
        _complain(f"{program}: {error}")
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def write(content: str) -> None:
    """Print, and see to it that it arrives. A reader may stop early.

    Raises:
        ValueError: it could not be written.
    """
    if sys.stdout is None:
        raise ValueError("standard output is closed.")
    try:
        print(content, end="" if content.endswith("\n") else "\n", flush=True)
    except OSError as error:
        # Python would write the rest when it ends, and fail again.
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise ValueError(f"standard output: {error.strerror}.") from None


def read(name: str) -> str:
    """A text file, or with ``-`` standard input.

    Raises:
        ValueError: it cannot be read, or is not text.
    """
    shown = "standard input" if name == "-" else name
    if name == "-" and sys.stdin is None:
        raise ValueError("standard input is closed.")
    try:
        with sys.stdin.buffer if name == "-" else open(name, "rb") as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise ValueError(f"{shown} has more than {_MOST_BYTES:,} bytes. Shorten it.")
        return data.decode("utf-8-sig")
    except OSError as error:
        raise ValueError(f"{shown}: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise ValueError(f"{shown} is not text in UTF-8. Save it as UTF-8.") from None


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
