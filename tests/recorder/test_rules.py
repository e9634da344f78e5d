"""Op types have a local rule or a vector-Jacobian product; each number is autograd's."""

import json
import math
import re

import pytest
import torch
from torch.autograd.functional import jacobian
from torch.nn import functional

from lessons.gradient_tricks.recorder import named
from lessons.gradient_tricks.recorder.derivatives import ELEMENTWISE, local_derivative, terms
from lessons.gradient_tricks.recorder.picture.graph_drawing import picture
from lessons.gradient_tricks.recorder.recording.nodes import Node
from lessons.gradient_tricks.recorder.recording.plain_tensor import LIMIT, NOT_KEPT, place, spelled
from lessons.gradient_tricks.tricks import (
    clip_gradient,
    clip_gradient_norm,
    flip_gradient,
    gradient_override_map,
    identity,
    scale_gradient,
)
from lessons.gradient_tricks.tricks.rule import Op
from lessons.kit.formulas.along_edge import rule
from lessons.kit.formulas.elementwise import FORMULAS
from lessons.kit.formulas.products import PRODUCTS
from lessons.kit.formulas.symbols import latex_number
from tests.recorder.programs import Program, leaf, recorded
from tests.support.folded import folded
from tests.support.present import present

ANY = [-7.0, -2.5, -1.0, -0.3, 0.0, 0.4, 1.0, 2.0, 6.0, 30.0, math.inf, math.nan]
OTHER = [2.0, -2.5, 3.0, 0.0, 0.5, 0.4, -1.0, -2.0, 1.5, 0.7, 2.0, 1.0]
MASK = torch.tensor([True, False] * 6)

CALLS: dict[str, list[Program]] = {
    "identity": [identity],
    "to": [lambda a: a.to(torch.float32)],
    "clone": [torch.clone],
    "add": [torch.add, lambda a, b: torch.add(a, b, alpha=-2.0), lambda a: 3 + a],
    "sub": [torch.sub, lambda a, b: torch.sub(a, b, alpha=0.5), lambda a: 2 - a],
    "mul": [torch.mul, lambda a: 6.0 * a],
    "div": [torch.div, lambda a: 1 / a, lambda a: a / 3.0],
    "remainder": [torch.remainder],
    "fmod": [torch.fmod],
    "pow": [torch.pow, lambda a: a**2, lambda a: a**0, lambda a: a**-1.5, lambda a: 2.0**a],
    "round": [torch.round],
    "relu": [torch.relu, lambda a: functional.relu(a, inplace=False)],
    "hardtanh": [functional.hardtanh, lambda a: functional.hardtanh(a, -2.5, max_val=2.0)],
    "relu6": [functional.relu6],
    "leaky_relu": [
        functional.leaky_relu,
        lambda a: functional.leaky_relu(a, negative_slope=0.3),
    ],
    "elu": [functional.elu, lambda a: functional.elu(a, alpha=0.5)],
    "gelu": [functional.gelu, lambda a: functional.gelu(a, approximate="tanh")],
    "softplus": [functional.softplus, lambda a: functional.softplus(a, beta=2.0, threshold=3.0)],
    "clamp": [
        lambda a: a.clamp(-1.0, 2.0),
        lambda a: a.clamp(max=2.0),
        lambda a: torch.clamp_max(a, 1.0),
        lambda a: a.clamp_min(0.4),
        lambda a, b: torch.clamp(a, b, b + 1.0),
    ],
    "where": [lambda a, b: torch.where(MASK, a, b), lambda a: torch.where(MASK, a, 0.0)],
    "masked_fill": [lambda a: a.masked_fill(MASK, 2.0)],
    "lgamma": [torch.lgamma],
    "dropout": [lambda a: functional.dropout(a, 0.5)],
}


def calls(op_type: str) -> list[Program]:
    if op_type in CALLS:
        return CALLS[op_type]
    for home in (torch, functional):
        if hasattr(home, op_type):
            return [getattr(home, op_type)]
    raise AssertionError(f"no call for {op_type}")


TWO = {"add": (1,), "sub": (1,), "clamp": (4,)}  # calls of two tensors, the first aside
LIMITS = {"softsign", "dropout"}  # ∞/∞ on one side, its limit on the other
CASES = [(name, n, call) for name in ELEMENTWISE for n, call in enumerate(calls(name))]


@folded("op_type, number, call", CASES)
def test_a_local_derivative_is_autograds(op_type: str, number: int, call: Program) -> None:
    tensors = [torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in (ANY, OTHER)]
    first = "b" in ELEMENTWISE[op_type].split() and op_type != "masked_fill"
    binary = number in TWO.get(op_type, ()) or (number == 0 and first)
    given = tensors[: 2 if binary else 1]
    recording = recorded(call, **dict(zip("ab", given, strict=False)))
    node = recording.nodes[op_type]
    edges = [edge for edge in node.operands if edge.producer.requires_grad]
    assert edges
    for edge in edges:
        for at_place in range(len(ANY)):
            mine = local_derivative(edge, (at_place,))
            theirs = edge.gradient.numbers[at_place] if edge.gradient else 0.0
            at = [t.tolist()[at_place] for t in given]
            if op_type == "dropout" and (at[0] == 0 or not math.isfinite(at[0])):
                assert mine is None  # 0 kept and 0 dropped look alike: nothing is claimed
                continue
            assert mine is not None
            if math.isnan(at[0]) or math.isinf(at[0]):
                # At ±inf and NaN formulas differ in form, not where the answer is a number.
                assert math.isfinite(mine) == math.isfinite(theirs) or op_type in LIMITS
                continue
            tolerance = 1e-6 if op_type == "to" else 1e-12
            same = mine == pytest.approx(theirs, rel=tolerance, abs=1e-15, nan_ok=True)
            assert same, f"{op_type} operand {edge.operand} at {at}"


def z_of(program: Program, **given: torch.Tensor) -> Node:
    """The op of a program's result, which it calls z."""
    recording = recorded(lambda *given: named(program(*given), "z"), **given)
    return recording.nodes[present(recording.output)]


def test_a_rule_in_latex_with_the_numbers_put_in() -> None:
    edge = z_of(lambda y_u: torch.sqrt(y_u), y_u=leaf(4.16, 1.0)).operands[0]
    assert rule(edge, (0,)) == (
        r"\frac{\partial z}{\partial y_{u}} = \frac{1}{2\sqrt{y_{u}}}"
        r" = \frac{1}{2\cdot 2.04} = 0.2451"
    )
    assert local_derivative(edge, (0,)) == pytest.approx(0.5 / math.sqrt(4.16))
    assert rule(edge, (1,)).endswith(r"\frac{1}{2\cdot 1} = 0.5")


@pytest.mark.parametrize(
    ("program", "latex"),
    [
        (lambda x: x**2, r"2\cdot x^{2-1} = 2\cdot (-2)^{2-1} = (-4)"),
        (lambda x: x * 3.0, r"\frac{\partial z}{\partial x} = 3"),
        (torch.relu, r"\mathbf{1}[x > 0] = \mathbf{1}[(-2) > 0] = 0"),
        (lambda x: x.clamp(-1.0, 2.0), r"\mathbf{1}[(-1) \le (-2) \le 2] = 0"),
        (lambda x: x * 1e-7, r"= (1\cdot 10^{-7})"),
        (lambda x: flip_gradient(x, 0.5), r"\bar{x} = -0.5\cdot\bar{z}"),
        (lambda x: flip_gradient(x), r"\bar{x} = -1\cdot\bar{z}"),
        (lambda x: scale_gradient(x, 3.0), r"\bar{x} = 3\cdot\bar{z}"),
        (lambda x: clip_gradient(x, low=-0.1, high=0.1), r"\max(\bar{z},\,(-0.1)),\,0.1)"),
        (lambda x: clip_gradient_norm(x, 2.0), r"\frac{2}{\lVert\bar{z}\rVert}"),
        (lambda x: x.cumsum(0), r"\text{shape }1\to 1"),
    ],
)
def test_rules_of_one_input(program: Program, latex: str) -> None:
    assert latex in rule(z_of(program, x=leaf(-2.0)).operands[0])


def test_a_product_states_the_shapes() -> None:
    a, b = leaf(*range(6)).reshape(2, 3), leaf(*range(12)).reshape(3, 4)
    node = z_of(torch.matmul, input=a, other=b)
    texts = [rule(edge) for edge in node.operands]
    assert texts[0].startswith(r"\bar{\text{input}} = \bar{z}\,\text{other}^{\top}")
    assert texts[1].startswith(r"\bar{\text{other}} = \text{input}^{\top}\,\bar{z}")
    assert texts[1].endswith(r"\text{shape }2\times 4\to 3\times 4")
    assert local_derivative(node.operands[0]) is None


def test_an_overridden_op_has_the_name_of_its_rule() -> None:
    def halve(op: Op, upstream: torch.Tensor) -> torch.Tensor:
        return 0.5 * upstream

    with gradient_override_map({"square": halve}):
        (edge,) = z_of(torch.square, x=leaf(3.0)).operands
    assert rule(edge) == r"\bar{x} = \text{halve}(\text{op}, \bar{z})_{0}"
    assert local_derivative(edge) is None


def test_no_placeholder_is_left_and_brackets_match() -> None:
    letters = re.compile(r"@[a-z]")
    for name, row in FORMULAS.items():
        known = {word.partition("=")[0] for word in ELEMENTWISE[name].split()} | {"z"}
        assert set(row) <= known, name
        for local in row.values():
            for text in (local.latex, local.in_numbers):
                assert set(re.findall(r"@([a-z]+)", text)) <= known, name
                assert text.count("{") == text.count("}"), name
    for name, texts in PRODUCTS.items():
        for text in texts:
            assert text.count("{") == text.count("}"), name
            assert text.count(r"\left") == text.count(r"\right"), name
    for edge in z_of(lambda x: torch.softmax(x, 0), x=leaf(1.0, 2.0)).operands:
        assert not letters.search(rule(edge))


def test_numbers_in_formulas() -> None:
    assert latex_number(math.inf) == r"\infty"
    assert latex_number(-math.inf) == r"(-\infty)"
    assert latex_number(math.nan) == r"\text{NaN}"


SHAPES = [(), (1,), (3,), (8, 1)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("op_type", ["mul", "div", "pow", "maximum"])
def test_what_is_said_of_a_leaf_that_a_batch_reads_is_autograds(
    op_type: str, shape: tuple[int, ...]
) -> None:
    # Its gradient is a sum. Each summand is autograd's, and no one of them stands for all.
    batch = torch.linspace(0.4, 2.7, 24, dtype=torch.float64).reshape(8, 3).requires_grad_()
    w = torch.full(shape, 1.3, dtype=torch.float64, requires_grad=True)
    call = getattr(torch, op_type)
    recording = recorded(lambda x, w: named(call(x, w), "z").square().mean(), x=batch, w=w)
    node = recording.nodes[op_type]
    edge = node.operands[1]
    exact = jacobian(lambda w: call(batch.detach(), w), w.detach())
    found = terms(edge, (5, 2), 24)
    assert len(found) == 24 // w.numel()
    for position, local in found:
        assert local == pytest.approx(exact[position][place((5, 2), shape)].item(), rel=1e-12)
    sent = sum(present(node.upstream[0]).component(position) * local for position, local in found)
    assert sent == pytest.approx(present(recording.gradients["w"]).component((5, 2)), rel=1e-12)
    latex = rule(edge, (5, 2)).partition(r"\qquad")[0]
    assert latex.startswith(r"\bar{w} = \sum\bar{z}\cdot")
    assert latex.count(" = ") == 2  # the sum, and the formula without numbers


def test_complex_numbers_have_no_real_formula() -> None:
    recording = recorded(
        lambda w: (w * torch.tensor([1 + 2j, 3 - 1j])).abs().sum(), w=leaf(1.0, 2.0)
    )
    assert local_derivative(recording.nodes["mul"].operands[0]) is None


def test_a_number_that_was_not_kept_is_no_nan() -> None:
    recording = recorded(lambda w: (torch.ones(LIMIT, 3) * w).sin().sum(), w=leaf(1.0, 1.0, 1.0))
    drawn = picture(recording, (LIMIT - 1, 2))
    assert "NaN" not in json.dumps(drawn, ensure_ascii=False)
    values = {node["id"]: node["value"] for node in drawn["nodes"]}
    assert values["mul"] == spelled(NOT_KEPT)
