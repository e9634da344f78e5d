"""The error where a trace can't be made; and an error of the program, shortened."""

import re
import traceback
from pathlib import Path

import torch

from .source import at_line

OURS = (str(Path(__file__).parent), str(Path(__file__).parents[1] / "recorder"))
_TORCH = str(Path(torch.__file__).parent)


class TraceError(ValueError):
    """A trace that cannot be made, in words for the person who asked for it."""


def shortened(error: BaseException, own: str | None = None) -> str:
    """An error of the traced program: its last lines in its own files, and what it said.

    Args:
        own: the folder whose files count as the program's; torch's and ours are left out.
    """
    theirs = _frames(error, own)
    lines = [
        f"  {at_line(one.filename, one.lineno)}, in {one.name}: {one.line}" for one in theirs[-4:]
    ]
    return "\n".join([*lines, f"  {type(error).__name__}: {sentences(str(error), 600)}"])


def sentences(text: str, most: int) -> str:
    """The first whole sentences of a text, `most` characters or a little more if one is longer."""
    said = " ".join(text.split())
    if len(said) <= most:
        return said
    ends = [one.end() for one in re.finditer(r"[.!?](?= )", said)]
    end = max((one for one in ends if one <= most), default=next(iter(ends), len(said)))
    return f"{said[:end]} […]"


def place_of(error: BaseException) -> str:
    """Find the line that raised an error: the innermost one that is neither torch's nor ours."""
    frames = _frames(error)
    return at_line(frames[-1].filename, frames[-1].lineno) if frames else "torch"


def program_frames(error: BaseException) -> list[traceback.FrameSummary]:
    """The calls that led to an error, without ours and those that began the program."""
    frames = traceback.extract_tb(error.__traceback__)
    return [one for one in frames if not one.filename.startswith((*OURS, "<frozen"))]


def _frames(error: BaseException, own: str | None = None) -> list[traceback.FrameSummary]:
    frames = program_frames(error)
    theirs = [one for one in frames if own is not None and one.filename.startswith(own)]
    return theirs or [one for one in frames if not one.filename.startswith(_TORCH)]
