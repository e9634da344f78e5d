"""Generated files: they need torch alone, and print what the playground shows."""

import ast
import json
import random
import re
import symtable
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from lessons.playground.codegen.emit import python_name
from lessons.playground.codegen.program_file import code, defined_in_the_file, program_code
from lessons.playground.codegen.words import WORDS
from lessons.playground.document.as_text import from_text, to_text
from lessons.playground.document.check import check
from lessons.playground.document.contents import Document, Input, Override
from lessons.playground.document.presets import presets
from lessons.playground.language.functions import CALLABLE, FUNCTIONS
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.running.outcome import run
from tests.playground.programs import of_function, valid
from tests.support.alone import Alone
from tests.support.amount import seeds
from tests.support.folded import folded

MIXED = from_text(
    """input x = [-2, -1, 1]
input u = uniform(0.9, 1.1) seed 0 like x
override mul = grad * sqrt(in2), None
override py_func = grad1 * grad2 * in2, None
override sqrt in z = 1
program
y = x**2
yu = y * u
z = sqrt(yu)
r = straight_through(round)(x) + forward_backward(onehot_argmax, softmax)(x)
s = maximum(x, 0) + clamp(x, -1, 2) + where(x > 0, 1, 0) + clip_gradient_norm(x, 0.1)
a, b, c = py_func(x + u, x * u, x - u)
out = stop_gradient(z - sqrt(y)) + sqrt(y) + a + b + sum(c, -1) + flip_gradient(x) + r + s
"""
)
NAMES = {
    "x": "torch", "u": "rule_1", "y": "overridden", "yu": "gradient_override_map", "z": "json",
    "r": "change_gradient", "s": "inputs", "a": "print", "b": "match", "c": "torch_",
}  # fmt: skip
"""Names that the file has or Python gives a meaning, for those in ``MIXED``."""
CUT_OFF = Document((Input("x", (1.0, 2.0)),), "y = stop_gradient(x)")
"""No gradient comes back at all."""
DOCUMENTS = {
    "mixed": MIXED,
    "names": from_text(
        re.sub(r"\b[a-z]+\b", lambda word: NAMES.get(word[0], word[0]), to_text(MIXED))
    ),
    "cut off": CUT_OFF,
    **{one.name: one.document for one in presets()},
    **{f"function {name}": of_function(name) for name in FUNCTIONS},
}


@folded("document", [MIXED, *(one.document for one in presets())])
def test_a_long_file_says_where_the_learners_own_code_begins(document):
    text = code(document)
    lines = text.split("\n")
    head = ast.get_docstring(ast.parse(text)).split("\n")[1:]
    own = program_code(check(document)).split("\n")[0]  # its first rule, or the program
    line = lines.index(own) + 1
    assert head == ["", WORDS("own_code", line=line)] if head else line < 40


def test_what_torch_lacks_is_named():
    document = Document((Input("x", (1.0, 2.0)),), "y = relu(x)\nz = flip_gradient(step(y))")
    assert defined_in_the_file(program_code(check(document))) == ["flip_gradient", "step"]


def numbers(document: Document) -> str:
    """What the document's file is to print."""
    found = run(document, curves=False)
    gradients = found.gradients["trick_gradient"].items()
    return json.dumps({
        "forward": found.values[found.output].tolist(),
        "trick_gradient": {name: None if one is None else one.tolist() for name, one in gradients},
    })  # fmt: skip


def printed(documents: dict[str, Document], folder: Path, alone: Alone) -> dict[str, str]:
    """What their files print where there is torch alone."""
    for name, document in documents.items():
        (folder / name).write_text(code(document), encoding="utf-8")
    texts = alone.run(folder, [[name] for name in documents])
    return {name: text.rstrip("\n") for name, text in zip(documents, texts, strict=True)}


def test_a_file_needs_only_torch_and_prints_the_same_bits(tmp_path, alone):
    expected = {name: numbers(document) for name, document in DOCUMENTS.items()}
    assert printed(DOCUMENTS, tmp_path, alone) == expected


@pytest.mark.random
def test_so_does_the_file_of_a_random_program(tmp_path, alone):
    documents, expected = {}, {}
    for seed in seeds(50, 150):
        document = valid(random.Random(seed), tricks=True)
        with suppress(PlaygroundError):  # its rule may not fit, or it has a trick within py_func
            expected[f"seed {seed}"] = numbers(document)
            documents[f"seed {seed}"] = document
    assert printed(documents, tmp_path, alone) == expected


def names_around(function: str) -> Iterator[str]:
    """The names that a function reads of the file that it stands in."""
    tables = symtable.symtable(function, "<unknown>", "exec").get_children()
    for table in tables:
        tables += table.get_children()
        yield from (one.get_name() for one in table.get_symbols() if one.is_global())


@folded("document", DOCUMENTS.values())
def test_what_the_program_reads_of_the_file_is_no_name_of_the_learners(document):
    for text in (program_code(check(document)), code(document)):
        (function,) = (one for one in ast.parse(text).body if getattr(one, "name", "") == "program")
        for name in names_around(ast.unparse(function)):
            assert name in CALLABLE or python_name(name) != name


def test_no_two_names_become_one():
    names = [f"{name}{'_' * count}" for name in ("torch", "rule_12", "x") for count in range(4)]
    assert len({python_name(name) for name in names}) == len(names)
    assert python_name("x_") == "x_"


def test_a_rule_stands_in_a_map_in_the_pane_and_around_its_op_in_the_file():
    rule = Override("Mul", "grad * in2, None", ("y",))
    document = Document((Input("x", (1.0,)), Input("u", (2.0,))), "y = x * u\nz = x * y",
                        overrides=(rule,))  # fmt: skip
    with_map = '    with gradient_override_map({"mul": rule_1}):\n        y = x * u\n    z = x * y'
    assert with_map in program_code(check(document))
    around = "    y = overridden(lambda _a, _b: _a * _b, rule_1)(x, u)\n    z = x * y"
    assert around in code(document)
