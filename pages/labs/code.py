"""Python code in coloured pieces, some lines marked: as HTML for a page, as data for the lab."""

import ast
import difflib
import html
import re
from collections.abc import Mapping, Sequence
from typing import Literal

from pygments.lexers.python import PythonLexer  # type: ignore[import-untyped]
from pygments.token import Token  # type: ignore[import-untyped]

from pages.labs.messages import Pane

Mark = Literal["trick", "added", "removed"]

# Lines are numbered by what marks them: none is added, none left out.
_LEXER = PythonLexer(ensurenl=False, stripnl=False)
_KINDS = {
    Token.Keyword: "keyword",
    Token.Operator.Word: "keyword",
    Token.Literal.String: "string",
    Token.Literal.Number: "number",
    Token.Comment: "comment",
}

_TAGS: dict[Mark, str] = {"trick": "mark", "added": "ins", "removed": "del"}


def marked_lines(source: str, text: str) -> dict[int, Mark]:
    """Marks on the lines where this text stands, each time; none if it stands nowhere."""
    starts = [found.start() for found in re.finditer(re.escape(text), source)] if text else []
    firsts = [source.count("\n", 0, start) for start in starts]
    return {line + n: "trick" for line in firsts for n in range(text.count("\n") + 1)}


def difference(before: str, after: str) -> tuple[str, dict[int, Mark]]:
    """One listing of what changed from one source to the other, and which lines to mark."""
    lines = [
        line
        for line in difflib.ndiff(before.splitlines(), after.splitlines())
        if not line.startswith("?")
    ]
    kinds: dict[str, Mark] = {"-": "removed", "+": "added"}
    marks = {row: kinds[line[0]] for row, line in enumerate(lines) if line[0] in kinds}
    return "\n".join(line[2:] for line in lines), marks


def bare(source: str) -> str:
    """The source with its signatures on one line each, without types and remarks for linters.

    They cost a narrow column more room than they tell a reader of a few lines.
    """
    lines = re.sub(r" *# (type: ignore|noqa).*", "", source).splitlines()
    found = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    for node in sorted(found, key=lambda node: -node.lineno):
        if node.body[0].lineno == node.lineno:
            continue  # a function on one line
        below = node.lineno
        while not lines[below - 1].rstrip().endswith(":"):
            below += 1
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                argument.annotation = None
        indent = " " * node.col_offset
        head = f"{indent}def {node.name}({ast.unparse(node.args)}):"
        lines[node.lineno - 1 : below] = [head]
    return "\n".join(lines)


def pane(source: str, marks: Mapping[int, Mark] | None = None, remarks: Sequence[str] = ()) -> Pane:
    """The source as the lab takes it; ``marks`` by line, 0 for the first; ``remarks`` go below."""
    return {
        "lines": [[[kind, text] for kind, text in line] for line in _coloured(source)],
        "marks": {str(line): _TAGS[mark] for line, mark in (marks or {}).items()},
        "remarks": list(remarks),
    }


def markup(
    source: str, marks: Mapping[int, Mark] | None = None, label: str = "Code", wrap: bool = False
) -> str:
    """The source as HTML, everything in it escaped; ``wrap`` is for narrow columns."""
    rows = []
    for number, pieces in enumerate(_coloured(source)):
        tag = _TAGS[marks[number]] if marks and number in marks else "span"
        indent = len(pieces[0][1]) - len(pieces[0][1].lstrip()) if pieces else 0
        hang = f' style="--indent:{indent}"' if wrap else ""
        line = "".join(
            f'<span class="{kind}">{html.escape(text)}</span>' if kind else html.escape(text)
            for kind, text in pieces
        )
        rows.append(f'<{tag} class="gt-row"{hang}>{line or " "}\n</{tag}>')
    return (
        f'<pre class="gt-code{" gt-wrap" if wrap else ""}" tabindex="0" role="region" '
        f'aria-label="{html.escape(label)}"><code>{"".join(rows)}</code></pre>'
    )


def _coloured(source: str) -> list[list[tuple[str, str]]]:
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
