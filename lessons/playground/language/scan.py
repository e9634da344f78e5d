"""Looks at a program's characters before Python's parser does, and bounds what it will be given.

Python's own parser can be driven out of its stack or memory by deep nesting, and its errors are
not for learners. So every character, bracket, sign and word is checked here first; what passes is
plain ASCII but for its comments, and of bounded length and depth.
"""

import keyword
import re

from lessons.gradient_tricks.text import cited
from lessons.playground.language.functions import CALLABLE
from lessons.playground.language.limits import (
    MAX_CHARACTERS,
    MAX_DEPTH,
    MAX_DIGITS,
    MAX_NAME,
    MAX_OPS,
    MAX_RULE_CHARACTERS,
)
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.language.refusals import OF_KEYWORDS, OF_SIGNS, explain, no_name, unshowable
from lessons.playground.language.words import WORDS

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


def scan(text: str, rule: bool = False) -> None:
    """Check every character and token.

    Args:
        rule: the text is one rule of an override map, where None is allowed.

    Raises:
        PlaygroundError: the first thing that cannot be, at its line and column.
    """
    most = MAX_RULE_CHARACTERS if rule else MAX_CHARACTERS
    if len(text) > most:
        raise PlaygroundError(WORDS("long_text", count=len(text), most=most))
    scanner = _Scanner(text, rule)
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        kind = match.lastgroup if match else ""
        if not match or (kind != "comment" and not match[0].isascii()):
            lone = text[place] == "\r"
            said = WORDS("carriage_return") if lone else explain(text[place])
            raise scanner.refusal(place, said)
        scanner.token(str(kind), match[0], place)
        place = match.end()
    if scanner.brackets:
        bracket, where = scanner.brackets[-1]
        raise scanner.refusal(where, WORDS("never_closed", bracket=bracket))


class _Scanner:
    """Checks token after token."""

    def __init__(self, text: str, rule: bool) -> None:
        self.text, self.rule = text, rule
        self.brackets: list[tuple[str, int]] = []  # those that are open, with their places
        self.signs = 0  # + and - in a row
        self.operators = 0  # all so far
        self.last, self.last_place = "\n", 0
        self.line_start = True
        self.lambdas = 0  # of py_func whose colon is still to come

    def refusal(self, place: int, message: str) -> PlaygroundError:
        """The error at this offset of the text."""
        before = self.text[:place]
        return PlaygroundError(message, before.count("\n") + 1, place - before.rfind("\n"))

    def token(self, kind: str, token: str, place: int) -> None:
        """Check the next token.

        Raises:
            PlaygroundError: it cannot be here.
        """
        following = self.text[place + len(token) : place + len(token) + 1]
        match kind:
            case "newline":
                self.line_start = not self.brackets
                self.last = token if self.line_start else self.last
                return
            case "space":
                if self.line_start and not self.rule and following not in ("", "\n", "#"):
                    raise self.refusal(place, WORDS("indented"))
                return
            case "comment":
                if bad := unshowable(token):
                    raise self.refusal(place + token.index(bad), explain(bad))
                return
            case "number" | "name" if not self.line_start:
                self._check_sign_between(token, place)
        if kind == "number":
            self._check_number(token, place)
        elif kind == "name":
            self._check_name(token, place, following)
        else:
            self._check_operator(token, place)
        self.signs = self.signs + 1 if kind == "operator" and token in "+-" else 0
        if self.signs > MAX_DEPTH:
            raise self.refusal(place, WORDS("many_signs", most=MAX_DEPTH))
        self.last, self.last_place, self.line_start = token, place, False

    def _check_sign_between(self, token: str, place: int) -> None:
        """Refuse two names or numbers with no operator between them."""
        last = self.last
        side_by_side = last[-1].isalnum() or last[-1] in "_)]"
        if not side_by_side or keyword.iskeyword(token) or last == "lambda":
            return
        if self.brackets and "\n" in self.text[self.last_place : place]:
            bracket, where = self.brackets[-1]
            raise self.refusal(where, WORDS("not_closed_in_line", bracket=bracket))
        if last in CALLABLE:
            said = WORDS("brackets_missing", name=last, operand=token)
            raise self.refusal(self.last_place, said)
        shown = f"“{last}”" if last in ")]" else last
        raise self.refusal(place, WORDS("sign_missing", left=shown, right=token))

    def _check_number(self, token: str, place: int) -> None:
        if len(token) > MAX_DIGITS:
            raise self.refusal(place, WORDS("long_number", count=len(token), most=MAX_DIGITS))
        if _NUMBER.fullmatch(token):
            return
        factor = re.fullmatch(r"(\d+\.?\d*)([A-Za-z]\w*)", token, re.ASCII)
        said = WORDS("not_a_number", number=cited(token))
        if factor and factor[2].lower() not in ("j", "l") and not token.startswith("0"):
            said = WORDS("sign_missing", left=factor[1], right=factor[2])
        raise self.refusal(place, said)

    def _check_name(self, token: str, place: int, following: str) -> None:
        said = ""
        if len(token) > MAX_NAME:
            said = no_name(token)
        elif following and following in "'\"":
            place, said = place + len(token), WORDS("no_f_string")
        elif token == "for" and self.brackets:
            said = WORDS("no_comprehension")
        elif self.rule and token in ("def", "lambda", "return"):
            said = WORDS("rule_alone")
        elif token == "lambda" and self.text[:place].rstrip().endswith("py_func("):
            self.lambdas += 1
        elif keyword.iskeyword(token) and not (token == "None" and self.rule):
            said = OF_KEYWORDS.get(token) or WORDS("not_in_language", what=token)
        elif token.startswith("_"):
            said = WORDS("underscore", name=cited(token))
        if said:
            raise self.refusal(place, said)

    def _check_operator(self, token: str, place: int) -> None:
        if token == ".":
            owned = self.last[-1].isalnum() or self.last[-1] in "_)]"
            if not owned or not re.match(r"[A-Za-z_]", self.text[place + 1 :], re.ASCII):
                raise self.refusal(place, WORDS("lone_dot"))
        if token[-1] == "=" and token not in _ALLOWED and token != ":=":
            said = WORDS("no_in_place_sign", token=token, sign=token[:-1])
            raise self.refusal(place, said)
        if token == ":" and self.lambdas:
            self.lambdas -= 1
        elif token not in _ALLOWED:
            strange = WORDS("not_in_language", what=token) if token[1:] else explain(token)
            raise self.refusal(place, OF_SIGNS.get(token) or strange)
        if token in "([":
            self.brackets.append((token, place))
            if len(self.brackets) > MAX_DEPTH:
                raise self.refusal(place, WORDS("deep_brackets", most=MAX_DEPTH))
        elif token in ")]":
            if not self.brackets or self.brackets[-1][0] != _PAIRS[token]:
                raise self.refusal(place, WORDS("closes_nothing", bracket=token))
            self.brackets.pop()
        elif token not in ",=:":
            self.operators += 1
            # Every sign is an op or sits in front of a number; so this bounds Python's parser too.
            if self.operators > 3 * MAX_OPS:
                raise self.refusal(place, WORDS("too_many_ops", most=MAX_OPS))
