"""Where in a lesson's folder a mistake is: the file, and the line from 1."""

import re
import traceback
from pathlib import Path

from lessons.gradient_tricks.text.words import ProseError, in_language

_QUOTED = re.compile(r"`([^`]+)`|“([^”]+)”|'([^']+)'")


def of_error(folder: Path, error: BaseException) -> tuple[Path, int]:
    """Find the innermost line of the lesson's own code, or else the words that the error quotes."""
    if isinstance(error, SyntaxError) and error.filename:
        return folder / error.filename, error.lineno or 1
    if (own := own_frame(folder, error)) and not isinstance(error, ProseError):
        return folder / own.filename, own.lineno or 1
    message = str(error)
    lists = {"the word": "Words", "the setting": "Settings"}
    heading = next((lists[what] for what in lists if f"{what} '" in message), "")
    is_of_text = type(error).__module__.startswith("lessons.")  # our errors quote the text
    return of_text(in_language(folder) if is_of_text else folder / "lesson.py", message, heading)


def own_frame(folder: Path, error: BaseException) -> traceback.FrameSummary | None:
    """Return the innermost frame of an error that is in a file of this folder, if there is one."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = folder / frame.filename
        if folder in file.parents and file.is_file():  # a dataclass has frames in no file
            return frame
    return None


def of_text(file: Path, message: str, heading: str = "") -> tuple[Path, int]:
    """Find the first words that a message quotes, in the section that it quotes or that is given.

    Args:
        file: where to look.
        message: quotes in backticks, curly marks or as Python does.
        heading: the section's.
    """
    lines = file.read_text("utf-8").splitlines() if file.is_file() else []
    start, end = 0, len(lines)
    for quoted in filter(None, (heading, *map("".join, _QUOTED.findall(message)))):
        if f"## {quoted}" in lines:
            start = lines.index(f"## {quoted}")
            later = (i for i in range(start + 1, end) if lines[i].startswith("## "))
            end = next(later, len(lines))
            continue
        words = re.compile(rf"(?<!\w){re.escape(quoted)}(?!\w)")
        for number in range(start, end):
            if words.search(lines[number]):
                return file, number + 1
    return file, start + 1
