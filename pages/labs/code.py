"""Python code in coloured pieces, some lines marked."""

import re
from collections.abc import Sequence

from pygments.lexers.python import PythonLexer  # type: ignore[import-untyped]
from pygments.token import Token  # type: ignore[import-untyped]

from pages.labs.messages import Pane

# Lines are numbered by what marks them: none is added, none left out.
_LEXER = PythonLexer(ensurenl=False, stripnl=False)
_KINDS = {
    Token.Keyword: "keyword",
    Token.Operator.Word: "keyword",
    Token.Literal.String: "string",
    Token.Literal.Number: "number",
    Token.Comment: "comment",
}


def marked_lines(source: str, text: str) -> list[int]:
    """The lines where this text stands, 0 for the first; none if it stands nowhere."""
    starts = [found.start() for found in re.finditer(re.escape(text), source)] if text else []
    firsts = [source.count("\n", 0, start) for start in starts]
    return [line + n for line in firsts for n in range(text.count("\n") + 1)]


def pane(source: str, marks: Sequence[int] = ()) -> Pane:
    """The source as the lab takes it; ``marks`` are lines."""
    return {"lines": coloured(source), "marks": [*marks]}


def coloured(source: str) -> list[list[tuple[str, str]]]:
    """Each line as pieces of kind and text; most have no kind."""
    lines: list[list[tuple[str, str]]] = [[]]
    for found, text in _LEXER.get_tokens(source.rstrip("\n")):
        kind = next((kind for types, kind in _KINDS.items() if found in types), "")
        for row, part in enumerate(text.split("\n")):
            if row:
                lines.append([])
            if lines[-1] and lines[-1][-1][0] == kind:
                part = lines[-1].pop()[1] + part
            if part:
                lines[-1].append((kind, part))
    return lines
