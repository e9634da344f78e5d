"""The function table: each row runs, is the op type it says, and is spelt the same everywhere."""

import ast

import pytest
import torch

from lessons.playground.document.check import check
from lessons.playground.document.contents import Document, Input
from lessons.playground.language import expressions
from lessons.playground.language.functions import CALLABLE, FUNCTIONS
from lessons.playground.language.words import HELP
from lessons.playground.running.budget import Budget
from lessons.playground.running.execute import forward, live
from lessons.tricks import gradient_override_map, op_types

ARGUMENTS = {
    "x": "x", "a": "x", "b": "u", "low": "-0.5", "high": "0.7", "condition": "x > 0", "scale": "2",
    "factor": "3", "max_norm": "0.1", "axis": "0", "k": "2", "index": "-1", "p": "x", "u": "u",
}  # fmt: skip
MATRICES = {"matmul", "transpose"}


def document_of(name: str) -> Document:
    function = FUNCTIONS[name]
    arguments = ", ".join(ARGUMENTS[p.name] for p in function.parameters)
    x, u = (0.3, -0.4, 0.8), (0.5, 0.9, -0.2)
    inputs = (Input("x", (x, u, x)), Input("u", (u, x, u))) if name in MATRICES else (
        Input("x", x), Input("u", u))  # fmt: skip
    names = "a, b, c" if function.several else "y"
    return Document(inputs, f"{names} = {name}({arguments})")


def ran(document: Document) -> list[str]:
    """The op types that the engine's own map sees; not step's cast and a trick's own view."""
    checked = check(document)
    leaves = {name: value.clone() for name, value in checked.inputs.items()}
    with gradient_override_map({}) as report:
        forward(checked, leaves, False, Budget())
    return [op for op in report.ran if op not in ("to", "view")]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_the_op_type_that_its_row_says(name):
    checked = check(document_of(name))
    there = [op for node in checked.program.nodes for op in expressions.op_types(node)]
    if FUNCTIONS[name].op or FUNCTIONS[name].trick:
        assert there == ran(document_of(name))
    else:
        assert there == []
    assert all(op in op_types() for op in there)


@pytest.mark.parametrize("sign", ["+", "-", "*", "/", "**", "@"])
@pytest.mark.parametrize(("left", "right"), [("x", "u"), ("2", "u"), ("x", "2")])
def test_an_operator_is_the_op_type_it_says(sign, left, right):
    if sign == "@" and "2" in (left, right):
        pytest.skip("a number is no matrix")
    inputs = (Input("x", (1.0, 2.0)), Input("u", (3.0, 4.0)))
    document = Document(inputs, f"y = {left} {sign} {right}")
    assert tuple(ran(document)) == check(document).program.op_types
    x, u = torch.tensor([1.0, 2.0]).double(), torch.tensor([3.0, 4.0]).double()
    expected = {
        "+": torch.add,
        "-": torch.sub,
        "*": torch.mul,
        "/": torch.div,
        "**": torch.pow,
        "@": torch.matmul,
    }[sign](*({"x": x, "u": u}.get(w, 2.0) for w in (left, right)))
    assert torch.equal(live(check(document)).output, expected)


def test_each_function_has_a_sentence_and_each_sentence_a_function():
    assert {*HELP} == {*CALLABLE}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_row_is_complete_and_its_spellings_are_expressions_over_its_parameters(name):
    function = FUNCTIONS[name]
    assert function.help.endswith(".")
    assert function.signature.startswith(f"{name}(")
    for template in (function.torch, function.tensorflow, function.jax):
        names = {n.id for n in ast.walk(ast.parse(template)) if isinstance(n, ast.Name)}
        assert {p.name for p in function.parameters} <= names


def test_integers_are_floats_so_that_nothing_overflows_or_truncates():
    document = Document((Input("x", 1.0),), "a = 1 / 2\nb = 7\ny = x * a + b**20")
    assert live(check(document)).output.item() == 0.5 + 7.0**20


def test_numbers_alone_make_tensors_of_the_documents_own_format():
    for dtype in ("float64", "float32", "bfloat16"):
        document = Document(
            (Input("x", (1.0, -1.0)),), "y = where(x > 0, 1, 0) * sqrt(2) * [1, 2]", dtype=dtype
        )
        assert live(check(document)).output.dtype == getattr(torch, dtype)
