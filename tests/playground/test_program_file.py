"""Generated files: torch alone runs anywhere; TensorFlow's and JAX's are Python and complete."""

import ast
import json

import pytest

from lessons.playground.codegen.program_file import code, defined_in_the_file, program_code
from lessons.playground.codegen.words import WORDS
from lessons.playground.document.as_text import from_text
from lessons.playground.document.check import check
from lessons.playground.document.contents import Document, Input, Override
from lessons.playground.document.presets import preset, presets
from lessons.playground.running.outcome import run
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
CUT_OFF = Document((Input("x", (1.0, 2.0)),), "y = stop_gradient(x)")
"""No gradient comes back at all."""


@folded("document", [MIXED, *(one.document for one in presets())])
def test_a_long_file_says_where_the_learners_own_code_begins(document):
    text = code(document)
    lines = text.split("\n")
    head = ast.get_docstring(ast.parse(text)).split("\n")[1:]
    own = program_code(check(document)).split("\n")[0]  # its first rule, or the program
    line = lines.index(own) + 1
    assert head == ["", WORDS("own_code", line=line)] if head else line < 40


@pytest.mark.parametrize(
    ("name", "framework", "own"),
    [
        ("window", "jax", ["clamp"]),
        ("window", "tensorflow", []),
        ("halve", "jax", ["overridden"]),
        ("noise_leaks", "jax", []),
        ("step_sigmoid", "torch", ["stop_gradient", "step"]),
    ],
)
def test_what_is_no_frameworks_own_is_named(name, framework, own):
    assert defined_in_the_file(program_code(check(preset(name)), framework), framework) == own


@pytest.mark.parametrize("document", [MIXED, CUT_OFF, *(one.document for one in presets())])
def test_the_file_for_torch_needs_only_torch(document, tmp_path, alone):
    file = tmp_path / "alone.py"
    file.write_text(code(document), encoding="utf-8")
    (text,) = alone.run(tmp_path, [[file.name]])
    printed, found = json.loads(text), run(document, curves=False)
    assert printed["forward"] == found.values[found.output].tolist()
    for name, gradient in found.gradients["trick_gradient"].items():
        given = printed["trick_gradient"][name]
        assert given == (None if gradient is None else gradient.tolist())


def test_a_map_becomes_a_with_block_in_torch_and_a_wrapped_op_elsewhere():
    rule = Override("Mul", "grad * in2, None", ("y",))
    document = Document((Input("x", (1.0,)), Input("u", (2.0,))), "y = x * u\nz = x * y",
                        overrides=(rule,))  # fmt: skip
    torch_code = program_code(check(document))
    assert 'with gradient_override_map({"mul": rule_1}):\n        y = x * u\n    z = x * y' in (
        torch_code
    )
    for framework in ("tensorflow", "jax"):
        written = program_code(check(document), framework)
        assert "y = overridden(lambda p1, p2: p1 * p2, rule_1)(x, u)\n    z = x * y" in written
