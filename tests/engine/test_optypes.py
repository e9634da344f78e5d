"""The table of op types: every row, every spelling, every key."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from lessons.gradient_tricks.tricks import TrickError, gradient_override_map, identity, op_types
from lessons.gradient_tricks.tricks.builtin_rules import builtin_rule
from lessons.gradient_tricks.tricks.lookup import NAMES
from lessons.gradient_tricks.tricks.lookup import SPELLINGS as KNOWN
from lessons.gradient_tricks.tricks.optypes import OP_TYPES
from tests.engine.samples import SAMPLES, SPELLINGS
from tests.support.folded import folded
from tests.support.present import present


def matrix() -> torch.Tensor:
    generator = torch.Generator().manual_seed(7)
    return (0.1 + 0.8 * torch.rand(4, 4, generator=generator)).requires_grad_()


def sevens(op: Any, *upstream: Any) -> tuple[torch.Tensor | None, ...]:
    """A gradient no op has."""
    return tuple(torch.full_like(x, 7) if x.is_floating_point() else None for x in op.inputs)


def tensors(output: Any) -> list[torch.Tensor]:
    return [output] if isinstance(output, torch.Tensor) else list(output)


def run(call: Callable[[torch.Tensor], Any], rules: dict[Any, Any]) -> Any:
    torch.manual_seed(3)  # for dropout
    x = matrix()
    if not rules:
        return call(x), None
    with gradient_override_map(rules) as report:
        y = call(x)
    return y, report


ALL = [(name, call) for name, call in SAMPLES.items()] + [
    (name, call) for name, calls in SPELLINGS.items() for call in calls
]


@folded("name, call", ALL)
def test_each_call_is_its_type_keeps_its_bits_and_takes_the_rule(
    name: str, call: Callable[[torch.Tensor], Any]
) -> None:
    plain, _ = run(call, {})
    overridden, report = run(call, {name: sevens})
    assert report.overridden == {name: report.ran[name]}
    for before, after in zip(tensors(plain), tensors(overridden), strict=True):
        assert before.dtype == after.dtype
        assert torch.equal(before, after)
    if type(plain) is not torch.Tensor:
        assert type(plain) is type(overridden)
    floating = [y for y in tensors(overridden) if y.is_floating_point() or y.is_complex()]
    assert all(type(y.grad_fn).__name__ != "NoneType" for y in floating)


@folded("name", sorted(set(op_types()) - {"py_func"}))
def test_the_rule_is_the_gradient(name: str) -> None:
    x, calls = matrix(), []

    def rule(op: Any, *upstream: Any) -> Any:
        calls.append(op)
        return sevens(op)

    with gradient_override_map({name: rule}):
        outputs = tensors(SAMPLES[name](x))
    floating = [y for y in outputs if y.is_floating_point() or y.is_complex()]
    torch.autograd.backward([y.abs().sum() for y in floating])
    assert [op.type for op in calls] == [name]
    assert x.grad is not None
    if all(operand is x for operand in calls[0].inputs):
        assert torch.equal(x.grad, torch.full_like(x, 7) * len(calls[0].inputs))


WRITTEN_OUT = "elu exp log_softmax reciprocal relu relu6 rsqrt sigmoid softmax sqrt tanh"


@pytest.mark.parametrize("name", WRITTEN_OUT.split())
def test_a_built_in_gradient_on_its_own_op_is_torchs(name: str) -> None:
    for x in (matrix(), 16 * matrix() - 8, 6 * matrix().round()):  # at their corners too
        gradients: list[torch.Tensor] = []
        for rules in ({}, {name: builtin_rule(name)}):
            leaf = x.detach().requires_grad_()
            with gradient_override_map(rules):
                y = SAMPLES[name](leaf)
            gradients += torch.autograd.grad(y.square().sum(), leaf)
        torch.testing.assert_close(*gradients, equal_nan=True)


@folded("name", op_types())
def test_every_name_and_every_torch_callable_is_a_key(name: str) -> None:
    row = OP_TYPES[name]
    callables = [c for c, spelling in KNOWN.items() if spelling.type == name]
    assert callables
    for key in (name, *row.tensorflow, *callables):
        _, report = run(SAMPLES[name], {key: sevens})
        assert report.overridden[name] == 1, key


def test_there_are_enough_types_and_nobody_can_empty_the_table() -> None:
    op_types().clear()
    assert len(op_types()) >= 60
    assert all(name == name.lower() for name in op_types())


@pytest.mark.parametrize("key", ["", "zzz", 3, None, torch.nn.LSTM, torch.float32])
def test_what_is_no_op_type_is_refused(key: Any) -> None:
    expected = pytest.raises(TrickError, match="unknown op type")
    with expected, gradient_override_map({key: sevens}):
        pass


def test_calls_that_run_no_op_are_not_counted() -> None:
    x = matrix()
    with gradient_override_map({"Identity": sevens}) as report:
        identity(x)
        _ = x.to(torch.float32), x.float(), x.to("cpu"), x.cpu(), x.shape, x.grad, x.size(), x.dim()
        torch.where(x > 5)
    assert dict(report.ran) == {"identity": 1}


def test_a_move_to_another_device_is_a_cast() -> None:
    elsewhere = torch.ones(1, device="meta")
    for move in (torch.Tensor.cpu, torch.Tensor.cuda):
        choose = KNOWN[move].choose
        assert choose is not None
        assert choose((elsewhere,), {}) == "to"


def test_a_key_may_be_any_callable_that_follows_torchs_override_protocol() -> None:
    x = matrix()
    rule = lambda op, upstream: (sevens(op)[0], None)  # noqa: E731
    with gradient_override_map({torch.cosine_similarity: rule}) as report:
        y = torch.cosine_similarity(x, x.detach())
    y.sum().backward()
    assert torch.equal(present(x.grad), torch.full_like(x, 7))
    assert report.overridden == {"cosine_similarity": 1}


def test_aliases_are_keys_but_do_not_shadow_types() -> None:
    assert NAMES["mm"] == NAMES["bmm"] == ("matmul",)
    assert all(NAMES[name] == (name,) for name in OP_TYPES)
