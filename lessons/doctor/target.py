"""What is traced: a function, a module, its class, or a function that makes one, from a file.

The file is run as Python runs it with `import`: on this machine, by whoever typed the command.
"""

import importlib.util
import inspect
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, NamedTuple

from torch import nn

from ..text import listed, visible
from .errors import TraceError, shortened


class Target(NamedTuple):
    """What to call, by which name, and the modules that it belongs to."""

    name: str
    call: Callable[..., Any]
    signature: inspect.Signature
    modules: dict[str, nn.Module]
    folder: str | None


def load(spec: str, given: Collection[str] = ()) -> Target:
    """The target of `FILE.py:NAME`; `given` are the names of the arguments that came.

    Raises:
        TraceError: no such file, nothing of that name in it, or the file does not run.
    """
    file, colon, name = spec.rpartition(":")
    if not colon or not name.isidentifier():
        raise TraceError(
            f"FILE.py or FILE.py:NAME is expected, as in train.py:loss; {visible(spec)} came."
        )
    path = Path(file)
    if not path.is_file():
        near = sorted(one.name for one in path.parent.glob("*.py")) if path.parent.is_dir() else []
        hint = f" There are {listed(near)} in that folder." if near else ""
        raise TraceError(f"There is no file {visible(file, 200)}.{hint}")
    module = _run(path)
    if not hasattr(module, name):
        own = [
            key for key, value in vars(module).items()
            if not key.startswith("_") and callable(value)
            and getattr(value, "__module__", None) == module.__name__
        ]  # fmt: skip
        raise TraceError(
            f"{path.name} has no {name}. It has {listed(own) or 'no function or class of its own'}."
        )
    return target(getattr(module, name), name, str(path.resolve().parent), given)


def _run(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise TraceError(f"{path.name} is no Python file: its name must end in .py.")
    module = importlib.util.module_from_spec(spec)
    folder = str(path.resolve().parent)
    sys.path.insert(0, folder)  # as `python FILE.py` would: it imports its neighbours
    sys.modules.setdefault(path.stem, module)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise TraceError(f"{path.name} does not run:\n{shortened(error, folder)}") from error
    return module


def target(
    thing: Any,
    name: str | None = None,
    folder: str | None = None,
    given: Collection[str] = (),
) -> Target:
    """What to trace of `thing`: itself, or the module that it makes when called with nothing.

    A function makes one where it is annotated so, or needs nothing and takes none of what was
    given.

    Raises:
        TraceError: it is none of the kinds, or could not be made.
    """
    name = name or str(getattr(thing, "__name__", type(thing).__name__))
    if (isinstance(thing, type) and issubclass(thing, nn.Module)) or (
        inspect.isfunction(thing) and _makes_a_module(thing, given)
    ):
        thing = _made(thing, name, folder)
    if isinstance(thing, nn.Module):
        return Target(name, thing, inspect.signature(thing.forward), {"": thing}, folder)
    if not callable(thing):
        raise TraceError(
            f"{name} is a {type(thing).__name__}; a function, an nn.Module, its class, or a "
            "function that makes one is expected."
        )
    own = getattr(thing, "__self__", None)
    modules = {"": own} if isinstance(own, nn.Module) else {}
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        raise TraceError(f"{name} does not say which arguments it takes.") from None
    return Target(name, thing, signature, modules, folder)


def _makes_a_module(function: Any, given: Collection[str]) -> bool:
    signature = inspect.signature(function)
    returns = signature.return_annotation
    annotated = isinstance(returns, type) and issubclass(returns, nn.Module)
    empty = inspect.Parameter.empty
    needs = any(one.default is empty for one in signature.parameters.values())
    return annotated or (bool(given) and not needs and not set(given) & set(signature.parameters))


def _made(make: Callable[[], Any], name: str, folder: str | None) -> Any:
    parameters = inspect.signature(make).parameters.values()
    needed = [
        one.name for one in parameters
        if one.default is one.empty and one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)
    ]  # fmt: skip
    if needed:
        raise TraceError(
            f"To make {name}, {listed(needed)} must be known. Write a function without arguments "
            f"that returns it, such as: def make(): return {name}(…), and trace that one."
        )
    try:
        return make()
    except Exception as error:
        raise TraceError(f"{name}() raised:\n{shortened(error, folder)}") from error
