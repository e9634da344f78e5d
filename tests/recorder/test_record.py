"""The recorder changes nothing, sees everything, and its gradients are autograd's."""

import gc
import weakref
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from math import isfinite
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lessons.gradient_tricks.recorder import RecordError, Recording, named, record
from lessons.gradient_tricks.recorder.cutting import cut
from lessons.gradient_tricks.recorder.picture.graph_drawing import picture
from lessons.gradient_tricks.recorder.recording.plain_tensor import Value
from lessons.gradient_tricks.tricks import (
    clip_gradient,
    clip_gradient_norm,
    flip_gradient,
    forward_backward,
    gradient_override_map,
    identity,
    py_func,
    scale_gradient,
    stop_gradient,
    straight_through,
)
from lessons.gradient_tricks.tricks.as_one import one_op
from lessons.gradient_tricks.tricks.rule import Op
from tests.recorder.programs import (
    Instruction,
    Program,
    U,
    X,
    gradients,
    inputs,
    leaf,
    programs,
    recorded,
    run,
)
from tests.support.present import present


def bits(tensor: torch.Tensor | None) -> tuple[torch.Size, torch.dtype, str] | None:
    return None if tensor is None else (tensor.shape, tensor.dtype, repr(tensor.tolist()))


def numbers(value: Value | None) -> Sequence[object] | None:
    return None if value is None else value.numbers


# -- the same bits


@given(programs(), st.sampled_from([torch.float32, torch.float64]))
@pytest.mark.random
def test_recording_changes_no_number_and_its_gradients_are_autograds(
    program: list[Instruction], dtype: torch.dtype
) -> None:
    plain_inputs, seen_inputs = inputs(dtype), inputs(dtype)
    plain = run(program, plain_inputs)
    with record(seen_inputs) as recording:
        seen = run(program, seen_inputs)
    assert bits(seen) == bits(plain)
    expected = gradients(plain, plain_inputs)
    assert [bits(g) for g in gradients(seen, seen_inputs)] == [bits(g) for g in expected]
    recording.backward(seen)
    for name, wanted in zip("xwm", expected, strict=True):
        found = numbers(recording.gradients[name])
        assert repr(found) == repr(None if wanted is None else wanted.flatten().tolist())
    if dtype == torch.float64:
        assert_what_arrives_is_the_sum_over_the_edges(recording, seen)


def assert_what_arrives_is_the_sum_over_the_edges(
    recording: Recording, output: torch.Tensor
) -> None:
    end, _ = recording.node_of(output)
    for node in recording:
        for place, upstream in enumerate(node.upstream):
            edges = [e for e in recording.consumers(node) if e.output == place]
            sent = [e.gradient.numbers for e in edges if e.gradient is not None]
            if node is end or any(e.consumer.inplace for e in edges):
                continue
            if upstream is None:
                assert not sent or node.kind == "stopped"
            else:
                total = [sum(parts) for parts in zip(*sent, strict=True)]
                # A program may overflow, and take one infinity from another. Parts that are added
                # in another order differ by the rounding of the largest.
                largest = max((abs(x) for part in sent for x in part if isfinite(x)), default=0.0)
                assert total == pytest.approx(
                    upstream.numbers, rel=1e-12, abs=1e-12 * max(1.0, largest), nan_ok=True
                )


# -- what is seen


def test_names_types_operands_and_values() -> None:
    x, u = leaf(*X), torch.tensor(U, dtype=torch.float64)
    with record({"x": x, "u": u}) as recording:
        y = x * u
        z = named(2.0 - y * y, "z")
    assert list(recording.nodes) == ["x", "u", "mul", "mul_1", "sub"]
    assert [node.type for node in recording] == ["input", "input", "mul", "mul", "sub"]
    assert [node.kind for node in recording][2:] == ["plain"] * 3
    edges = "mul:0 mul:1 mul_1:0 mul_1:1 sub:0"
    assert " ".join(edge.name for edge in recording.edges) == edges
    node = recording.nodes["sub"]
    assert node.label == "z"
    assert node.numbers == [2.0]
    assert node.outputs[0].shape == (3,)
    assert node.outputs[0].dtype == "float64"
    assert node.outputs[0].numbers == z.tolist()
    assert recording.nodes["mul"].variable == "y"


def test_several_outputs_and_integer_ones() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        values, places = x.topk(2)
        low, high = x.split([1, 2])
        total: torch.Tensor = values.sum() * places.sum() + low.sum() * 10 + high.sum()
        return total

    recording = recorded(program, x=leaf(1.0, 5.0, 3.0))
    topk, split = recording.nodes["topk"], recording.nodes["split"]
    assert topk.outputs[1].dtype == "int64"
    assert present(topk.upstream[0]).numbers == [3.0, 3.0]
    assert topk.upstream[1] is None
    assert [numbers(g) for g in split.upstream] == [[10.0], [1.0, 1.0]]
    assert present(recording.edge("split:0").gradient).numbers == [10.0, 1.0, 1.0]
    assert topk.variable == "values"


def test_an_integer_output_has_no_gradient() -> None:
    recording = recorded(lambda x: x.argmax(), x=leaf(1.0, 5.0))
    assert recording.gradients == {"x": None}
    assert recording.edge("argmax:0").state == "none"


W = torch.tensor([2.0], dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize(
    ("trick", "type_", "kind", "state", "gradient"),
    [
        (stop_gradient, "stop_gradient", "stopped", "stopped", None),
        (lambda x: x.detach(), "stop_gradient", "stopped", "stopped", None),
        (identity, "identity", "plain", "flowing", 4.0),
        (lambda x: flip_gradient(x, 0.5), "flip_gradient", "reversed", "reversed", -2.0),
        (lambda x: scale_gradient(x, 3.0), "scale_gradient", "scaled", "scaled", 12.0),
        (lambda x: clip_gradient(x, -1.0, 1.0), "clip_gradient", "clipped", "clipped", 1.0),
        (lambda x: clip_gradient_norm(x, 2.0), "clip_gradient_norm", "clipped", "clipped", 2.0),
        (straight_through(torch.round), "straight_through", "surrogate", "surrogate", 4.0),
        (
            forward_backward(torch.sign, lambda x: x * W),
            *("forward_backward", "surrogate", "surrogate", 8.0),
        ),
        (lambda x: py_func(torch.exp, x), "py_func", "stopped", "stopped", None),
    ],
)
def test_a_trick_is_one_node_of_its_own_kind(
    trick: Program, type_: str, kind: str, state: str, gradient: float | None
) -> None:
    recording = recorded(lambda x: trick(x) * 4.0 + x * 0.0, x=leaf(0.3))
    node = recording.nodes[type_]
    assert (node.type, node.kind, node.operands[0].state) == (type_, kind, state)
    assert [n.type for n in recording.ops] == [type_, "mul", "mul", "add"]
    assert numbers(node.operands[0].gradient) == (None if gradient is None else [gradient])


def test_a_trick_is_one_node_without_gradients_too() -> None:
    recording = recorded(lambda x: flip_gradient(x) * 2, x=torch.tensor([1.0]))
    assert [node.type for node in recording.ops] == ["flip_gradient", "mul"]


def test_a_tensor_that_only_the_surrogate_reads_is_an_operand() -> None:
    w = leaf(2.0)
    recording = recorded(forward_backward(torch.sign, lambda x: x * w), x=leaf(0.3))
    edges = recording.nodes["forward_backward"].operands
    assert [edge.producer.name for edge in edges] == ["x", "input"]
    assert [numbers(edge.gradient) for edge in edges] == [[2.0], [0.3]]


def ten_times(op: Op, upstream: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return tuple(10 * upstream for _ in op.inputs)


@pytest.mark.parametrize("map_outside", [True, False])
def test_overridden_in_either_order(map_outside: bool) -> None:
    x, w = leaf(3.0), leaf(2.0)
    rules = {"Mul": ten_times, "relu": ten_times}
    if map_outside:
        with gradient_override_map(rules) as report, record({"x": x, "w": w}) as recording:
            y = torch.relu(x * w) + x
    else:
        with record({"x": x, "w": w}) as recording, gradient_override_map(rules) as report:
            y = torch.relu(x * w) + x
    recording.backward(y)
    assert report.overridden == Counter(mul=1, relu=1)
    assert [node.type for node in recording.ops] == ["mul", "relu", "add"]
    assert [node.kind for node in recording.ops] == ["overridden", "overridden", "plain"]
    assert recording.nodes["mul"].rule == "ten_times"
    assert [edge.state for edge in recording.nodes["mul"].operands] == ["overridden"] * 2
    assert present(recording.gradients["x"]).numbers == [101.0]
    assert present(recording.gradients["w"]).numbers == [100.0]


def test_a_rule_that_runs_ops_adds_no_node_even_inside_the_block() -> None:
    x = leaf(3.0)
    with record({"x": x}) as recording, gradient_override_map({"mul": ten_times}):
        y = x * 2.0
        recording.backward(y)
        torch.autograd.grad(y, x, retain_graph=True)
        with torch.no_grad():
            y + 1.0  # as an optimizer computes, which is not drawn either
        assert list(recording.nodes) == ["x", "mul"]
    assert present(recording.gradients["x"]).numbers == [10.0]


def test_in_place_ops_keep_the_value_they_had() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        y = x * 2.0
        z = y.exp()
        y.add_(1.0)
        return z + y

    recording = recorded(program, x=leaf(1.0))
    assert recording.nodes["mul"].outputs[0].numbers == [2.0]
    assert recording.nodes["add"].outputs[0].numbers == [3.0]
    assert recording.nodes["add"].inplace
    assert recording.nodes["add_1"].operands[1].producer.name == "add"


def test_constants_parameters_and_tensors_made_before() -> None:
    before = leaf(2.0) * 3.0
    weight = torch.nn.Parameter(torch.tensor([4.0], dtype=torch.float64))
    constant = torch.tensor([5.0], dtype=torch.float64)
    recording = recorded(lambda: before * weight + constant)
    assert [(n.name, n.kind) for n in recording if n.leaf] == [
        ("input", "input"), ("parameter", "input"), ("const", "constant"),
    ]  # fmt: skip
    assert present(recording.gradients["input"]).numbers == [4.0]
    assert present(recording.gradients["parameter"]).numbers == [6.0]
    assert "const" not in recording.gradients


def test_variables_of_the_source_are_labels() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        c = torch.tensor(3.0)
        low, _ = x.split(1)
        low = low + 0.0
        low *= c
        if (twice := low * 2).sum() > 0:
            total: torch.Tensor = twice + 1
        return total * 4

    recording = recorded(program, x=leaf(1.0, 2.0))
    assert [node.label for node in recording if node.name != "x"] == [
        *("low", "low", "c", "low", "twice", "sum", "gt", "total", "mul_2"),
    ]


def test_complex_and_empty_tensors() -> None:
    x = torch.tensor([1 + 2j], requires_grad=True)
    with record({"x": x}) as recording:
        y = (x * x).abs().sum()
    assert (
        present(recording.backward(y).gradients["x"]).numbers
        == torch.autograd.grad(y, x)[0].tolist()
    )
    assert picture(recording)["nodes"][0]["value"] == "(1+2j)"
    recording = recorded(lambda x: x[:0].sum(), x=leaf(1.0))
    assert picture(recording)["nodes"][1]["value"] == "NaN"


# -- the backward pass


def test_any_result_can_be_gone_back_from_again_and_again() -> None:
    x = leaf(1.0, 2.0)
    with record({"x": x}) as recording:
        y = x * 3.0
        z = y * 2.0
    assert present(recording.backward(z).gradients["x"]).numbers == [6.0, 6.0]
    assert present(recording.backward(y).gradients["x"]).numbers == [3.0, 3.0]
    assert present(recording.edge("mul:0").gradient).numbers == [3.0, 3.0]
    assert recording.edge("mul_1:0").gradient is None
    assert recording.edge("mul_1:0").state == "none"
    assert recording.nodes["mul_1"].upstream == [None]
    assert x.grad is None
    with pytest.raises(RecordError, match="not made in this recording"):
        recording.backward(y + 1)


def test_the_order_is_autograds_own() -> None:
    x = leaf(0.5)
    with record({"x": x}) as recording:
        y = torch.sin(x)
        z = torch.exp(y) * torch.cos(y) + y
    seen = []
    nodes, waiting = [], [z.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in nodes:
            nodes.append(node)
            waiting += [n for n, _ in node.next_functions]
    for node in nodes:
        kind = node.name().removesuffix("Backward0").lower()
        if "accumulate" not in kind:
            node.register_hook(lambda sent, came, kind=kind: seen.append(kind))
    recording.backward(z)
    assert [recording.nodes[name].type for name in recording.order] == seen


# -- what it leaves behind


def test_no_tensor_is_held_after_the_block() -> None:
    x = leaf(1.0, 2.0)
    with record({"x": x}) as recording:
        y = x * 2.0
        e = torch.exp(y)  # held by the graph
        z = e.sum()
    recording.backward(z)
    references = [weakref.ref(tensor) for tensor in (x, y, e, z)]
    gc.disable()
    try:
        del x, y, e, z
        assert [ref() for ref in references] == [None] * 4
    finally:
        gc.enable()
    assert present(recording.gradients["x"]).numbers  # and the numbers are still there


def test_the_graph_does_not_hold_the_recording() -> None:
    x = leaf(1.0)
    with record({"x": x}) as recording:
        y = x * 2.0
    gone = weakref.ref(recording)
    del recording
    gc.collect()
    assert gone() is None
    assert torch.autograd.grad(y, x)[0].tolist() == [2.0]


def test_other_threads_are_not_seen() -> None:
    x = leaf(1.0)

    def other(n: int) -> None:
        mine = leaf(float(n))
        recording = recorded(lambda x: torch.exp(x * 2.0) * x, x=mine)
        assert [node.type for node in recording.ops] == ["mul", "exp", "mul"]
        expected = torch.autograd.grad(torch.exp(mine * 2.0) * mine, mine)[0].tolist()
        assert present(recording.gradients["x"]).numbers == expected

    with record({"x": x}) as outer, ThreadPoolExecutor(4) as pool:
        others = [pool.submit(other, n) for n in range(80)]
        x.sin()
    for one in others:
        one.result()
    assert [node.type for node in outer.ops] == ["sin"]


def test_recordings_may_be_nested_and_survive_an_error() -> None:
    x = leaf(1.0)
    with record({"x": x}) as outer:
        y = x * 2.0
        with suppress(ZeroDivisionError), record({"x": x}) as inner:
            x.sin()
            raise ZeroDivisionError
        y + 1.0
    assert [node.type for node in inner.ops] == ["sin"]
    assert [node.type for node in outer.ops] == ["mul", "sin", "add"]
    assert torch.overrides._get_current_function_mode_stack() == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"inputs": {"x": 3.0}}, "the input 'x' must be a tensor, got float 3.0"),
        ({"inputs": {"a b": torch.ones(1)}}, "a word without spaces and colons"),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(RecordError, match=message), record(**arguments):
        raise AssertionError("the block ran")


def test_a_cut_that_is_nowhere_is_refused() -> None:
    for edge, said in ((("mul", 5), r"\('mul', 5\)"), ("mul:0", "mul:0")):
        message = rf"no edge to cut at {said}\. A cut is a pair"
        with pytest.raises(RecordError, match=message) as caught, record(cuts={edge}):  # type: ignore[arg-type]
            leaf(1.0) * 2.0
        assert "('mul', 0)" in str(caught.value)


def test_an_unknown_edge_is_refused() -> None:
    recording = recorded(lambda x: x * 2.0, x=leaf(1.0))
    with pytest.raises(RecordError, match="The edges: mul:0"):
        recording.edge("mul:1")


def test_a_function_of_ones_own_is_one_op_of_its_first_operands() -> None:
    @one_op("weighed", operands=1)
    def weighed(x: torch.Tensor, weight: torch.Tensor, add: float = 0.0) -> torch.Tensor:
        return (x * weight).sum() + add

    def program(x: torch.Tensor) -> torch.Tensor:
        return weighed(x, torch.tensor([2.0, 3.0]), add=1.0)

    x = leaf(1.0, 5.0)
    with record({"x": x}) as recording:
        loss = weighed(x, torch.tensor([2.0, 3.0]), add=1.0)
    (op,) = recording.backward(loss).ops
    assert (op.name, op.label, op.outputs[0].numbers) == ("weighed", "loss", [18.0])
    assert [(e.producer.name, present(e.gradient).numbers) for e in op.operands] == [
        ("x", [2.0, 3.0])
    ]
    assert not cut(program, [("weighed", 0)])(x).requires_grad
    assert program(x).item() == 18.0


def test_func_transforms_pass_unrecorded() -> None:
    with record() as recording:
        gradient = torch.func.grad(lambda x: (x * x).sum())(torch.tensor([3.0]))
    assert gradient.tolist() == [6.0]
    assert [node.type for node in recording.ops] == []


# -- no_grad blocks and double backward, which no torch function sees


def test_the_block_that_disabled_gradients_is_named_after_an_inner_block() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            with torch.enable_grad():
                inside = x * 3
            after = x * 4
        return inside + after

    nodes = recorded(program, x=leaf(1.0)).nodes
    assert nodes["mul"].off is None
    off = present(nodes["mul_1"].off)
    assert (off.how, off.name) == ("block", "no_grad")


def test_a_slope_with_a_graph_is_an_op_whatever_number_autograd_gave_it() -> None:
    """On a GPU another thread creates it with its own counter; `first = 2**60` imitates that."""

    def program(x: torch.Tensor) -> torch.Tensor:
        (slope,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
        recording.first = 2**60
        return slope.square()

    x = leaf(1.0, 2.0)
    with record({"x": x}) as recording:
        y = program(x)
    assert [node.name for node in recording if node.leaf] == ["x"]
    assert present(recording.backward(y).gradients["x"]).numbers == [36.0, 288.0]
