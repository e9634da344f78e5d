"""The playground's TensorFlow and JAX code, run: what each file printed is kept in printed.json.

``python -m tests.playground.equivalents --python PATH [--write]``, PATH with tensorflow and jax in
it (``make verify-equivalents``). test_equivalents.py compares what was kept with ours in every test
run, and asks for a new run when the code has changed.
"""

import argparse
import ast
import hashlib
import json
import math
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lessons.check.compared import flat, one_apart
from lessons.playground.codegen.differences import DIFFERENCES
from lessons.playground.codegen.program_file import code
from lessons.playground.document.contents import Document, Input
from lessons.playground.document.presets import presets
from lessons.playground.language.functions import FUNCTIONS
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.running.outcome import run
from tests.playground import names
from tests.playground.programs import valid

PRINTED = Path(__file__).parent / "printed.json"
TOLERANCE = 1e-6
FRAMEWORKS = ("tensorflow", "jax")
NO_GRADIENT = ("round", "floor", "ceil")
"""What TensorFlow gives None for, and torch zeros."""
RANDOM = 25

_X, _U = (-2.5, -1.0, -0.3, 0.4, 1.0, 1.7), (1.2, -0.9, 0.6, 0.5, -1.5, 1.7)
_SOME = {
    "x": "x", "a": "x", "b": "v", "low": "-1", "high": "1", "condition": "x > u", "scale": "2",
    "factor": "u", "max_norm": "0.5", "axis": "0", "k": "2", "index": "-1", "p": "p", "u": "u",
}  # fmt: skip
_OF_ROWS = ("matmul", "transpose", "softmax", "log_softmax", "onehot_argmax", "logsumexp", "topk",
            "select")  # fmt: skip
_CORNERS = {"maximum": "maximum(x, u)", "minimum": "minimum(x, u)", "abs": "abs(x - 1)",
            "topk": "topk(straight_through(sign)(x), 2)"}  # fmt: skip

# One process runs all files of a framework: importing it takes longer than all of them.
_CHILD = """
import contextlib, io, json, sys
printed = {}
for name, text in json.load(sys.stdin).items():
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(text, name, "exec"), {"__name__": "__main__"})
    printed[name] = json.loads(out.getvalue())
import importlib.metadata
print(json.dumps({"version": importlib.metadata.version(sys.argv[1]), "printed": printed}))
"""


def documents() -> Iterator[tuple[str, Document]]:
    """All presets, each function away from its corners, and random programs with tricks."""
    yield from (("preset " + one.name, one.document) for one in presets())
    yield from (("function " + name, of_function(name)) for name in FUNCTIONS)
    for seed in range(RANDOM):
        document = valid(random.Random(seed), tricks=True)
        try:
            run(document, curves=False)
        except PlaygroundError:
            continue
        yield f"random {seed}", document
    for place, document in enumerate(dict.fromkeys(plain for _, plain in named())):
        yield f"plain names {place}", document


def of_function(name: str) -> Document:
    """A program that calls one function, away from its corners."""
    function = FUNCTIONS[name]
    names = "a, b, c, d, e, f" if function.several else "y"
    given = (Input("x", _X), Input("u", _U), Input("v", tuple(one + 0.05 for one in _U)))
    if name in _OF_ROWS:
        given = (Input("x", ((1.0, 2.0), (3.0, -4.0))), Input("v", (0.5, -2.0)))
    elif name in ("sqrt", "log"):
        given = (Input("x", tuple(abs(one) for one in _X)),)
    elif name == "onehot_sample":
        weights = Input("p", ((0.0, 0.25, 0.5, 0.25), (0.125, 0.5, 0.375, 0.0)))
        given = (weights, Input("u", (0.25, 1.0)))
    called = ", ".join(_SOME[parameter.name] for parameter in function.parameters)
    return Document(given, f"{names} = {name}({called})")


def named() -> list[tuple[Document, Document]]:
    """Pairs of programs: one under names that could collide, and the same one under plain names.

    The first is run but its numbers are not kept: test_names.py compares it with the plain one,
    whose numbers are.
    """
    return names.documents(names.NAMES)


def corners() -> Iterator[tuple[str, str, Document]]:
    """Framework, name and a program for each sentence of ``DIFFERENCES``, where it shows."""
    for framework, sentences in DIFFERENCES.items():
        for op in sentences:
            document = Document(
                (Input("x", _X), Input("u", _U)), f"y = {_CORNERS.get(op, op + '(x)')}"
            )
            yield framework, "corner " + op, document


def texts(framework: str) -> dict[str, str]:
    """Every file of a framework by name."""
    found = {name: code(document, framework) for name, document in documents()}
    return found | {
        name: code(document, framework) for one, name, document in corners() if one == framework
    }


def digest(text: str) -> str:
    """Of a file's code without docstrings; drawn numbers may differ in a last digit elsewhere."""
    tree = ast.parse(text)
    with_docstring = (ast.Module, ast.FunctionDef, ast.ClassDef)
    for node in ast.walk(tree):
        if isinstance(node, with_docstring) and ast.get_docstring(node):
            del node.body[0]
    text = re.sub(r"-?\d+\.\d{9,}", "drawn", ast.unparse(tree))
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


def numbers(document: Document) -> dict[str, Any]:
    """What torch gives for a document, as the files print it."""
    found = run(document, curves=False)
    return {
        "forward": found.values[found.output].tolist(),
        "trick_gradient": {
            name: None if gradient is None else gradient.tolist()
            for name, gradient in found.gradients["trick_gradient"].items()
        },
    }


def apart(mine: Any, theirs: Any, none_is_zero: bool = False) -> float:
    """The largest difference, against the size of ours or 1; infinite where one has nothing."""
    if isinstance(mine, dict):
        if mine.keys() != theirs.keys():
            return math.inf
        return max(apart(mine[name], theirs[name], none_is_zero) for name in mine)
    if mine is None or theirs is None:
        there = theirs if mine is None else mine
        zero = there is None or (none_is_zero and not any(flat(there)))
        return 0.0 if zero else math.inf
    ours, others = flat(mine), flat(theirs)
    if len(ours) != len(others):
        return math.inf
    return max((one_apart(a, b) for a, b in zip(ours, others, strict=True)), default=0.0)


def main() -> int:
    """Run all, compare, tell; 0 when all agree."""
    options = argparse.ArgumentParser(prog="python -m tests.playground.equivalents")
    options.add_argument("--python", required=True, help="with tensorflow and jax in it")
    options.add_argument("--write", action="store_true", help="keep what they printed")
    asked = options.parse_args()
    kept, wrong = {}, 0
    tried = {f"names {place}": document for place, (document, _) in enumerate(named())}
    for framework in FRAMEWORKS:
        files = texts(framework)
        files |= {name: code(document, framework) for name, document in tried.items()}
        quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "JAX_PLATFORMS": "cpu"}
        done = subprocess.run(
            [asked.python, "-c", _CHILD, framework],
            input=json.dumps(files), capture_output=True, text=True, env=os.environ | quiet,
            timeout=600,
        )  # fmt: skip
        if done.returncode:
            sys.exit(f"{framework}: {done.stderr[-2000:]}")
        answer = json.loads(done.stdout.splitlines()[-1])
        kept[framework] = {
            "version": answer["version"],
            "files": {
                name: {"digest": digest(files[name]), "printed": printed}
                for name, printed in answer["printed"].items()
                if name not in tried
            },
        }
        far = [
            name
            for name, one in [*documents(), *tried.items()]
            if not agrees(framework, one, answer["printed"][name])
        ]
        wrong += len(far)
        print(f"{framework} {answer['version']}: {len(files)} files ran; differ: {far or 'none'}")
    if asked.write:
        rows = json.dumps(kept, ensure_ascii=False).replace('}}, "', '}},\n "')
        PRINTED.write_text(rows + "\n", "utf-8")
    return 1 if wrong else 0


def agrees(framework: str, document: Document, printed: dict[str, Any]) -> bool:
    """Whether a file printed our numbers, but for the None that a framework has or has not."""
    lax = framework == "jax" or any(f"{word}(" in document.program for word in NO_GRADIENT)
    return apart(numbers(document), printed, lax) < TOLERANCE


if __name__ == "__main__":
    sys.exit(main())
