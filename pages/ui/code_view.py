"""Python code on a page with some lines marked, which st.code cannot do: plain HTML, no script."""

import ast
import difflib
import html
import io
import keyword
import re
import token
import tokenize
from collections.abc import Mapping
from typing import Literal

import streamlit as st

Mark = Literal["trick", "added", "removed"]

_TAGS: dict[Mark, str] = {"trick": "mark", "added": "ins", "removed": "del"}


def show_code(
    source: str, marks: Mapping[int, Mark] | None = None, label: str = "Code", wrap: bool = False
) -> None:
    """Show Python source; ``marks`` by line, 0 for the first; ``wrap`` is for narrow columns."""
    st.html(markup(source, marks or {}, label, wrap))


def marked_lines(source: str, text: str) -> dict[int, Mark]:
    """Marks on the lines where this text stands; none if it stands nowhere."""
    start = source.find(text) if text else -1
    if start < 0:
        return {}
    first = source.count("\n", 0, start)
    return dict.fromkeys(range(first, first + text.count("\n") + 1), "trick")


def difference(before: str, after: str) -> tuple[str, dict[int, Mark]]:
    """One listing of what changed from one source to the other, and which lines to mark."""
    old, new = before.splitlines(), after.splitlines()
    lines: list[str] = []
    marks: dict[int, Mark] = {}

    def add(some: list[str], mark: Mark | None = None) -> None:
        for line in some:
            if mark:
                marks[len(lines)] = mark
            lines.append(line)

    for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            add(new[c:d])
        else:
            add(old[a:b], "removed")
            add(new[c:d], "added")
    return "\n".join(lines), marks


def bare(source: str) -> str:
    """The source with its signatures on one line each, without types and remarks on types.

    They cost a narrow column more room than they tell a reader of a few lines.
    """
    lines = re.sub(r" *# type: ignore.*", "", source).splitlines()
    found = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    for node in sorted(found, key=lambda node: -node.lineno):
        ends = [one.end_lineno or 0 for one in ast.walk(node.args) if isinstance(one, ast.arg)]
        below = max([node.lineno, *ends, (node.returns and node.returns.end_lineno) or 0])
        while below < len(lines) and not lines[below - 1].rstrip().endswith(":"):
            below += 1  # to the closing bracket
        if node.body[0].lineno <= below:
            continue  # a function on one line
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                argument.annotation = None
        indent = " " * node.col_offset
        head = f"{indent}def {node.name}({ast.unparse(node.args)}):"
        lines[node.lineno - 1 : below] = [head]
    return "\n".join(lines)


def markup(source: str, marks: Mapping[int, Mark], label: str = "Code", wrap: bool = False) -> str:
    """The source as HTML; everything in it is escaped."""
    rows = []
    for number, (line, text) in enumerate(zip(_coloured(source), source.split("\n"), strict=False)):
        tag = _TAGS[marks[number]] if number in marks else "span"
        hang = f' style="--indent:{len(text) - len(text.lstrip())}"' if wrap else ""
        rows.append(f'<{tag} class="gt-row"{hang}>{line or " "}\n</{tag}>')
    return (
        f'<pre class="gt-code{" gt-wrap" if wrap else ""}" tabindex="0" role="region" '
        f'aria-label="{html.escape(label)}"><code>{"".join(rows)}</code></pre>'
    )


def _coloured(source: str) -> list[str]:
    """Each line escaped, its words in spans by kind."""
    lines = source.rstrip("\n").split("\n")
    pieces: list[list[tuple[int, int, str]]] = [[] for _ in lines]
    try:
        for found in tokenize.generate_tokens(io.StringIO(source).readline):
            kind = _kind(found)
            (top, left), (bottom, right) = found.start, found.end
            for row in range(top, bottom + 1) if kind else ():
                begin = left if row == top else 0
                end = right if row == bottom else len(lines[row - 1])
                pieces[row - 1].append((begin, end, kind))
    except (tokenize.TokenError, SyntaxError, IndexError):
        pass  # not whole Python, as a listing of changes: as far as it went
    return [_line(text, spans) for text, spans in zip(lines, pieces, strict=True)]


def _line(text: str, spans: list[tuple[int, int, str]]) -> str:
    out, at = "", 0
    for begin, end, kind in spans:
        out += html.escape(text[at:begin])
        out += f'<span class="{kind}">{html.escape(text[begin:end])}</span>'
        at = end
    return out + html.escape(text[at:])


def _kind(found: tokenize.TokenInfo) -> str:
    if found.type == token.NAME and keyword.iskeyword(found.string):
        return "keyword"
    kinds = {token.STRING: "string", token.NUMBER: "number", token.COMMENT: "comment"}
    return kinds.get(found.type, "")
