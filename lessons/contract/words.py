"""The words of a lesson that are not its running text, from two lists at the end of en.md.

The text ends like this::

    ## Settings
    - stop: Advantage in the actor’s loss
      help: What a learner reads behind the question mark.
      - no: as it is
      - yes: detached
    - key: Key of the map
      placeholder: an op type

    ## Words
    - visit: Gradient for v: {{ came }}, of its own loss {{ own }}
    - updates: {{ n }} update | {{ n }} updates

``## Settings`` has a lab's parameters by name: label, help, what an empty field shows, and the
label of each option. ``## Words`` has all other texts: titles, captions, names of lines, notes. The
Python files next to en.md ask for these by name::

    WORDS = Words(__file__)
    WORDS("visit", came=brief(came), own=brief(own))
    WORDS.counted("updates", 3)

Each name is written out where it is asked for, so a name that is missing in the text, or that no
Python file uses, is found when the lesson loads.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from lessons.contract.parameters import Choice, Numbers, Parameter, Text
from lessons.contract.prose import SETTINGS, WORDS, ProseError, fill, placeholders, sections

P = TypeVar("P", bound=Parameter)

_USED = re.compile(r'\bWORDS(?:\.counted)?\(\s*"(\w+)"')
_LINE = re.compile(r"- (\w+): (.+)")
_PART = re.compile(r"  (- )?(\w+): (.+)")


@dataclass
class _Setting:
    label: str
    about: dict[str, str] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)


class Words:
    """The words in the en.md next to a Python file.

    Args:
        file: the Python file, ``__file__``.
        asked: names that the kit asks for, as ``CURVE_WORDS`` of lessons/kit/curve_figures.py.

    Raises:
        ProseError: a line that cannot be read, a name twice, missing or unused.
    """

    def __init__(self, file: str, asked: tuple[str, ...] = ()) -> None:
        self.path = Path(file).with_name("en.md")
        self._texts, self._settings = _read(self.path, asked)

    def text(self, name: str) -> str:
        """The text of this name, not filled in."""
        return self._texts[name]

    def __call__(self, name: str, /, **values: Any) -> str:
        """The text of this name, filled in.

        Raises:
            ProseError: the text has other placeholders.
        """
        text = self._texts[name]
        if placeholders(text) != values.keys():
            raise ProseError(
                f"{self.path}: {name!r} has {sorted(placeholders(text))} to fill in, "
                f"its Python file gives {sorted(values)}"
            )
        return fill(text, values) if values else text

    def counted(self, name: str, n: int) -> str:
        """The text of this name for ``n`` of something: before the bar for one, else after it."""
        one, _, more = self._texts[name].partition(" | ")
        return fill(one if n == 1 else more, {"n": f"{n:,}"})

    def labelled(self, parameters: Iterable[P]) -> tuple[P, ...]:
        """The parameters with label, help and options' labels as the text has them.

        Raises:
            ProseError: a parameter without a label, or a setting or option that no parameter has.
        """
        found = tuple(self.label(one) for one in parameters)
        for name in self._settings.keys() - {one.name for one in found}:
            raise ProseError(f"{self.path}: the lab has no setting {name!r}")
        return found

    def label(self, parameter: P) -> P:
        """The parameter with label, help and options' labels as the text has them.

        If the text doesn't have it, it keeps the label that it was given.

        Raises:
            ProseError: no label, or other options in the text than the parameter has.
        """
        said = self._settings.get(parameter.name)
        if said is None:
            if not parameter.label:
                raise ProseError(f"{self.path}: the setting {parameter.name!r} is missing")
            return parameter
        found: dict[str, Any] = {"label": said.label, "help": said.about.get("help", "")}
        if isinstance(parameter, Choice) and said.options:
            if parameter.names != tuple(said.options):
                raise ProseError(
                    f"{self.path}: {parameter.name!r} has the options {list(said.options)}, "
                    f"the lab {list(parameter.names)}"
                )
            found["labels"] = tuple(said.options.values())
        if isinstance(parameter, (Numbers, Text)):
            found["placeholder"] = said.about.get("placeholder", "")
        return replace(parameter, **found)


@cache
def _read(path: Path, asked: tuple[str, ...]) -> tuple[Mapping[str, str], Mapping[str, _Setting]]:
    """The words and the settings of one en.md."""
    lists = dict(sections(path.read_text("utf-8")))
    texts: dict[str, str] = {}
    for line in _lines(lists, WORDS):
        name, text = _entry(path, line, texts)
        texts[name] = text
    settings: dict[str, _Setting] = {}
    for line in _lines(lists, SETTINGS):
        part = _PART.fullmatch(line)
        if part and settings:
            last = settings[next(reversed(settings))]
            (last.options if part[1] else last.about)[part[2]] = part[3]
        else:
            name, label = _entry(path, line, settings)
            settings[name] = _Setting(label)
    code = "".join(one.read_text("utf-8") for one in path.parent.glob("*.py"))
    used = {*asked, *_USED.findall(code)}
    for name in sorted(used ^ texts.keys()):
        wrong = "is missing" if name in used else "is used in no Python file"
        raise ProseError(f"{path}: the word {name!r} {wrong}")
    return texts, settings


def _lines(lists: Mapping[str, str], heading: str) -> list[str]:
    return [line for line in lists.get(heading, "").splitlines() if line.strip()]


def _entry(path: Path, line: str, known: Mapping[str, Any]) -> tuple[str, str]:
    """Name and text of a line."""
    found = _LINE.fullmatch(line)
    if not found:
        raise ProseError(f"{path}: write “- name: text”, not {line!r}")
    if found[1] in known:
        raise ProseError(f"{path}: {found[1]!r} stands twice in its list")
    return found[1], found[2]
