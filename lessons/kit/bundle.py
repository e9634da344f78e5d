"""Cuts a file that needs only torch out of the sources that the app itself runs.

Starting from the names that a script uses, every top-level statement they need is followed through
this package's modules and copied; what comes from torch or the standard library is imported.
"""

import ast
import importlib
import importlib.util
import json  # noqa: F401  (exported files print JSON)
import math
import symtable
from collections.abc import Sequence
from functools import cache
from types import ModuleType

import torch

_OURS = __name__.split(".")[0]


class ExportError(RuntimeError):
    """The sources use something the exporter cannot follow; says what and where."""


def plain(values: torch.Tensor) -> list[float | str]:
    """The numbers of a tensor for JSON: unrounded, NaN and infinities as text."""
    numbers = values.detach().to("cpu", torch.float64).flatten().tolist()
    return [number if math.isfinite(number) else str(number) for number in numbers]


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
            if origin.split(".")[0] != _OURS:
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
            origin = "." * statement.level + statement.module
            origin = importlib.util.resolve_name(origin, _module(home)[0].__package__)
            for alias in statement.names:
                as_name = f" as {alias.asname}" if alias.asname else ""
                line = f"from {origin} import {alias.name}{as_name}"
                found[alias.asname or alias.name] = (origin, alias.name, line)
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
