"""The variable that a running expression will be assigned to, read off the program's source.

Python keeps, for each instruction, the stretch of source it came from. If that stretch is the
whole right side of an assignment, what the call returns is what the variable will hold.
"""

import ast
import contextlib
import copy
import linecache
import os
import sys
import warnings
from functools import lru_cache
from pathlib import Path
from types import CodeType, FrameType

import torch

_ENGINE = (
    *(
        os.path.join(os.path.realpath(folder), "")
        for folder in (
            Path(torch.__file__).parent,
            Path(__file__).parents[1],
            Path(__file__).parents[2] / "tricks",
        )
    ),
    os.path.realpath(copy.__file__),  # deepcopy calls a method of each tensor
    os.path.realpath(contextlib.__file__),  # a decorator calls what it decorates
    os.path.realpath(warnings.__file__),  # it calls what shows a warning
)
_WATCHER = f"{__name__.partition('.recorder.')[0]}.doctor."
_INSTALLED = ("site-packages", "dist-packages")
Place = tuple[int, int, int, int]
"""First line, last line, first column, end column, as Python's ``ast`` counts them."""
Where = tuple[str, Place]
"""A file, and lines and columns; both columns are 0 where Python was started to keep none."""


def assigned(where: Where | None) -> tuple[str, ...]:
    """The names that the expression there is assigned to; none where it is not."""
    return () if where is None else _in_file(where[0], _changed(where[0])).get(where[1], ())


def running() -> tuple[Where | None, Where | None]:
    """Locate the expression that is running, and the call around it.

    Calls within torch and the engine don't count. None if nothing else runs.
    """
    own = outside(sys._getframe(1))
    while own is not None and str(own.f_globals.get("__name__")).startswith(_WATCHER):
        own = outside(own.f_back)
    caller = None if own is None else outside(own.f_back)
    return where(own), where(caller)


@lru_cache(4096)
def line_of(where: Where | None) -> str:
    """ "train.py:12": the file as seen from the working folder, or from where it is installed."""
    if where is None:
        return ""
    path, place = Path(where[0]), where[1]
    installed = next((one for one in path.parents if one.name in _INSTALLED), None)
    if installed is not None:
        path = path.relative_to(installed)
    elif path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    else:
        path = Path(path.name)
    return f"{path}:{place[0]}"


def in_line(where: Where | None) -> str:
    """ " in train.py:12", to follow the name of an op; "" where the place is not known."""
    return f" in {line_of(where)}" if where else ""


def outside(frame: FrameType | None) -> FrameType | None:
    """This frame, or the nearest around it that is neither torch's nor the engine's."""
    while frame is not None and _engine_code(frame.f_code):
        frame = frame.f_back
    return frame


def where(frame: FrameType | None) -> Where | None:
    """The expression that runs in this frame."""
    if frame is None:
        return None
    # Code that is spelled the same in two files is equal, wherever it stands.
    code = frame.f_code
    return _place_at(code, code.co_filename, code.co_linetable, frame.f_lasti)


@lru_cache(4096)
def _engine_code(code: CodeType) -> bool:
    return os.path.realpath(code.co_filename).startswith(_ENGINE)


@lru_cache(4096)
def _place_at(code: CodeType, path: str, lines: bytes, instruction: int) -> Where:
    line, end_line, column, end_column = list(code.co_positions())[instruction // 2]
    return path, (line or 0, end_line or line or 0, column or 0, end_column or 0)


def parsed(path: str) -> ast.Module:
    """The syntax tree of a file as it is now; an empty one if it is no Python."""
    return _parsed(path, _changed(path))


def _changed(path: str) -> int:
    return os.stat(path).st_mtime_ns if os.path.exists(path) else 0


@lru_cache(64)
def _parsed(path: str, changed: int) -> ast.Module:
    linecache.checkcache(path)
    try:
        return ast.parse("".join(linecache.getlines(path)))
    except (SyntaxError, ValueError):
        return ast.Module([], [])


@lru_cache(64)
def _in_file(path: str, changed: int) -> dict[Place, tuple[str, ...]]:
    """Where each right side in a file lies, and the names on its left."""
    found: dict[Place, tuple[str, ...]] = {}
    for node in ast.walk(_parsed(path, changed)):
        if isinstance(node, ast.Assign):
            target, value = node.targets[0], node.value
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            target, value = node.target, node.value
        elif isinstance(node, ast.AugAssign):
            found[place_of(node)] = _names(node.target)
            continue
        else:
            continue
        found[place_of(value)] = _names(target)
    return found


def place_of(node: ast.expr | ast.stmt) -> Place:
    """Where an expression or a statement stands."""
    return (
        node.lineno,
        node.end_lineno or node.lineno,
        node.col_offset,
        node.end_col_offset or node.col_offset,
    )


def _names(target: ast.expr) -> tuple[str, ...]:
    if isinstance(target, ast.Name):
        return (target.id,)
    if isinstance(target, (ast.Tuple, ast.List)):
        return tuple(element.id if isinstance(element, ast.Name) else "" for element in target.elts)
    return ()
