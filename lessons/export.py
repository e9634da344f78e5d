"""Writes a lesson as one runnable Python file that needs only torch.

The file is not a template: it is cut out of the sources that the app itself runs. Starting from
the names that its last lines use, every top-level statement they need is followed through this
package's modules and copied; what comes from torch or the standard library is imported.
"""

import ast
import importlib
import json  # noqa: F401  (exported files print JSON)
import math
import symtable
from collections.abc import Collection, Sequence
from functools import cache
from types import ModuleType

import torch

from lessons.graph.cutting import Cut, cut
from lessons.lesson import Lesson
from lessons.parameters import Values
from lessons.training import script as training_script

_HEAD = '''"""{title}

{slug}, from Gradient Tricks Lab, with the settings of your screen. Needs Python and torch:

    python {slug}.py

It prints one JSON object: the forward value and each gradient at your inputs.
"""
'''


class ExportError(RuntimeError):
    """The sources use something the exporter cannot follow; says what and where."""


def plain(values: torch.Tensor) -> list[float | str]:
    """The numbers of a tensor for JSON: unrounded, NaN and infinities as text."""
    numbers = values.detach().to("cpu", torch.float64).flatten().tolist()
    return [number if math.isfinite(number) else str(number) for number in numbers]


def export(lesson: Lesson, values: Values, cuts: Collection[Cut] = ()) -> str:
    """The file's text for this lesson, these values, and these edges of its graph cut.

    Raises:
        ExportError: a lesson's source cannot be carried over.
    """
    program = lesson.program.__name__
    script = lesson.lab.script(program, values)
    homes = [lesson.program.__module__, lesson.lab.compute.__module__]
    homes += [__name__, training_script.__name__]
    if cuts:
        script = f"{_cut_line(program, cuts)}\n{script}"
        homes.append(cut.__module__)
    return _HEAD.format(title=lesson.title, slug=lesson.slug) + "\n" + bundle(script, homes)


def with_cuts(lesson: Lesson, cuts: Collection[Cut]) -> str:
    """The program's source, and how it is cut open if it is."""
    if not cuts:
        return lesson.source
    return f"{lesson.source}\n\n{_cut_line(lesson.program.__name__, cuts)}\n"


def _cut_line(program: str, cuts: Collection[Cut]) -> str:
    pairs = ", ".join(f"({op!r}, {operand})" for op, operand in sorted(cuts))
    return f"{program} = cut({program}, [{pairs}])"


def bundle(script: str, homes: Sequence[str]) -> str:
    """A script with all that it uses of this package in front: it then needs only torch.

    Args:
        script: Python that reads names of these modules.
        homes: the modules, the first that has a name wins.

    Raises:
        ExportError: a source cannot be carried over.
    """
    gathered = _Gathered()
    for name in names_read(script):
        for home in homes:
            if name in _statements(home) or name in _imports(home):
                gathered.take(home, name)
                break
    imports = "\n".join(sorted(gathered.imports, key=lambda line: (line.startswith("from"), line)))
    future = "from __future__ import annotations"  # one may name what is only defined further down
    parts = [future, imports, *gathered.sources, script]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def names_read(script: str) -> list[str]:
    """Every name that a script reads of what is around it, in order: no parameter, no local.

    >>> names_read("def double(x):\\n    y = 2 * x\\n    return clip(y, low)")
    ['clip', 'low']
    """
    found: dict[str, None] = {}
    tables = [symtable.symtable(script, "<unknown>", "exec")]
    while tables:
        table = tables.pop(0)
        tables += table.get_children()
        top = table.get_type() == "module"
        read = (one for one in table.get_symbols() if one.is_referenced())
        found |= {one.get_name(): None for one in read if top or one.is_global()}
    return list(found)


class _Gathered:
    """What has been collected so far: import lines and statements, dependencies first."""

    def __init__(self) -> None:
        self.imports: dict[str, None] = {}
        self.sources: list[str] = []
        self._homes: dict[str, str] = {}
        self._done: set[tuple[str, int]] = set()

    def take(self, home: str, name: str) -> None:
        """Collect the statement that defines this name in this module, and what it needs."""
        if name in _imports(home):
            origin, original, line = _imports(home)[name]
            if origin.split(".")[0] != __package__:
                self.imports[line] = None
            elif original is None or original != name:
                raise ExportError(f"{home}: import {name} from {origin} under its own name")
            else:
                self.take(origin, name)
            return
        if self._homes.setdefault(name, home) != home:
            raise ExportError(f"{name} is defined in {home} and in {self._homes[name]}")
        statement = _statements(home)[name]
        if (home, statement.lineno) in self._done:
            return
        self._done.add((home, statement.lineno))
        for needed in _names(statement):
            if needed in _statements(home) or needed in _imports(home):
                self.take(home, needed)
        self.sources.append(_source_of(home, statement))


@cache
def _module(home: str) -> tuple[ModuleType, str, ast.Module]:
    module = importlib.import_module(home)
    if module.__file__ is None:
        raise ExportError(f"{home} has no source file")
    with open(module.__file__, encoding="utf-8") as file:
        text = file.read()
    return module, text, ast.parse(text)


@cache
def _statements(home: str) -> dict[str, ast.stmt]:
    """The top-level statement behind each name a module defines."""
    found: dict[str, ast.stmt] = {}
    for statement in _module(home)[2].body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            found[statement.name] = statement
        elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            found |= {target.id: statement for target in targets if isinstance(target, ast.Name)}
    return found


@cache
def _imports(home: str) -> dict[str, tuple[str, str | None, str]]:
    """For each imported name: the module, its name there (None: the module itself), the line."""
    found: dict[str, tuple[str, str | None, str]] = {}
    for statement in _module(home)[2].body:
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                name = alias.asname or alias.name.split(".")[0]
                line = f"import {alias.name}" + (f" as {alias.asname}" if alias.asname else "")
                found[name] = (alias.name, None, line)
        elif isinstance(statement, ast.ImportFrom) and statement.module:
            for alias in statement.names:
                as_name = f" as {alias.asname}" if alias.asname else ""
                line = f"from {statement.module} import {alias.name}{as_name}"
                found[alias.asname or alias.name] = (statement.module, alias.name, line)
    return found


def _names(node: ast.AST) -> list[str]:
    """Every name a piece of code reads, in order, each once."""
    read = (n.id for n in ast.walk(node) if isinstance(n, ast.Name))
    return list(dict.fromkeys(read))


def _source_of(home: str, statement: ast.stmt) -> str:
    lines = _module(home)[1].splitlines()
    decorators = getattr(statement, "decorator_list", [])
    start = min([statement.lineno, *(decorator.lineno for decorator in decorators)])
    return "\n".join(lines[start - 1 : statement.end_lineno])
