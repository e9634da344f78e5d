"""Texts by name, from the list ``## Words`` of a Markdown file.

This is the catalogue of everything that the app says: each room has an en.md. A translation is one
more file next to it, such as de.md, and ``GRADIENT_TRICKS_LANGUAGE=de`` starts the app in it.

The list looks like this::

    ## Words
    - visit: Gradient for v: {{ came }}, of its own loss {{ own }}
    - updates: {{ n }} update | {{ n }} updates

The Python files next to it ask for these texts by name::

    WORDS = Texts(__file__)
    WORDS("visit", came=brief(came), own=brief(own))
    WORDS.counted("updates", 3)

The browser's modules ask for theirs with ``phrase`` and ``counted`` (pages/ui/live/phrase.js), and
the site's style with ``var(--say-computing)``.

Each name is written out where it is asked for, so a name that is missing in the list, or that no
file uses, is found when the list is read.
"""

import os
import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

VALUE = re.compile(r"\{\{\s*(\w+)\s*(?::([^}]*))?\}\}")
"""A placeholder: a name, and perhaps a format."""
HEADING = "Words"

LANGUAGE = os.environ.get("GRADIENT_TRICKS_LANGUAGE", "en")
"""The language of this process, as its files are named. Texts without a file in it are English."""

_USED = re.compile(
    r"""\b(?:WORDS(?:\.counted)?|phrase|counted)\(\s*["'](\w+)["']|var\(--say-(\w+)\)"""
)
_LINE = re.compile(r"- (\w+): (.+)")


class ProseError(ValueError):
    """A text is not as it should be; says the file and what is wrong."""


def in_language(folder: Path) -> Path:
    """The file with a folder's texts."""
    path = folder / f"{LANGUAGE}.md"
    return path if path.is_file() else folder / "en.md"


class Texts:
    """The texts in the en.md next to a Python file. ``texts`` has them by name, not filled in.

    Args:
        file: the Python file, ``__file__``.
        asked: names that other files ask for.
        users: the files that ask for the texts; if None, all Python files in the folder.

    Raises:
        ProseError: a line that cannot be read, a name twice, missing or unused.
    """

    spare: tuple[str, ...] = ()
    """Names that the list may have though no file next to it asks for them."""

    def __init__(
        self, file: str, asked: tuple[str, ...] = (), users: tuple[Path, ...] | None = None
    ) -> None:
        self.path = in_language(Path(file).parent)
        self.texts = _read(self.path, asked, users, self.spare)

    def __call__(self, name: str, /, **values: Any) -> str:
        """The text of this name, filled in.

        Raises:
            ProseError: there is no such text, or it has other placeholders.
        """
        if name not in self.texts:
            raise ProseError(f"{self.path}: the word {name!r} is missing")
        text = self.texts[name]
        if placeholders(text) != values.keys():
            raise ProseError(
                f"{self.path}: {name!r} has {sorted(placeholders(text))} to fill in, "
                f"its Python file gives {sorted(values)}"
            )
        return fill(text, values) if values else text

    def counted(self, name: str, n: int) -> str:
        """The text of this name for ``n`` of something: before the bar for one, else after it."""
        one, _, more = self.texts[name].partition(" | ")
        return fill(one if n == 1 else more, {"n": f"{n:,}"})


@cache
def _read(
    path: Path, asked: tuple[str, ...], users: tuple[Path, ...] | None, spare: tuple[str, ...]
) -> Mapping[str, str]:
    """The texts of one file, by name."""
    texts = listed_under(path, HEADING)
    files = path.parent.glob("*.py") if users is None else users
    code = "".join(one.read_text("utf-8") for one in files)
    used = {*asked, *(one[1] or one[2] for one in _USED.finditer(code))}
    for name in sorted(used ^ texts.keys()):
        if name in spare and name in texts:
            continue
        wrong = "is missing" if name in used else f'is used in no file as WORDS("{name}")'
        raise ProseError(f"{path}: the word {name!r} {wrong}")
    return texts


def listed_under(path: Path, heading: str) -> dict[str, str]:
    """The texts of a section, by name."""
    texts: dict[str, str] = {}
    for line in list_under(path, heading):
        name, text = entry(path, line, texts)
        texts[name] = text
    return texts


def list_under(path: Path, heading: str) -> list[str]:
    """The lines of a section."""
    text = dict(sections(path.read_text("utf-8"))).get(heading, "")
    return [line for line in text.splitlines() if line.strip()]


def sections(text: str) -> list[tuple[str, str]]:
    """The heading and the text of each section; the first has no heading."""
    parts = re.split(r"^## (.*)\n", f"## \n{text}", flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def entry(path: Path, line: str, known: Mapping[str, Any]) -> tuple[str, str]:
    """Name and text of a line in a list."""
    found = _LINE.fullmatch(line)
    if not found:
        raise ProseError(f"{path}: write “- name: text”, not {line!r}")
    if found[1] in known:
        raise ProseError(f"{path}: {found[1]!r} stands twice in its list")
    return found[1], found[2]


def fill(
    text: str,
    values: Mapping[str, float | int | str],
    mark: Callable[[re.Match[str], str], str] | None = None,
) -> str:
    """The text with every ``{{ name:format }}`` replaced by that value.

    Args:
        text: Markdown.
        values: by name.
        mark: what to put for a value, given its placeholder and how it reads; None puts the value.

    >>> fill("mean {{ mean:.2f }}", {"mean": -1.0})
    'mean −1.00'

    Raises:
        ProseError: no such value, or a format that does not fit it.
    """

    def value(match: re.Match[str]) -> str:
        name, form = match.group(1), (match.group(2) or "").strip()
        if name not in values:
            raise ProseError(f"no fact {name!r} to fill in; there are {sorted(values)}")
        try:
            shown = written(values[name], form)
        except ValueError as error:
            raise ProseError(f"fact {name!r} cannot be shown as {form!r}: {error}") from None
        return mark(match, shown) if mark else shown

    return VALUE.sub(value, text)


@lru_cache(maxsize=1024)
def placeholders(text: str) -> frozenset[str]:
    """The names of all values that a text fills in."""
    return frozenset(match.group(1) for match in VALUE.finditer(text))


def written(value: float | int | str, form: str) -> str:
    """A value as it reads in a text; after a true minus sign no line ends. Code has the form s.

    >>> written(-1.0, ".2f"), written(8.24e-09, ".3g"), written("-1", ""), written("-x", "s")
    ('−1.00', '8.24e−09', '−1', '-x')
    """
    shown = format(value, form)
    if isinstance(value, str):
        return shown.replace("-", "−", 1) if shown.startswith("-") and form != "s" else shown
    return shown.replace("-", "−")
