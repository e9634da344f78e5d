"""Python code as a page shows it: in colours, and what changed in it."""

import difflib
import html
from collections.abc import Mapping
from typing import Literal

from pages.labs.code import coloured

Mark = Literal["added", "removed"]
_TAGS: dict[Mark, str] = {"added": "ins", "removed": "del"}
"""The HTML element that marks a line."""


def markup(source: str, marks: Mapping[int, Mark] | None = None, label: str = "") -> str:
    """Write the source as HTML, everything in it escaped."""
    rows = []
    for number, pieces in enumerate(coloured(source)):
        tag = _TAGS[marks[number]] if marks and number in marks else "span"
        line = "".join(
            f'<span class="{kind}">{html.escape(text)}</span>' if kind else html.escape(text)
            for kind, text in pieces
        )
        code = "".join(text for _, text in pieces)
        indent = len(code) - len(code.lstrip())
        style = f' style="--indent: {indent}ch"' if indent else ""
        rows.append(f'<{tag} class="gt-row"{style}>{line or " "}\n</{tag}>')
    head = f'<pre class="gt-code" role="region" aria-label="{html.escape(label)}">'
    return f"{head}<code>{''.join(rows)}</code></pre>"


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
