"""What an op saved and was changed before the backward pass: marked, named, with both numbers."""

import math

import pytest
import torch
from torch.nn import functional

from lessons.gradient_tricks.recorder import RecordError, Recording, RefusedError, record
from lessons.gradient_tricks.recorder.picture.backward_steps import backward_steps
from lessons.gradient_tricks.recorder.picture.sentences import WORDS
from lessons.gradient_tricks.recorder.recording.nodes import Stale
from lessons.gradient_tricks.recorder.recording.saved import refused_words
from lessons.kit.formulas.drawing import covered, picture
from tests.recorder import programs
from tests.recorder.programs import Program
from tests.support.present import present

E, E2 = math.exp(1.0), math.exp(2.0)


def recorded(program: Program, *numbers: float) -> Recording:
    x = torch.tensor(numbers or [1.0, 2.0], dtype=torch.float64, requires_grad=True)
    return programs.recorded(program, x=x)


def marked(recording: Recording) -> dict[str, tuple[Stale, ...]]:
    return {node.name: node.stale for node in recording if node.stale}


def behind_torchs_back(x: torch.Tensor) -> torch.Tensor:
    y = x.exp()
    y.data.add_(1)
    return y.sum()


def test_the_output_that_exp_saved_is_marked_with_both_numbers() -> None:
    (stale,) = recorded(behind_torchs_back).nodes["exp"].stale
    assert (stale.output, stale.operands, stale.name, stale.refused) == (0, (), "y", False)
    assert stale.before.numbers == pytest.approx([E, E2])
    assert stale.now is not None
    assert stale.now.numbers[1] == pytest.approx(E2 + 1)


def test_the_step_says_so_and_multiplies_what_the_backward_pass_reads() -> None:
    recording = recorded(behind_torchs_back)
    drawn = picture(recording, (1,))
    step = next(one for one in drawn["steps"] if one["node"] == "exp")
    changed = WORDS("changed_by", name="y", writer="add", op="exp")
    reads = WORDS("reads_now", entry="y[1]", before="7.389", now="8.389")
    assert f"{changed} {reads}" in step["sentence"]
    (part,) = step["parts"]
    assert float(part["local"]) == pytest.approx(E2 + 1, rel=1e-5)
    assert part["gradient"] == part["local"]
    assert "e^{" not in part["latex"]
    box = next(one for one in drawn["nodes"] if one["id"] == "exp")
    assert box["lines"][-2] == WORDS("changed_since", name="y")
    assert box["stale"][0] in step["sentence"]
    assert box["stale"][0] in drawn["alternative"]
    hidden = covered(drawn)
    assert not any(one["stale"] for one in [*hidden["nodes"], *hidden["edges"]])
    assert box["lines"][-2] not in str(hidden)
    assert reads not in str(hidden)


def test_an_operand_is_marked_at_its_edges_and_read_as_it_is_now() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        z = y * y
        y.data.zero_()
        return z.sum()

    recording = recorded(program)
    (stale,) = recording.nodes["mul"].stale
    assert stale.operands == (0, 1)
    assert [edge.name for edge in recording.edges if edge.stale] == ["mul:0", "mul:1"]
    assert present(recording.gradients["x"]).numbers == [0.0, 0.0]
    step = next(one for one in backward_steps(recording) if one.node == "mul")
    assert [part.local for part in step.parts] == [0.0, 0.0]


def test_a_changed_tensor_that_no_gradient_needs_is_not_stale() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        z = y * 3
        y.data[0] = 0
        y.detach().numpy()[1] = 0
        return (z + y).sum()

    recording = recorded(program)
    assert marked(recording) == {}
    # What reads it afterwards reads what stands there now.
    assert recording.nodes["add_1"].operands[1].value.numbers == [0.0, 0.0]


def edited_by_the_same_number(x: torch.Tensor) -> torch.Tensor:
    y = x.exp()
    y.data.mul_(1)
    y.detach().numpy()
    return y.sum()


def in_place_op_that_saves_its_own_result(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    y.exp_()
    return (y * 1).sum()


def statistics_of_batch_norm(x: torch.Tensor) -> torch.Tensor:
    norm = torch.nn.BatchNorm1d(2, dtype=x.dtype)
    return torch.sum(norm(norm(torch.stack([x, x**2]))).square())


SOUND = (
    edited_by_the_same_number, in_place_op_that_saves_its_own_result, statistics_of_batch_norm
)  # fmt: skip


@pytest.mark.parametrize("program", SOUND, ids=lambda program: program.__name__)
def test_what_the_backward_pass_reads_as_it_was_is_not_stale(
    program: Program,
) -> None:
    assert marked(recorded(program)) == {}


def test_a_transposed_weight_is_compared_as_it_lies() -> None:
    weight = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64, requires_grad=True)

    def program(x: torch.Tensor) -> torch.Tensor:
        h = functional.linear(x.reshape(1, 2), weight)
        weight.data[0, 1] = entry
        return (h * h).sum()

    entry = 2.0
    assert marked(recorded(program)) == {}
    entry = 7.0
    (stale,) = recorded(program).nodes["linear"].stale
    assert stale.before.numbers == [1.0, 2.0, 3.0, 4.0]
    assert present(stale.now).numbers == [1.0, 7.0, 3.0, 4.0]


def test_memory_that_is_exchanged_is_seen() -> None:
    weight = torch.tensor([1.0, 1.0], dtype=torch.float64, requires_grad=True)

    def program(x: torch.Tensor) -> torch.Tensor:
        h = weight * x
        weight.data = torch.zeros(2, dtype=torch.float64)
        return h.sum()

    (stale,) = recorded(program).nodes["mul"].stale
    assert (stale.before.numbers, present(stale.now).numbers) == ([1.0, 1.0], [0.0, 0.0])


def test_an_edit_after_the_block_is_seen_too() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with record({"x": x}) as recording:
        y = x.exp()
        end = y.sum()
    recording.backward(end)
    assert marked(recording) == {}
    y.data.add_(1)
    recording.backward(end)
    assert list(marked(recording)) == ["exp"]
    y.data.copy_(x.detach().exp())
    recording.backward(end)
    assert marked(recording) == {}


def exp_then_add(x: torch.Tensor) -> torch.Tensor:
    y = x.exp()
    y.add_(1)
    return (y * 3).sum()


def product_then_add(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    z = y * y
    y += 1
    return z.sum()


def sigmoid_then_set(x: torch.Tensor) -> torch.Tensor:
    y = x.sigmoid()
    y[0] = 0.0
    return y.sum()


def weight_under_no_grad(x: torch.Tensor) -> torch.Tensor:
    w = (x * 1).detach().requires_grad_()
    h = w * x
    with torch.no_grad():
        w.add_(1)
    return h.sum()


@pytest.mark.parametrize(
    ("program", "where", "by"),
    [
        (exp_then_add, "exp", "add"),
        (product_then_add, "mul", "add_1"),
        (sigmoid_then_set, "sigmoid", "setitem"),
        (weight_under_no_grad, "mul_1", "add"),
    ],
)
def test_a_refusal_names_who_saved_and_who_changed(program: Program, where: str, by: str) -> None:
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    with record({"x": x}) as recording:
        end = program(x)
    with pytest.raises(RefusedError) as caught:
        recording.backward(end)
    assert str(caught.value) == refused_words(recording.nodes[where])
    assert recording.refused == where
    writer = present(recording.nodes[where].stale[0].writer)
    assert (writer.name or writer.type) == by
    assert recording.nodes[where].stale[0].refused
    last = picture(recording)["steps"][-1]
    assert (last["kind"], last["node"]) == ("stopped", where)
    assert last["sentence"] == refused_words(recording.nodes[where])


def test_another_error_is_left_as_it_is() -> None:
    x = torch.tensor([1.0], requires_grad=True)
    with record({"x": x}) as recording:
        end = x.exp().sum()
        end.backward()
    with pytest.raises(RuntimeError, match="second time") as caught:
        recording.backward(end)
    assert not isinstance(caught.value, RecordError)


def test_tensors_saved_through_hooks_are_not_unpacked() -> None:
    asked = []

    def unpack(one: torch.Tensor) -> torch.Tensor:
        asked.append(one)
        return one

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with record({"x": x}) as recording:
        with torch.autograd.graph.saved_tensors_hooks(lambda one: one, unpack):
            y = x.exp()
        end = y.sum()
    recording.backward(end)
    assert len(asked) == 1  # by autograd itself


def test_a_conjugate_view_reads_the_same_memory_and_is_not_stale() -> None:
    z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    with record({"z": z}) as recording:
        end = (z * z.conj()).real.sum()
    recording.backward(end)
    assert marked(recording) == {}
    z.data.mul_(2)
    recording.backward(end)
    assert list(marked(recording)) == ["mul"]


def test_inference_mode_is_recorded() -> None:
    x = torch.tensor([1.0, 2.0])
    with record({"x": x}) as recording, torch.inference_mode():
        y = x * 2
        y.add_(1)
        y.sum()
    assert [recording.ops[place].type for place in (0, -1)] == ["mul", "sum"]


def test_only_a_write_after_the_op_is_blamed() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        y = x + 0
        y.add_(1)
        z = y * y
        y.detach().numpy()[0] = 7.0
        return z.sum()

    (stale,) = recorded(program).nodes["mul"].stale
    assert stale.writer is None
    assert present(stale.now).numbers == [7.0, 3.0]
