"""Python code as a page shows it: in colours, what changed in it, with shorter signatures."""

import ast
import difflib
import html
import re
from collections.abc import Mapping

from pages.labs.code import TAGS, Mark, coloured


def markup(source: str, marks: Mapping[int, Mark] | None = None, label: str = "Code") -> str:
    """Write the source as HTML, everything in it escaped; a long line wraps behind its indent."""
    rows = []
    for number, pieces in enumerate(coloured(source)):
        tag = TAGS[marks[number]] if marks and number in marks else "span"
        indent = len(pieces[0][1]) - len(pieces[0][1].lstrip()) if pieces else 0
        line = "".join(
            f'<span class="{kind}">{html.escape(text)}</span>' if kind else html.escape(text)
            for kind, text in pieces
        )
        rows.append(f'<{tag} class="gt-row" style="--indent:{indent}">{line or " "}\n</{tag}>')
    return (
        '<pre class="gt-code gt-wrap" role="region" '
        f'aria-label="{html.escape(label)}"><code>{"".join(rows)}</code></pre>'
    )


def output(text: str) -> str:
    """Write a program's output as HTML."""
    return f'<pre class="gt-code gt-failure"><code>{html.escape(text)}</code></pre>'


def difference(before: str, after: str) -> tuple[str, dict[int, Mark]]:
    """Write both sources as one listing; return it, and which lines to mark."""
    lines = [
        line
        for line in difflib.ndiff(before.splitlines(), after.splitlines())
        if not line.startswith("?")
    ]
    kinds: dict[str, Mark] = {"-": "removed", "+": "added"}
    marks = {row: kinds[line[0]] for row, line in enumerate(lines) if line[0] in kinds}
    return "\n".join(line[2:] for line in lines), marks


def bare(source: str) -> str:
    """Shorten each signature to one line, without types and remarks for linters.

    In a narrow column they take more room than they are worth.
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
