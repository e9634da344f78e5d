"""Looks at a program's characters before Python's parser does, and bounds what it will be given.

Python's own parser can be driven out of its stack or memory by deep nesting, and its errors are
not for learners. So every character, bracket, sign and word is checked here first; what passes is
plain ASCII of bounded length and depth.
"""

import keyword
import re
import unicodedata
from dataclasses import dataclass, field

from lessons.playground.language.functions import CALLABLE
from lessons.playground.language.limits import (
    MAX_CHARACTERS,
    MAX_DEPTH,
    MAX_DIGITS,
    MAX_NAME,
    MAX_OPS,
    MAX_RULE_CHARACTERS,
)
from lessons.playground.language.lookalikes import explain
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.language.refusals import SIGNS, WORDS
from lessons.text import cited

_TOKEN = re.compile(
    r"(?P<space>[ \t]+)"
    r"|(?P<comment>\#[^\n]*)"
    r"|(?P<newline>\n)"
    r"|(?P<number>(?:\d|\.\d)(?:[eE][+-](?=\d)|[\w.])*)"
    r"|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<operator>\*\*=|//=|\.\.\.|<<|>>|<>|:=|->|==|!=|<=|>=|\*\*|//|[-+*/%@&|^]=|[^\w\s])",
    re.ASCII,
)
_NUMBER = re.compile(r"(?!0\d+\Z)(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_ALLOWED = {*"+-*/@()[],=<>.", "**", "==", "!=", "<=", ">="}
_PAIRS = {")": "(", "]": "["}


@dataclass(frozen=True)
class Scanned:
    """A program that Python's parser may see.

    Args:
        text: the same length as what came, comments blanked out: plain ASCII.
        words: the names that occur, in order.
    """

    text: str
    words: tuple[str, ...]


@dataclass
class _State:
    text: str
    rule: bool
    brackets: list[tuple[str, int]] = field(default_factory=list)
    signs: int = 0
    operators: int = 0
    last: str = "\n"
    last_place: int = 0
    line_start: bool = True


def scan(text: str, rule: bool = False) -> Scanned:
    """Check every character and token.

    Args:
        text: the program, or with ``rule`` one expression.
        rule: True allows None and names one line only.

    Raises:
        PlaygroundError: the first thing that cannot be, at its line and column.
    """
    most = MAX_RULE_CHARACTERS if rule else MAX_CHARACTERS
    if len(text) > most:
        raise PlaygroundError(
            f"This has {len(text):,} characters; at most {most:,} are read. Shorten it."
        )
    state = _State(text, rule)
    kept: list[str] = []
    words: list[str] = []
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None or not match.group().isascii():
            kept.append(_comment(state, place, match))
        else:
            kind, token = str(match.lastgroup), match.group()
            _check(state, kind, token, place)
            if kind == "name":
                words.append(token)
            kept.append(_comment(state, place, match) if kind == "comment" else token)
        place += len(kept[-1])
    if state.brackets:
        bracket, where = state.brackets[-1]
        raise refused(text, where, f"This “{bracket}” is never closed.")
    return Scanned("".join(kept), tuple(words))


def refused(text: str, place: int, message: str) -> PlaygroundError:
    """The error at this offset of the text."""
    before = text[:place]
    line = before.count("\n") + 1
    return PlaygroundError(message, line, place - (before.rfind("\n") + 1) + 1)


def _comment(state: _State, place: int, match: re.Match[str] | None) -> str:
    """The blanks that stand for a comment; refuses the characters no program can hold."""
    if match is None or match.lastgroup != "comment":
        character = state.text[place]
        message = explain(character)
        if character == "\r":
            message = "A line ends in a lone carriage return (U+000D). Use plain line ends."
        raise refused(state.text, place, message)
    comment = match.group()
    for index, character in enumerate(comment):
        if unicodedata.category(character) in ("Cc", "Cs") and character != "\t":
            raise refused(state.text, place + index, explain(character))
    return " " * len(comment)


def _check(state: _State, kind: str, token: str, place: int) -> None:
    if kind == "newline":
        state.line_start = not state.brackets
        state.last = token if state.line_start else state.last
        return
    if kind == "space":
        following = state.text[place + len(token) : place + len(token) + 1]
        if state.line_start and not state.rule and following not in ("", "\n", "#"):
            raise refused(
                state.text, place, "This line starts with blanks. Start it at the left edge."
            )
        return
    if kind == "comment":
        return
    if kind in ("number", "name") and not state.line_start:
        _check_sign_between(state, token, place)
    if kind == "number":
        _check_number(state, token, place)
    elif kind == "name":
        _check_name(state, token, place)
    else:
        _check_operator(state, token, place)
    state.signs = state.signs + 1 if kind == "operator" and token in "+-" else 0
    if state.signs > MAX_DEPTH:
        raise refused(state.text, place, f"More than {MAX_DEPTH} signs in a row. Remove some.")
    state.last, state.last_place, state.line_start = token, place, False


def _check_sign_between(state: _State, token: str, place: int) -> None:
    """Two names or numbers side by side are nothing that a program says."""
    last = state.last
    if not (last[-1].isalnum() or last[-1] in "_)]") or keyword.iskeyword(token):
        return
    if state.brackets and "\n" in state.text[state.last_place : place]:
        bracket, where = state.brackets[-1]
        message = (
            f"This “{bracket}” is not closed at the end of its line. Close it there, or end the "
            "line in a sign."
        )
        raise refused(state.text, where, message)
    if last in CALLABLE:
        message = f"{last} is a function: write its operand in brackets, as in {last}({token})."
        raise refused(state.text, state.last_place, message)
    shown = f"“{last}”" if last in ")]" else last
    message = f"Between {shown} and {token} a sign is missing: write * to multiply."
    raise refused(state.text, place, message)


def _check_number(state: _State, token: str, place: int) -> None:
    if len(token) > MAX_DIGITS:
        raise refused(
            state.text,
            place,
            f"This number has {len(token):,} characters; at most {MAX_DIGITS} are read.",
        )
    if _NUMBER.fullmatch(token):
        return
    factor = re.fullmatch(r"(\d+\.?\d*)([A-Za-z]\w*)", token, re.ASCII)
    if factor and factor[2].lower() in ("j", "l"):
        message = f"{cited(token)} is not a real number. Write it as in 2, 0.5 or 1e-3."
    elif factor and not token.startswith("0"):
        message = f"Between {factor[1]} and {factor[2]} a sign is missing. Write " + (
            f"{factor[1]} * {factor[2]}."
        )
    else:
        message = f"{cited(token)} is not a number. Write it as in 2, 0.5 or 1e-3."
    raise refused(state.text, place, message)


def _check_name(state: _State, token: str, place: int) -> None:
    if len(token) > MAX_NAME:
        raise refused(
            state.text,
            place,
            f"This name has {len(token):,} characters; at most {MAX_NAME} are read.",
        )
    following = state.text[place + len(token) : place + len(token) + 1]
    if following and following in "'\"":
        raise refused(
            state.text, place + len(token),
            "A program holds no text in quotes, and no f-strings: only names, numbers and calls.",
        )  # fmt: skip
    if token == "None" and state.rule:
        return
    if token == "for":
        raise refused(
            state.text, place,
            "A comprehension is not part of the language. Functions work on whole lists."
            if state.brackets else WORDS["while"],
        )  # fmt: skip
    if state.rule and token in ("def", "lambda", "return"):
        message = "A rule is the expression alone, as in -grad or clamp(grad, -0.1, 0.1)."
        raise refused(state.text, place, message)
    if keyword.iskeyword(token):
        message = WORDS.get(token, f"{token} is not part of the language: only assignments of "
                             "expressions, as in y = x**2.")  # fmt: skip
        raise refused(state.text, place, message)
    if token.startswith("_"):
        raise refused(
            state.text, place,
            f"{cited(token)} starts with an underscore. Names start with a letter a to z.",
        )  # fmt: skip


def _check_operator(state: _State, token: str, place: int) -> None:
    text = state.text
    if token == ".":
        owned = state.last[-1].isalnum() or state.last[-1] in "_)]"
        if not owned or not re.match(r"[A-Za-z_]", text[place + 1 :], re.ASCII):
            raise refused(text, place, "A dot stands between what a method is called on and its "
                          "name, as in x.detach().")  # fmt: skip
    if token in ("'", '"', "`"):
        raise refused(text, place, explain(token))
    if token[-1] == "=" and token not in _ALLOWED and token != ":=":
        sign = token[:-1]
        raise refused(
            text, place, f"{token} is not part of the language: each name is given once. Write a "
            f"new name, as in y2 = y {sign} 1.",
        )  # fmt: skip
    if token not in _ALLOWED:
        raise refused(text, place, SIGNS.get(token) or explain(token[0]))
    if token in "([":
        state.brackets.append((token, place))
        if len(state.brackets) > MAX_DEPTH:
            raise refused(
                text, place, f"Brackets are nested more than {MAX_DEPTH} deep. Give the inner "
                "part a name on a line of its own.",
            )  # fmt: skip
    elif token in ")]":
        if not state.brackets or state.brackets[-1][0] != _PAIRS[token]:
            raise refused(text, place, f"This “{token}” closes nothing that is open.")
        state.brackets.pop()
    elif token not in ",=":
        state.operators += 1
        # Every sign is an op or sits in front of a number; so this bounds Python's parser too.
        if state.operators > 3 * MAX_OPS:
            raise refused(text, place, f"The program has more than {MAX_OPS} ops. Shorten it.")
