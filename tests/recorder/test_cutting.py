"""`cut` against the recorder's own cuts: the same edges, the same gradients, unmoved forwards."""

import pytest
import torch

from lessons.contract.cuts import MOST_CUTS, read_cuts, write_cuts
from lessons.contract.lab import Start
from lessons.gradient_tricks.recorder import record
from lessons.gradient_tricks.recorder.cutting import Cut, cut
from lessons.gradient_tricks.tricks import gradient_override_map, identity
from lessons.gradient_tricks.tricks.rule import Op
from tests.recorder.programs import Program, gradients, recorded
from tests.support.present import present


def halved(op: Op, upstream: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
    return tuple(upstream / 2 if x.is_floating_point() else None for x in op.inputs)


def reflected(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return (2 - w) * (1 / x) + 3.0 * x - (x / 2) ** w


def overridden(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    with gradient_override_map({"Mul": halved, "Identity": lambda op, upstream: -upstream}):
        return identity(x * w) * x + torch.relu(w)


def in_place(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    y = x * 2
    z = y + 0.0
    z.mul_(w)
    z += x
    return z * y


def lists(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    a, b = torch.stack([x, w, x]).unbind(0)[:2]
    return torch.cat([a * b, torch.where(x > 0, x, w)])


PROGRAMS = [reflected, overridden, in_place, lists]


def leaves() -> dict[str, torch.Tensor]:
    x = torch.tensor([-2.0, 0.3, 1.7], dtype=torch.float64, requires_grad=True)
    w = torch.tensor([1.1, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
    return {"x": x, "w": w}


def assert_the_same(program: Program, start: Start, edge: Cut) -> None:
    given, finish = start.leaves, start.finish
    recording = recorded(lambda *_: finish(start.call(program)), [edge], **given)
    plain, output = (finish(start.call(one)) for one in (program, cut(program, [edge])))
    assert torch.equal(output, plain) or plain.isnan().any()
    wanted = [name for name, one in given.items() if one.requires_grad]
    for name, found in zip(wanted, gradients(output.sum(), given), strict=True):
        expected = recording.gradients[name]
        assert (found is None) == (expected is None), (edge, name)
        if found is not None:
            kept = torch.tensor(present(expected).numbers, dtype=found.dtype).reshape(found.shape)
            assert torch.equal(found.nan_to_num(7e7), kept.nan_to_num(7e7)), (edge, name)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_cut_edge_sends_what_the_recorder_says(program: Program) -> None:
    given = leaves()
    with record(given) as recording:
        program(**given)
    edges = [(e.consumer.name, e.operand) for e in recording.edges if e.cuttable]
    assert edges
    for edge in edges:
        assert_the_same(program, Start(given), edge)


def test_several_cuts_at_once() -> None:
    x = torch.tensor(3.0, requires_grad=True)
    both = cut(lambda x: x * x + x, [("mul", 0), ("mul", 1)])
    assert torch.autograd.grad(both(x), x)[0] == 1
    assert not cut(lambda x: x * x, [("mul", 0), ("mul", 1)])(x).requires_grad


def test_a_leaf_called_like_an_op_takes_its_name() -> None:
    mul, y = (torch.tensor(v, requires_grad=True) for v in (3.0, 4.0))

    def program(mul: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return mul * y

    recording = recorded(program, [("mul_1", 0)], mul=mul, y=y)
    assert recording.gradients["mul"] is None
    found = gradients(cut(program, [("mul_1", 0)])(mul, y), {"mul": mul, "y": y})
    assert found[0] is None
    assert found[1] == 3


def test_a_program_is_cut_under_vmap_as_it_is_row_by_row() -> None:
    square = cut(lambda row: row * row.sum(), [("mul", 1)])
    rows = torch.tensor([[1.0, 2.0], [3.0, -5.0]], requires_grad=True)
    (together,) = torch.autograd.grad(torch.vmap(square)(rows).sum(), rows)
    assert torch.equal(together, rows.sum(1, keepdim=True).expand_as(rows))


def test_a_vmap_within_the_program_is_no_op_of_its_own() -> None:
    within = cut(lambda x: torch.vmap(torch.sin)(x * x), [("mul", 0), ("sin", 0)])
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (found,) = torch.autograd.grad(within(x).sum(), x)
    assert torch.allclose(found, x * torch.cos(x * x))


def test_reading_what_was_written() -> None:
    cuts = (("mul", 0), ("mul_1", 1), ("sqrt", 0))
    assert read_cuts(write_cuts(cuts)) == cuts
    assert read_cuts("") == ()
    assert read_cuts("mul:0,mul:0 sqrt:0") == (("mul", 0), ("sqrt", 0))


@pytest.mark.parametrize(
    "text",
    [
        *("mul", "mul:", ":0", "mul:x", "mul:-1", "mul:1:2", "mul:0123", "<script>", "mul:٣"),
        *("a" * 100 + ":0", "mul:0;sqrt:0", ",".join(f"mul_{i}:0" for i in range(MOST_CUTS + 1))),
        "mul:0," * 1_000_000,
    ],
    ids=lambda text: text[:20],
)
def test_hostile_text_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match=r"names no edge|at most"):
        read_cuts(text)
