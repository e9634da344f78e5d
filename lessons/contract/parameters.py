"""What a learner can set: each parameter reads text, from a field, a URL or the command line.

Text is all that ever comes in, and all of it may be hostile: nothing is evaluated, everything is
measured before it is parsed, and a refusal says what was given, what was expected and what to do.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from lessons.gradient_tricks.text import cited, suggestion, visible
from lessons.gradient_tricks.text.words import Texts

WORDS = Texts(__file__)

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)

LONGEST_TEXT = 20_000
"""Characters of a list of numbers; nothing longer is read."""

Values = Mapping[str, Any]
"""Settings by name, validated, whatever class they have."""


class InvalidParametersError(ValueError):
    """Settings were refused.

    Args:
        errors: one message for each refused parameter, for people.
    """

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{name}: {message}" for name, message in errors.items()))
        self.errors = dict(errors)


@dataclass(frozen=True)
class Parameter:
    """One thing a learner can set.

    Args:
        name: as in URLs and on the command line.
        default: the text it has at first.
        label, help: the control's label, and one line on what it does; from the lab's
            words.
        advanced: True puts it under "More settings".
        in_run: what a change does to a training under way: the training restarts, makes its next
            steps with the new value, or only looks different.
    """

    name: str
    default: str
    label: str = ""
    help: str = ""
    advanced: bool = False
    in_run: Literal["restarts", "steps", "looks"] = field(default="restarts", kw_only=True)

    def parse(self, text: str) -> Any:
        """The value that the text stands for.

        Raises:
            ValueError: what was given and what was expected, in one sentence for people.
        """
        raise NotImplementedError

    def format(self, value: Any) -> str:
        """The text that parses back to this very value."""
        return str(value)


@dataclass(frozen=True)
class Number(Parameter):
    """A number between two bounds, on a slider that may span less than the bounds.

    Args:
        low, high: what is accepted, both ends included.
        slider: what the slider spans.
        step: one arrow key on the slider.
    """

    low: float = -10.0
    high: float = 10.0
    slider: tuple[float, float] = (0.0, 1.0)
    step: float = 0.01

    def parse(self, text: str) -> float:
        value = read_number(text)
        if not self.low <= value <= self.high:
            ends = {"low": f"{self.low:g}", "high": f"{self.high:g}"}
            raise ValueError(WORDS("outside", text=cited(text, 24), **ends))
        return value

    def format(self, value: float) -> str:
        return shortest(value)


@dataclass(frozen=True)
class Integer(Parameter):
    """A whole number between two bounds; ``log`` asks for a logarithmic slider."""

    low: int = 0
    high: int = 2**32 - 1
    log: bool = False

    def parse(self, text: str) -> int:
        value = read_number(text)
        if value != int(value):
            raise ValueError(WORDS("not_whole", text=cited(text, 24)))
        if not self.low <= value <= self.high:
            ends = {"low": f"{self.low:,}", "high": f"{self.high:,}"}
            raise ValueError(WORDS("outside", text=cited(text, 24), **ends))
        return int(value)


@dataclass(frozen=True)
class Index(Integer):
    """Which entry of a list parameter, 1 for the first; past its end is the last.

    Args:
        of: the list's name.
    """

    of: str = ""


@dataclass(frozen=True)
class Numbers(Parameter):
    """A list of numbers, separated by commas or spaces.

    Args:
        most: the longest list accepted.
        largest: the size of the largest number accepted.
        optional: True reads an empty text as None.
        placeholder: shown in the empty field.
    """

    most: int = 256
    largest: float = math.inf
    optional: bool = False
    placeholder: str = ""

    def parse(self, text: str) -> tuple[float, ...] | None:
        if len(text) > LONGEST_TEXT:
            length = f"{len(text):,}"
            raise ValueError(WORDS("long_list", most=f"{LONGEST_TEXT:,}", given=length))
        words = [word for word in re.split(r"[\s,;]+", text.strip().strip("[]()")) if word]
        if not words:
            if self.optional:
                return None
            raise ValueError(WORDS("empty_list"))
        if len(words) > self.most:
            raise ValueError(WORDS("many_numbers", most=self.most, given=f"{len(words):,}"))
        numbers = tuple(read_number(word) for word in words)
        if abs(largest := max(numbers, key=abs)) > self.largest:
            ends = {"low": f"{-self.largest:,.0f}", "high": f"{self.largest:,.0f}"}
            raise ValueError(WORDS("outside", text=shortest(largest), **ends))
        return numbers

    def format(self, value: Sequence[float] | None) -> str:
        return "" if value is None else ", ".join(shortest(number) for number in value)


@dataclass(frozen=True)
class Choice(Parameter):
    """One of a few names.

    Args:
        names: as in URLs.
        labels: what each is called next to the control, if that isn't its name; from the lab's
            words.
    """

    names: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()

    @property
    def options(self) -> tuple[tuple[str, str], ...]:
        """Each name with its label."""
        return tuple(zip(self.names, self.labels or self.names, strict=True))

    def parse(self, text: str) -> str:
        if text not in self.names:
            names, among = ", ".join(self.names), suggestion(text, self.names)
            raise ValueError(WORDS("not_one_of", text=cited(text, 24), names=names, nearest=among))
        return text


@dataclass(frozen=True)
class Text(Parameter):
    """Words of the learner's own, such as an op type or an expression.

    Args:
        longest: in characters.
        read: checks the text; raises ValueError with a sentence for people.
        placeholder: shown in the empty field.
    """

    longest: int = 400
    read: Callable[[str], Any] = str
    placeholder: str = ""

    def parse(self, text: str) -> str:
        if len(text) > self.longest:
            raise ValueError(WORDS("long_text", most=self.longest, given=f"{len(text):,}"))
        self.read(text)
        return text


@dataclass(frozen=True)
class Device(Parameter):
    """A device by torch's name: cpu, cuda, cuda:1 or mps. Whether it is there is asked later."""

    def parse(self, text: str) -> str:
        if not re.fullmatch(r"cpu|mps|cuda(:\d{1,3})?", text, re.ASCII):
            raise ValueError(WORDS("not_a_device", text=cited(text, 24)))
        return text


_MOST_UNKNOWN = 3
"""Names of no parameter that are said; the others are counted."""


def validate(parameters: Sequence[Parameter], given: Mapping[str, str]) -> dict[str, Any]:
    """Every parameter's value: as given, else its default.

    Raises:
        InvalidParametersError: everything that was refused, at once.
    """
    known = {parameter.name: parameter for parameter in parameters}
    unknown = [name for name in given if name not in known]
    errors = {
        visible(name, 24): WORDS("no_parameter", nearest=suggestion(name, list(known)))
        for name in unknown[:_MOST_UNKNOWN]
    }
    if len(unknown) > _MOST_UNKNOWN:
        more = f"{len(unknown) - _MOST_UNKNOWN:,}"
        errors[WORDS("more_parameters", n=more)] = WORDS("no_parameters")
    values: dict[str, Any] = {}
    for name, parameter in known.items():
        try:
            values[name] = parameter.parse(given.get(name, parameter.default))
        except ValueError as error:
            errors[name] = str(error)
    if errors:
        raise InvalidParametersError(errors)
    return values


def read_number(text: str) -> float:
    """A finite number from text that may be anything.

    >>> read_number(" −0.5 ")
    -0.5

    Raises:
        ValueError: what was given and what was expected, in one sentence for people.
    """
    word = text.strip().replace("−", "-")
    if len(word) > 400 or not _NUMBER.fullmatch(word):
        if word.startswith("–"):
            raise ValueError(WORDS("a_dash", text=cited(text, 24)))
        raise ValueError(WORDS("not_a_number", text=cited(text, 24)))
    value = float(word)
    if not math.isfinite(value):
        raise ValueError(WORDS("too_large", text=cited(text, 24)))
    return value


def shortest(value: float) -> str:
    """The shortest text that reads back to this number.

    >>> shortest(-2.0), shortest(0.1), shortest(-0.0), shortest(1e30)
    ('-2', '0.1', '-0.0', '1e+30')
    """
    whole = math.isfinite(value) and value == int(value) and abs(value) < 1e15
    return str(int(value)) if whole and (value or math.copysign(1, value) > 0) else repr(value)
