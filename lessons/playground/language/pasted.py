"""Code that was pasted over a program: what becomes the program, its inputs and its output.

The playground shows a program as ``def program(x, u)``, and torch code is written so: the body of
such a function becomes the program, its arguments the inputs. What is not plainly one function with
one ``return`` at its end stays as it is, for the language to refuse.
"""

import ast
import textwrap
from dataclasses import dataclass

from lessons.playground.language.expressions import Program
from lessons.playground.language.spellings import MODULES


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
    statements = _parsed(text) if "def " in text else []
    function = statements[-1] if statements else None
    if not isinstance(function, ast.FunctionDef) or function.decorator_list:
        return None
    body = function.body[ast.get_docstring(function) is not None :]
    returns = [node for node in ast.walk(function) if isinstance(node, ast.Return)]
    inputs = tuple(argument.arg for argument in function.args.args)
    only = ast.unparse(function.args) == ", ".join(map(ast.unparse, function.args.args))
    before = all(isinstance(one, ast.Import | ast.ImportFrom) for one in statements[:-1])
    if not (before and only and body and returns == body[-1:]):
        return None
    end = returns[0]
    lines = text.expandtabs(4).splitlines()
    inside = textwrap.dedent("\n".join(lines[body[0].lineno - 1 : end.end_lineno])).split("\n")
    kept, last = inside[: end.lineno - body[0].lineno], inside[end.lineno - body[0].lineno :]
    if end.value is None or body[0].lineno == function.lineno or last[0][:7] != "return ":
        return None
    used = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
    if isinstance(end.value, ast.Name):
        name = end.value.id
        if any(node.id == name and isinstance(node.ctx, ast.Store) for node in used):
            return Pasted("\n".join(kept).strip("\n"), inputs, name)
    taken = {*inputs, *(node.id for node in used)}
    name = next(n for n in ("out", "output", "result", "returned") if n not in taken)
    last[0] = f"{name} = {last[0][7:]}"
    return Pasted("\n".join([*kept, *last]), inputs, name)


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
        code = line.partition("#")[0].strip()
        statements = _parsed(code)
        if statements and all(map(_imports, statements)):
            imports.append(" ".join(code.split()))
        elif code:
            return ("\n".join([*above, *lines[place:]]), imports) if imports else (text, [])
        elif line.strip() or above:
            above.append(line)
    return text, []  # nothing else yet: somebody is typing


def output_after(before: Program, program: Program, output: str, intended: str) -> tuple[str, str]:
    """The output of a program that ends otherwise than the one before, and what to say of it.

    A program that is pasted over another may share a name with it by chance, such as z. Its own
    end is what its author looks at.
    """
    name, last = output.strip(), program.names[-1]
    if name in ("", last) or last in (before.names[-1], intended):
        return output, ""
    if _line_of(program, name) == _line_of(before, name):
        return output, (
            f"The output is still {name}, not the last name, {last}. Change it under “Output”."
        )
    return "", f"The output is now {last}, the last name; it was {name}."


def _line_of(program: Program, name: str) -> str:
    """The text that gives a name; empty where none does."""
    found = (line for line in program.assignments if name in line.names)
    return next((program.text[line.span.start : line.span.end] for line in found), "")


def _parsed(text: str) -> list[ast.stmt]:
    """The statements of a text; none where Python cannot read it."""
    try:
        return ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _imports(statement: ast.stmt) -> bool:
    """Whether this imports nothing but modules that the language knows, by a name it knows."""
    if isinstance(statement, ast.ImportFrom):
        modules = [statement.module or ""]
    elif isinstance(statement, ast.Import):
        modules = [one.name for one in statement.names]
    else:
        return False
    known = all(module.partition(".")[0] in MODULES for module in modules)
    return known and all(one.asname in {None, *MODULES} for one in statement.names)
