"""What is traced: a function, a module, its class, or a function that makes one, from a file.

The file is run as Python runs it with `import`: on this machine, by whoever typed the command.
Arguments are Python expressions: `x=-2,-1,1`, `x=[[1,2],[3,4]]`, or `x=randn(2,3):0`, drawn with
the seed 0. `m=randn(4)@constant` wants no gradient, `m=randn(4)@grad` wants one.
"""

import importlib.util
import inspect
import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import nn

from ..text import listed, visible
from .errors import TraceError, shortened

HELP = (
    "a Python expression that may use torch's names, such as x=-2,-1,1 or x=[[1,2],[3,4]] or "
    "x=tensor([1,2],dtype=float64) or x=randn(2,3):0, drawn with the seed 0. Add @constant for no "
    "gradient, @grad for one"
)
_TEXT = re.compile(r"(.*?)(?::(\d{1,9}))?\s*(?:@(constant|grad))?\s*", re.DOTALL)
"""An expression, the seed of its random numbers, and whether it wants a gradient."""
_PLAIN = {"int": int, "float": float, "str": str, "bool": bool}


class Target(NamedTuple):
    """A callable with its name, and the module that it belongs to under the name ""."""

    name: str
    call: Callable[..., Any]
    signature: inspect.Signature
    modules: dict[str, nn.Module]
    folder: str | None

    def given(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """The tensors and the modules among the arguments, each with a name."""
        try:
            arguments = self.signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise TraceError(f"{self.name}{self.signature}: {error}.") from None
        for name, value in arguments.items():
            kind = self.signature.parameters[name].kind
            named = value if kind is kind.VAR_KEYWORD else {name: value}
            for word in named:
                yield from _within(word, named[word])


def _within(name: str, value: Any, depth: int = 3) -> Iterator[tuple[str, Any]]:
    """Yield each tensor and module in an argument, with a name; look into lists."""
    if isinstance(value, (torch.Tensor, nn.Module)):
        yield name, value
    elif isinstance(value, (list, tuple)) and depth:
        for place, one in enumerate(value):
            yield from _within(f"{name}_{place}", one, depth - 1)


def load(spec: str, given: Collection[str] = ()) -> Target:
    """The target of `FILE.py:NAME`; `given` are the names of the arguments.

    Raises:
        TraceError: no such file, nothing of that name in it, or the file does not run.
    """
    file, colon, name = spec.rpartition(":")
    if not colon or not name.isidentifier():
        raise TraceError(
            f"FILE.py or FILE.py:NAME is expected, as in train.py:loss; got {visible(spec)}."
        )
    path = Path(file)
    if not path.is_file():
        raise TraceError(f"There is no file {visible(file, 200)}.")
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
    """Find what to trace of `thing`: itself, or the module that it makes when called with nothing.

    A function makes one where it is annotated so, or needs nothing and takes none of what was
    given.

    Raises:
        TraceError: it is none of the kinds, or could not be made.
    """
    name = name or str(getattr(thing, "__name__", type(thing).__name__))
    if (isinstance(thing, type) and issubclass(thing, nn.Module)) or (
        inspect.isfunction(thing) and _makes_a_module(thing, given)
    ):
        try:
            thing = thing()
        except Exception as error:
            raise TraceError(
                f"{name}() raised:\n{shortened(error, folder)}\nWhat needs arguments is made in a "
                f"function without any, def make(): return {name}(…). Trace that one."
            ) from error
    if isinstance(thing, nn.Module):
        return Target(name, thing, inspect.signature(thing.forward), {"": thing}, folder)
    if not callable(thing):
        raise TraceError(
            f"{name} is a {type(thing).__name__}; a function, an nn.Module, its class, or a "
            "function that makes one is expected."
        )
    own = getattr(thing, "__self__", None)
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        raise TraceError(f"{name} does not say which arguments it takes.") from None
    return Target(name, thing, signature, {"": own} if isinstance(own, nn.Module) else {}, folder)


def _makes_a_module(function: Any, given: Collection[str]) -> bool:
    signature = inspect.signature(function)
    returns = signature.return_annotation
    annotated = isinstance(returns, type) and issubclass(returns, nn.Module)
    needs = any(one.default is one.empty for one in signature.parameters.values())
    return annotated or (bool(given) and not needs and not set(given) & set(signature.parameters))


def read(settings: list[str]) -> dict[str, str]:
    """`NAME=TEXT` pairs by name. Raises `TraceError` for one of another form, or a name twice."""
    given: dict[str, str] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name.isidentifier() or name in given:
            say = "--arg needs NAME=VALUE, each name once, such as x=-2,-1,1"
            raise TraceError(f"{say}; got {visible(setting)}.")
        given[name] = text
    return given


def bound(
    called: str, signature: inspect.Signature, given: dict[str, str], grad: bool
) -> dict[str, Any]:
    """The arguments to call with. Raises `TraceError` for one that is missing or unknown."""
    wanted = {name: one.annotation for name, one in signature.parameters.items()}
    values = {name: value_of(name, text, wanted.get(name), grad) for name, text in given.items()}
    try:
        signature.bind(**values)
    except TypeError as error:
        raise TraceError(
            f"{called}{signature}: {error}. Give each argument as --arg NAME=VALUE, such as "
            "--arg 'x=randn(2,3):0'."
        ) from None
    return values


def value_of(name: str, text: str, wanted: Any = None, grad: bool = True) -> Any:
    """The value to pass as the argument `name`, from what was typed.

    `wanted` is the parameter's annotation: for int, float, str and bool the value has this type.
    `grad`: whether floats want a gradient if the text doesn't say. Raises `TraceError` if the text
    is no such value.
    """
    plain = wanted if isinstance(wanted, type) else _PLAIN.get(str(wanted))
    if plain is str:
        return text
    if plain in (int, float, bool):
        found = _evaluated(name, text)
        if not isinstance(found, (int, float)):
            raise TraceError(f"{name} is declared as {plain.__name__}; got {visible(text)}.")
        return plain(found)
    expression, seed, word = _TEXT.fullmatch(text).groups()  # type: ignore[union-attr]
    found = _evaluated(name, expression, int(seed or 0))
    try:
        tensor = torch.as_tensor(found)
    except (TypeError, ValueError, RuntimeError):
        raise TraceError(f"{name}: {visible(text)} is no tensor. Give {HELP}.") from None
    if tensor is not found and tensor.dtype == torch.int64:  # whole numbers have no gradient
        tensor = tensor.to(torch.get_default_dtype())
    if word:
        grad = word == "grad"
    return tensor.requires_grad_(grad and (tensor.is_floating_point() or tensor.is_complex()))


def _evaluated(name: str, text: str, seed: int = 0) -> Any:
    """The value of an expression; it comes from whoever also chose the program to run."""
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            return eval(text, dict(vars(torch)))
    except Exception:
        raise TraceError(f"{name}: {visible(text)} is not understood. Give {HELP}.") from None
