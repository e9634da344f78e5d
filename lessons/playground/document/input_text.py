"""An input's values and noise as text: what a field, a document or a URL carries."""

import re

from lessons.contract import parameters
from lessons.contract.parameters import shortest
from lessons.gradient_tricks.text import cited, visible
from lessons.playground.document.contents import Noise, Numbers
from lessons.playground.document.words import WORDS
from lessons.playground.language.limits import MAX_DIGITS
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.language.refusals import explain

_NOISE = re.compile(
    r"\s*([^\s,()=]+)\s*,\s*([^\s,()=]+)\s*((?:,\s*(?:seed|like)\s*=\s*\w+\s*)*)(?:,\s*)?",
    re.ASCII,
)


def read_values(text: str) -> Numbers:
    """An input's values: ``3``, ``[-2, -1, 1]``, ``[[1, 2], [3, 4]]``; a bare list will do.

    Raises:
        PlaygroundError: with the part "input".
    """
    for character in text:
        if not (character.isascii() and (character.isprintable() or character in "\t\n")):
            raise _wrong(explain(character))
    body = text.strip()
    if not body:
        raise _wrong(WORDS("no_numbers"))
    compact = re.sub(r"\s+", " ", body)
    if compact.startswith("[") and "[" in compact[1:]:
        if not re.fullmatch(r"\[ ?\[[^][]*\](?: ?, ?\[[^][]*\])* ?,? ?\]", compact):
            raise _wrong(WORDS("no_list"))
        rows = tuple(_row(row) for row in re.findall(r"\[([^][]*)\]", compact))
        if len({len(row) for row in rows}) > 1:
            raise _wrong(WORDS("rows_differ"))
        return rows
    if compact.startswith("[") != compact.endswith("]"):
        raise _wrong(WORDS("no_list"))
    listed = compact.startswith("[")
    values = _row(compact[1:-1] if listed else compact)
    return values if listed or len(values) > 1 else values[0]


def read_noise(distribution: str, arguments: str) -> Noise:
    """An input's noise: ``uniform`` of ``0.9, 1.1, like=x, seed=0``, ``normal`` of ``0, 1``.

    Raises:
        PlaygroundError: with the part "input".
    """
    match = _NOISE.fullmatch(arguments)
    if match is None:
        raise _wrong(WORDS("no_noise", text=cited(f"{distribution}({arguments})")))
    a, b, more = match.groups()
    named = dict(re.findall(r"(seed|like)\s*=\s*(\w+)", more, re.ASCII))
    seed = read_whole(named.get("seed", "0"))
    return Noise(distribution, read_number(a), read_number(b), seed, named.get("like", ""))  # type: ignore[arg-type]


def read_ends(text: str) -> tuple[float, float]:
    """The two numbers of an input's noise: ``0.9, 1.1``.

    Raises:
        PlaygroundError: with the part "input".
    """
    match read_values(text):
        case (float(a), float(b)):
            return a, b
    raise _wrong(WORDS("no_ends"))


def format_values(values: Numbers | None) -> str:
    """The text that ``read_values`` reads back to these values."""
    if isinstance(values, tuple):
        return f"[{', '.join(format_values(value) for value in values)}]"
    return shortest(0.0 if values is None else values)


def format_noise(noise: Noise) -> str:
    """The text that ``read_noise`` reads back to this noise."""
    like = f", like={noise.like}" if noise.like else ""
    ends = f"{shortest(noise.a)}, {shortest(noise.b)}"
    return f"{noise.distribution}({ends}{like}, seed={noise.seed})"


def _row(text: str) -> tuple[float, ...]:
    words = [word for word in re.split(r"[\s,]+", text.strip()) if word]
    if not words:
        raise _wrong(WORDS("no_numbers"))
    return tuple(read_number(word) for word in words)


def read_number(word: str) -> float:
    """One number.

    Raises:
        PlaygroundError: with the part "input".
    """
    try:
        return parameters.read_number(visible(word, MAX_DIGITS))
    except ValueError as error:
        raise _wrong(str(error)) from None


def read_whole(text: str) -> int:
    """A seed or a place: digits, ten at most.

    Raises:
        PlaygroundError: with the part "input".
    """
    if not re.fullmatch(r"\d{1,10}", text, re.ASCII):
        raise _wrong(WORDS("no_whole_number", text=cited(text)))
    return int(text)


def _wrong(message: str) -> PlaygroundError:
    return PlaygroundError(message, part="input")
