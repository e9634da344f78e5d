"""The arguments of a traced function, as they are written on the command line.

`x=-2,-1,1` and `x=[[1,2],[3,4]]` are numbers, `x=randn(2,3):0` draws them with the seed 0, `@`
adds a dtype or says whether a gradient is wanted: `x=1,2@float64`, `m=randn(4)@constant`.
"""

import ast
import inspect
import math
import re
from collections.abc import Callable
from typing import Any

import torch

from ..text import listed, visible
from .errors import TraceError

MOST = 50_000_000
"""Numbers that one argument may have."""

DTYPES = {
    str(one).removeprefix("torch."): one
    for one in (
        *(torch.float64, torch.float32, torch.float16, torch.bfloat16),
        *(torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool),
        *(torch.complex64, torch.complex128),
    )
}
_DRAW = re.compile(
    r"(randn|rand|randint|zeros|ones|arange)\(([-\d\s,]*)\)(?::(\d{1,9}))?", re.ASCII
)
_PLAIN = {"int": int, "float": float, "str": str, "bool": bool}
HELP = (
    "numbers (x=-2,-1,1), nested lists (x=[[1,2],[3,4]]), or a shape to draw with a seed "
    "(x=randn(2,3):0; rand, zeros, ones, randint(LOW,HIGH,SHAPE) too). Behind @ a dtype, "
    "constant or grad (x=1,2@float64). python:… hands over a plain value (n=python:3)"
)


def read(settings: list[str]) -> dict[str, str]:
    """`NAME=TEXT` pairs by name. Raises `TraceError` for one of another form, or a name twice."""
    given: dict[str, str] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name.isidentifier():
            raise TraceError(f"--arg needs NAME=VALUE, such as x=-2,-1,1; {visible(setting)} came.")
        if name in given:
            raise TraceError(f"--arg {name} was given twice.")
        given[name] = text
    return given


def value_of(name: str, text: str, wanted: Any = inspect.Parameter.empty, grad: bool = True) -> Any:
    """What to hand over as the argument `name`.

    Args:
        text: as it was typed.
        wanted: the parameter's annotation; int, float, str and bool are met with such a value.
        grad: whether floats want a gradient where the text does not say.

    Raises:
        TraceError: the text says nothing of the kind.
    """
    if text.startswith("python:"):
        return _literal(name, text.removeprefix("python:"))
    plain = wanted if isinstance(wanted, type) else _PLAIN.get(str(wanted))
    if plain is str:
        return text
    if plain in (int, float, bool):
        found = _literal(name, text)
        if not isinstance(found, (int, float)):
            raise TraceError(f"{name} is declared as {plain.__name__}; {visible(text)} came.")
        return plain(found)
    body, *words = text.split("@")
    dtype = None
    for word in (word.strip() for part in words for word in part.split(",")):
        if word in ("constant", "grad"):
            grad = word == "grad"
        elif word in DTYPES:
            dtype = DTYPES[word]
        else:
            raise TraceError(
                f"{name}: after @ stands a dtype ({', '.join(DTYPES)}), constant or grad; "
                f"{visible(word)} came."
            )
    tensor = _tensor(name, body.strip(), dtype)
    return tensor.requires_grad_(grad and (tensor.is_floating_point() or tensor.is_complex()))


def _tensor(name: str, text: str, dtype: torch.dtype | None) -> torch.Tensor:
    drawn = _DRAW.fullmatch(text)
    if drawn:
        made = _drawn(name, drawn[1], [int(n) for n in drawn[2].split(",") if n.strip()], drawn[3])
        return made if dtype is None else made.to(dtype)
    found = _literal(name, text)
    try:
        tensor = torch.tensor(found)
    except (TypeError, ValueError, RuntimeError):
        raise TraceError(f"{name}: {visible(text)} is no tensor. Give {HELP}.") from None
    # 1,2,3 means numbers to differentiate by; whoever wants whole numbers says @int64.
    default = torch.get_default_dtype() if tensor.dtype == torch.int64 else tensor.dtype
    return tensor.to(dtype or default)


def _drawn(name: str, kind: str, sizes: list[int], seed: str | None) -> torch.Tensor:
    low, high = 0, 10
    if kind == "randint":
        if len(sizes) < 2:
            raise TraceError(f"{name}: randint needs LOW, HIGH and a shape: randint(0,10,4).")
        low, high, *sizes = sizes
        if low >= high:
            raise TraceError(f"{name}: randint({low},{high}) leaves nothing to draw.")
    if any(size < 0 for size in sizes) or math.prod(sizes) > MOST:
        raise TraceError(f"{name}: a shape of {sizes} came; at most {MOST:,} numbers are drawn.")
    if kind == "arange":
        return torch.arange(*sizes[:3] or [0])
    generator = torch.Generator().manual_seed(int(seed or 0))
    make: dict[str, Callable[[], torch.Tensor]] = {
        "randn": lambda: torch.randn(sizes, generator=generator),
        "rand": lambda: torch.rand(sizes, generator=generator),
        "randint": lambda: torch.randint(low, high, sizes, generator=generator),
        "zeros": lambda: torch.zeros(sizes),
        "ones": lambda: torch.ones(sizes),
    }
    return make[kind]()


def _literal(name: str, text: str) -> Any:
    words = {"inf": "1e999", "nan": "(1e999-1e999)"}
    spelled = re.sub(r"\b(inf|nan)\b", lambda found: words[found[1]], text)
    try:
        return _evaluated(ast.parse(spelled, mode="eval").body)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise TraceError(f"{name}: {visible(text)} is not understood. Give {HELP}.") from None


def _evaluated(node: ast.expr) -> Any:
    """Literals; and the one difference that stands for NaN."""
    if isinstance(node, (ast.Tuple, ast.List)):
        return [_evaluated(item) for item in node.elts]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
        return _evaluated(node.left) - _evaluated(node.right)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_evaluated(node.operand)
    return ast.literal_eval(node)


def bound(
    called: str, signature: inspect.Signature, given: dict[str, str], grad: bool
) -> dict[str, Any]:
    """The arguments to call with. Raises `TraceError` for one that is missing or unknown."""
    parameters = signature.parameters
    open_ended = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
    takes = [
        name
        for name, one in parameters.items()
        if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)
    ]
    unknown = [] if open_ended else [name for name in given if name not in takes]
    if unknown:
        raise TraceError(
            f"{called} takes {listed(takes) or 'no arguments'}; it has no argument "
            f"{listed(unknown)}. Write --arg {takes[0] if takes else 'NAME'}=…"
        )
    missing = [
        name for name in takes
        if name not in given and parameters[name].default is inspect.Parameter.empty
    ]  # fmt: skip
    if missing:
        example = " ".join(f"--arg {name}=randn(2,3):0" for name in missing)
        raise TraceError(
            f"{called} takes {listed(takes)}; {listed(list(given)) or 'nothing'} came, "
            f"{listed(missing)} is missing. Give it, for instance: {example}"
        )
    annotations = {name: one.annotation for name, one in parameters.items()}
    return {
        name: value_of(name, text, annotations.get(name, inspect.Parameter.empty), grad)
        for name, text in given.items()
    }
