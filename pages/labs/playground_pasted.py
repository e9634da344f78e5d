"""A function that was pasted: its body becomes the program, its arguments the inputs.

The playground shows a program as ``def program(x, u)``, and torch code is written so. What is not
plainly one function with one ``return`` at its end stays as it is, for the language to refuse.
"""

import re
from dataclasses import dataclass

from lessons.playground.language.spellings import MODULES

_BEFORE = re.compile(r"\s*(#.*|import\s.*|from\s.*)?", re.ASCII)
"""A line that may stand above the function and says nothing of what it computes."""
# No two parts that take the same characters stand side by side: a text that is meant to take long
# would be tried in all ways to share them.
_HEADER = re.compile(r"def\s+\w+\s*\(([^()]*)\)\s*(?:->[\w. ]+)?:\s*(?:#.*)?", re.ASCII)
_ARGUMENT = re.compile(r"([A-Za-z]\w*)", re.ASCII)
_TYPE = re.compile(r"[\w. ]+", re.ASCII)
_RETURN = re.compile(r"return\s+(\S.*)", re.ASCII)
_NAME = re.compile(r"([A-Za-z]\w*)\s*(?:#.*)?", re.ASCII)
_QUOTES = ('"""', "'''")


@dataclass(frozen=True)
class Pasted:
    """What a pasted function comes to.

    Args:
        program: its body, at the left edge.
        inputs: the names of its arguments.
        output: the name that it returns.
    """

    program: str
    inputs: tuple[str, ...]
    output: str


def pasted_function(text: str) -> Pasted | None:
    r"""The program that a pasted function is; None for any other text.

    >>> pasted_function("def f(x):\n    y = x * 2\n    return y + 1")
    Pasted(program='y = x * 2\nout = y + 1', inputs=('x',), output='out')
    >>> pasted_function("y = x * 2") is None
    True
    """
    lines = text.replace("\r\n", "\n").expandtabs(4).rstrip().split("\n")
    while lines and _BEFORE.fullmatch(lines[0]):
        del lines[0]
    header = _HEADER.fullmatch(lines[0].rstrip()) if lines else None
    if header is None:
        return None
    words = header[1].strip().removesuffix(",")
    arguments = [_argument(word) for word in words.split(",")] if words else []
    inputs = tuple(name for name in arguments if name)
    body = _body(lines[1:])
    ends = [place for place, line in enumerate(body) if re.match(r"\s*return\b", line)]
    if len(inputs) < len(arguments) or len(ends) != 1:
        return None
    kept, last = body[: ends[0]], body[ends[0] :]
    found = _RETURN.fullmatch(last[0])
    whole = _NAME.fullmatch(found[1]) if found else None
    if whole and len(last) == 1 and any(_gives(line, whole[1]) for line in kept):
        return Pasted("\n".join(kept).strip("\n"), inputs, whole[1])
    # A line after the return is a part of it only if it goes on within brackets.
    if found is None or any(line and not line.startswith((" ", ")", "]")) for line in last[1:]):
        return None
    name = next(n for n in ("out", "output", "result", "returned") if not _has(text, n))
    last[0] = f"{name} = {found[1]}"
    return Pasted("\n".join([*kept, *last]).strip("\n"), inputs, name)


def without_imports(text: str) -> tuple[str, list[str]]:
    r"""A program without the imports at its top that the language needs not, and these.

    >>> without_imports("import torch\nimport torch.nn.functional as F\ny = F.relu(x)")
    ('y = F.relu(x)', ['import torch', 'import torch.nn.functional as F'])
    >>> without_imports("import torch")
    ('import torch', [])
    """
    lines = text.replace("\r\n", "\n").split("\n")
    imports: list[str] = []
    above: list[str] = []
    for place, line in enumerate(lines):
        code = line.partition("#")[0]
        if _imports(code):
            imports.append(" ".join(code.split()))
        elif code.strip():
            return ("\n".join([*above, *lines[place:]]), imports) if imports else (text, [])
        elif line.strip() or above:
            above.append(line)
    return text, []  # nothing else yet: somebody is typing


def _imports(code: str) -> bool:
    """Whether a line imports nothing but modules that the language knows, by a name it knows."""
    words = code.split(maxsplit=4)
    if len(words) > 3 and words[0] == "from" and words[2] == "import":
        known = words[1].partition(".")[0] in MODULES
        named = " ".join(words[3:])
        return known and all(_plain(one) for one in named.split(","))
    parts = code.strip().removeprefix("import ").split(",")
    return words[:1] == ["import"] and all(
        _plain(one) and one.split()[0].partition(".")[0] in MODULES for one in parts
    )


def _plain(imported: str) -> bool:
    """Whether this is `name`, or `name as` one of the modules' usual names."""
    words = imported.split()
    if len(words) == 3:
        return words[1] == "as" and words[2] in MODULES
    return len(words) == 1 and words[0].replace(".", "").isidentifier()


def _argument(word: str) -> str | None:
    """The name of an argument, with its type perhaps; None where it is something else."""
    name, colon, kind = word.partition(":")
    found = _ARGUMENT.fullmatch(name.strip())
    return found[1] if found and (not colon or _TYPE.fullmatch(kind)) else None


def _body(lines: list[str]) -> list[str]:
    """A function's lines at the left edge, its docstring left out; none where one is outside."""
    first = next((line for line in lines if line.strip()), "")
    indent = first[: len(first) - len(first.lstrip())]
    if not indent or any(line.strip() and not line.startswith(indent) for line in lines):
        return []
    body = [line[len(indent) :].rstrip() for line in lines]
    while body and not body[0]:
        del body[0]
    for quotes in _QUOTES:
        if body[0].startswith(quotes):
            end = next((i for i, line in enumerate(body) if quotes in line[3 * (not i) :]), None)
            return [] if end is None else body[end + 1 :]
    return body


def _gives(line: str, name: str) -> bool:
    left, equals, _ = line.partition("=")
    return bool(equals) and name in (word.strip() for word in left.split(","))


def _has(text: str, name: str) -> bool:
    return re.search(rf"\b{name}\b", text, re.ASCII) is not None
