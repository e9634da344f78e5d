"""The words of a lesson that are not its running text, from the lists at the end of en.md.

The text ends like this::

    ## Settings
    - stop: Advantage in the actor’s loss
      help: What a learner reads behind the question mark.
      - no: as it is
      - yes: detached
    - key: Key of the map
      placeholder: an op type

    ## Views
    - updates: Updates

    ## Words
    - visit: Gradient for v: {{ came }}, of its own loss {{ own }}

``## Settings`` has a lab's parameters by name: label, help, what an empty field shows, and the
label of each option. ``## Views`` has the names of drawers that no other lesson has. ``## Words``
has all other texts: titles, captions, names of lines, notes; ``text/words.py`` of the package
gradient_tricks reads it.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from lessons.contract.figure import SHORT, Figure
from lessons.contract.parameters import Choice, Parameter
from lessons.gradient_tricks.text.words import (
    ProseError,
    Texts,
    entry,
    fill,
    list_under,
    placeholders,
)
from lessons.prose.steps import SETTINGS

P = TypeVar("P", bound=Parameter)

CHART = ("title", "subject", "caption", "alt")
"""The texts of a chart: ``WORDS.chart("plane", …)`` asks for ``plane_title`` and so on.

So do ``step_chart(WORDS, "plane", …)`` and ``component_figure(WORDS, "plane", …)``.
"""
_CHART = re.compile(
    r"""\b(?:WORDS\.chart\(|(?:step_chart|component_figure)\(\s*WORDS,)\s*"(\w+)\""""
)

CURVE_WORDS = ("value", "gradient", "caption")
"""The words for which the curve lab asks a lesson, see ``lessons/kit/curve_figures.py``."""

_PART = re.compile(r"  (?:- (\w+)|(help|placeholder)): (.+)")


@dataclass
class _Setting:
    label: str
    about: dict[str, str] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)


class Words(Texts):
    """The words in the en.md next to a Python file: its texts, and what its settings are called.

    Args:
        file: the Python file, ``__file__``.

    Raises:
        ProseError: a line that cannot be read, a name twice, missing or unused.
    """

    spare = CURVE_WORDS

    def __init__(self, file: str) -> None:
        super().__init__(file, _of_charts(Path(file).parent))
        self._settings = _read(self.path)

    def chart(
        self,
        name: str,
        data: list[dict[str, Any]],
        layout: dict[str, Any],
        height: int = SHORT,
        **values: Any,
    ) -> Figure:
        """A chart with its four texts, ``CHART``, each filled in with the values that it names.

        The title is the subject if it would name a value that is None.
        """
        texts = [self.texts[f"{name}_{part}"] for part in CHART]
        if any(values.get(one, "") is None for one in placeholders(texts[0])):
            texts[0] = texts[1]
        title, subject, caption, alt = (fill(text, values) for text in texts)
        return Figure(name, title, caption, alt, data, layout, height=height, subject=subject)

    def option(self, setting: str, name: str) -> str:
        """The label of an option of a setting."""
        return self._settings[setting].options[name]

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
        found: dict[str, Any] = {"label": said.label, "help": "", **said.about}
        if isinstance(parameter, Choice) and said.options:
            if parameter.names != tuple(said.options):
                raise ProseError(
                    f"{self.path}: {parameter.name!r} has the options {list(said.options)}, "
                    f"the lab {list(parameter.names)}"
                )
            found["labels"] = tuple(said.options.values())
        return replace(parameter, **found)


@cache
def _of_charts(folder: Path) -> tuple[str, ...]:
    """The texts that the charts of a folder ask for."""
    code = "".join(one.read_text("utf-8") for one in sorted(folder.glob("*.py")))
    return tuple(f"{chart}_{part}" for chart in _CHART.findall(code) for part in CHART)


@cache
def _read(path: Path) -> Mapping[str, _Setting]:
    """The settings of one en.md."""
    settings: dict[str, _Setting] = {}
    for line in list_under(path, SETTINGS):
        part = _PART.fullmatch(line)
        if part and settings:
            last = settings[next(reversed(settings))]
            (last.options if part[1] else last.about)[part[1] or part[2]] = part[3]
        else:
            name, label = entry(path, line, settings)
            settings[name] = _Setting(label)
    return settings
