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
from lessons.playground.language.refusals import OF_KEYWORDS, OF_SIGNS, no_name
from lessons.playground.language.words import WORDS
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
    lambdas: int = 0
    """Those of py_func whose colon is still to come."""


def scan(text: str, rule: bool = False) -> str:
    """Check every character and token, and blank the comments out: plain ASCII of the same length.

    Args:
        rule: True allows None and names one line only.

    Raises:
        PlaygroundError: the first thing that cannot be, at its line and column.
    """
    most = MAX_RULE_CHARACTERS if rule else MAX_CHARACTERS
    if len(text) > most:
        raise PlaygroundError(WORDS("long_text", count=len(text), most=most))
    state = _State(text, rule)
    kept: list[str] = []
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None or not match.group().isascii():
            kept.append(_comment(state, place, match))
        else:
            kind, token = str(match.lastgroup), match.group()
            _check(state, kind, token, place)
            kept.append(_comment(state, place, match) if kind == "comment" else token)
        place += len(kept[-1])
    if state.brackets:
        bracket, where = state.brackets[-1]
        raise refused(text, where, WORDS("never_closed", bracket=bracket))
    return "".join(kept)


def refused(text: str, place: int, message: str) -> PlaygroundError:
    """The error at this offset of the text."""
    before = text[:place]
    line = before.count("\n") + 1
    return PlaygroundError(message, line, place - (before.rfind("\n") + 1) + 1)


def _comment(state: _State, place: int, match: re.Match[str] | None) -> str:
    """The blanks that stand for a comment; refuses the characters no program can hold."""
    if match is None or match.lastgroup != "comment":
        character = state.text[place]
        lone = character == "\r"
        message = WORDS("carriage_return") if lone else explain(character)
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
            raise refused(state.text, place, WORDS("indented"))
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
        raise refused(state.text, place, WORDS("many_signs", most=MAX_DEPTH))
    state.last, state.last_place, state.line_start = token, place, False


def _check_sign_between(state: _State, token: str, place: int) -> None:
    """Two names or numbers side by side are nothing that a program says."""
    last = state.last
    side_by_side = last[-1].isalnum() or last[-1] in "_)]"
    if not side_by_side or keyword.iskeyword(token) or last == "lambda":
        return
    if state.brackets and "\n" in state.text[state.last_place : place]:
        bracket, where = state.brackets[-1]
        raise refused(state.text, where, WORDS("not_closed_in_line", bracket=bracket))
    if last in CALLABLE:
        message = WORDS("brackets_missing", name=last, operand=token)
        raise refused(state.text, state.last_place, message)
    shown = f"“{last}”" if last in ")]" else last
    raise refused(state.text, place, WORDS("sign_missing", left=shown, right=token))


def _check_number(state: _State, token: str, place: int) -> None:
    if len(token) > MAX_DIGITS:
        message = WORDS("long_number", count=len(token), most=MAX_DIGITS)
        raise refused(state.text, place, message)
    if _NUMBER.fullmatch(token):
        return
    factor = re.fullmatch(r"(\d+\.?\d*)([A-Za-z]\w*)", token, re.ASCII)
    if factor and factor[2].lower() not in ("j", "l") and not token.startswith("0"):
        message = WORDS("sign_missing", left=factor[1], right=factor[2])
    else:
        message = WORDS("not_a_number", number=cited(token))
    raise refused(state.text, place, message)


def _check_name(state: _State, token: str, place: int) -> None:
    if len(token) > MAX_NAME:
        raise refused(state.text, place, no_name(token))
    following = state.text[place + len(token) : place + len(token) + 1]
    if following and following in "'\"":
        raise refused(state.text, place + len(token), WORDS("no_f_string"))
    if token == "None" and state.rule:
        return
    if token == "for":
        message = WORDS("no_comprehension") if state.brackets else WORDS("no_loop")
        raise refused(state.text, place, message)
    if state.rule and token in ("def", "lambda", "return"):
        raise refused(state.text, place, WORDS("rule_alone"))
    if token == "lambda" and state.text[:place].rstrip()[-8:] == "py_func(":
        state.lambdas += 1
        return
    if keyword.iskeyword(token):
        message = OF_KEYWORDS.get(token) or WORDS("not_in_language", what=token)
        raise refused(state.text, place, message)
    if token.startswith("_"):
        raise refused(state.text, place, WORDS("underscore", name=cited(token)))


def _check_operator(state: _State, token: str, place: int) -> None:
    text = state.text
    if token == ".":
        owned = state.last[-1].isalnum() or state.last[-1] in "_)]"
        if not owned or not re.match(r"[A-Za-z_]", text[place + 1 :], re.ASCII):
            raise refused(text, place, WORDS("lone_dot"))
    if token in ("'", '"', "`"):
        raise refused(text, place, explain(token))
    if token[-1] == "=" and token not in _ALLOWED and token != ":=":
        message = WORDS("no_in_place_sign", token=token, sign=token[:-1])
        raise refused(text, place, message)
    if token == ":" and state.lambdas:
        state.lambdas -= 1
    elif token not in _ALLOWED:
        raise refused(text, place, OF_SIGNS.get(token) or explain(token[0]))
    if token in "([":
        state.brackets.append((token, place))
        if len(state.brackets) > MAX_DEPTH:
            raise refused(text, place, WORDS("deep_brackets", most=MAX_DEPTH))
    elif token in ")]":
        if not state.brackets or state.brackets[-1][0] != _PAIRS[token]:
            raise refused(text, place, WORDS("closes_nothing", bracket=token))
        state.brackets.pop()
    elif token not in ",=:":
        state.operators += 1
        # Every sign is an op or sits in front of a number; so this bounds Python's parser too.
        if state.operators > 3 * MAX_OPS:
            raise refused(text, place, WORDS("too_many_ops", most=MAX_OPS))
