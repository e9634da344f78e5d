"""Where TensorFlow is silent the engine is not: errors on entry, in the backward, warnings."""

import threading
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from lessons.gradient_tricks.tricks import (
    TrickError,
    fresh_registry,
    gradient_override_map,
    identity,
    register_gradient,
)
from lessons.gradient_tricks.tricks.registry import registered_names, registered_rule


def passing(op: Any, upstream: torch.Tensor) -> torch.Tensor:
    return upstream


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"Multiply": passing}, "unknown op type 'Multiply': did you mean mul / Mul"),
        ({"Identity": "Idenity"}, "did you mean.*Identity"),
        ({"Identity": 3}, "op type identity\\) is int 3"),
        ({"Mul": passing, "mul": passing}, "'Mul' and 'mul' both name the op type mul"),
        ([("Mul", passing)], "expected a dict"),
        (None, "expected a dict"),
        ({"Identity": lambda op, upstream: 10 * upstream, "Relu": None}, "is None"),
    ],
)
def test_on_entry(given: Any, message: str) -> None:
    x = torch.ones(1, requires_grad=True)
    with pytest.raises(TrickError, match=message), gradient_override_map(given):
        pass
    assert torch.autograd.grad(identity(x), x)[0].item() == 1  # nothing stays installed


def test_a_name_registered_before_the_decorated_call_is_in_time() -> None:
    @gradient_override_map({"Identity": "StrictLate"})
    def late(x: torch.Tensor) -> torch.Tensor:
        return identity(x)

    x = torch.ones(1, requires_grad=True)
    with pytest.raises(TrickError, match="unknown gradient name 'StrictLate'"):
        late(x)
    register_gradient("StrictLate")(lambda op, upstream: 4 * upstream)
    assert torch.autograd.grad(late(x), x)[0].item() == 4


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (lambda op, g: (g, g, g), "wrong count of gradients. Got 3, expected 2"),
        (lambda op, g: g, "wrong count of gradients. Got 1, expected 2"),
        (
            lambda op, g: (g[0], None),
            r"gradient 0 has the wrong shape. Got a tensor of shape \(2,\)",
        ),
        (lambda op, g: (None, g), r"gradient 1 has the wrong shape.*expected shape \(2,\)"),
        (lambda op, g: (g.double(), None), "gradient 0 has the wrong dtype.*torch.float64"),
        (lambda op, g: (g.to("meta"), None), "gradient 0 has the wrong device.*on meta"),
        (lambda op, g: [g, [g]], "gradient 1 is not a tensor. Got list"),
    ],
)
def test_a_rule_that_returns_something_wrong_is_refused(returned: Any, message: str) -> None:
    w, v = torch.ones(2, 2, requires_grad=True), torch.ones(2, requires_grad=True)
    with gradient_override_map({"Mul": returned}):
        y = w * v
    with pytest.raises(TrickError, match=message) as error:
        y.sum().backward()
    assert "for op type mul (op 'mul')" in str(error.value)


def test_an_integer_operand_has_no_gradient() -> None:
    x, index = torch.ones(2, 2, requires_grad=True), torch.tensor([0])
    with gradient_override_map({"index_select": lambda op, g: (op.inputs[0], torch.ones(1))}):
        y = torch.index_select(x, 0, index)
    with pytest.raises(TrickError, match=r"operand is torch\.int64 and can have no gradient"):
        y.sum().backward()


class MineError(Exception):
    """An error of the user's own."""


def test_an_exception_in_a_rule_comes_through_as_it_is() -> None:
    error = MineError("look here")

    def rule(op: Any, upstream: torch.Tensor) -> torch.Tensor:
        raise error

    x = torch.ones(1, requires_grad=True)
    with gradient_override_map({"Identity": rule}):
        y = identity(x)
    with pytest.raises(MineError) as caught:
        y.backward()
    assert caught.value is error


def test_a_key_that_matched_nothing_warns_on_exit() -> None:
    linear, x = torch.nn.Linear(2, 2), torch.ones(1, 2)
    message = "'MatMul' \\(torch's matmul\\) matched no op.*ran: linear, relu.*nn.Linear is linear"
    with (
        pytest.warns(UserWarning, match=message) as caught,
        gradient_override_map({"MatMul": passing}),
    ):
        torch.relu(linear(x))
    assert caught[0].filename == __file__


def test_a_key_matched_in_an_inner_map_or_under_an_exception_does_not_warn() -> None:
    x = torch.ones(1, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with (
            gradient_override_map({"Identity": passing}) as outer,
            gradient_override_map({"Identity": passing}) as inner,
        ):
            identity(x)
        with pytest.raises(MineError), gradient_override_map({"Relu": passing}):
            raise MineError
    assert outer.ran == inner.ran == {"identity": 1}


@pytest.mark.parametrize("name", ["", None, 3, passing, "Relu"])
def test_invalid_rule_names_are_refused(name: Any) -> None:
    message = "'Relu' is an op type" if name == "Relu" else "expected a name"
    with pytest.raises(TrickError, match=message):
        register_gradient(name)


def test_a_rule_that_is_no_function_is_refused() -> None:
    with pytest.raises(TrickError, match="must be a function"):
        register_gradient("StrictNoRule")(None)  # type: ignore[type-var]
    register_gradient("StrictNoRule")(passing)  # the name was not taken by the failure
    with pytest.raises(TrickError, match="'StrictNoRule' is taken, by passing"):
        register_gradient("StrictNoRule")(passing)


def test_out_and_shape_changing_in_place_forms_are_refused_by_name() -> None:
    x = torch.ones(2, 3, requires_grad=True)
    with gradient_override_map({"Mul": passing, "Transpose": passing, "Identity": passing}):
        identity(x)
        with pytest.raises(TrickError, match=r"op 'mul' of type mul.*out="):
            torch.mul(x, x, out=torch.empty(2, 3))
        with pytest.raises(TrickError, match=r"in-place form t_ changes the shape. Use transpose"):
            (x + 0).t_()
    with gradient_override_map({"Mul": passing}), torch.no_grad():
        assert torch.mul(x, 2, out=torch.empty(2, 3)).sum() == 12


@pytest.mark.parametrize("thing", [int, 3, "text"])
def test_only_functions_are_decorated(thing: Any) -> None:
    with pytest.raises(TrickError, match="decorates functions"):
        gradient_override_map({"Mul": passing})(thing)


def test_generators_and_async_functions_are_refused() -> None:
    async def task() -> None: ...

    def steps() -> Iterator[None]:
        yield

    for function in (task, steps):
        with pytest.raises(TrickError, match="would apply to other code"):
            gradient_override_map({"Mul": passing})(function)


def test_leaving_a_map_that_was_not_entered() -> None:
    with pytest.raises(TrickError, match="not inside this map"):
        gradient_override_map({"Mul": passing}).__exit__(None, None, None)


def test_a_fresh_registry_is_this_threads_alone_and_ends_with_the_block() -> None:
    def rule(op: Any, upstream: torch.Tensor) -> torch.Tensor:
        return -upstream

    seen: list[Any] = []
    x = torch.tensor([3.0], requires_grad=True)
    with fresh_registry():
        register_gradient("FreshOne")(rule)
        other = threading.Thread(target=lambda: seen.append(registered_rule("FreshOne")))
        other.start()
        other.join()
        with pytest.raises(TrickError, match="taken"):
            register_gradient("FreshOne")(rule)
        with fresh_registry():
            assert registered_names() == []
        with gradient_override_map({"identity": "FreshOne"}):
            y = identity(x)
    assert seen == [None]
    assert registered_rule("FreshOne") is None
    assert torch.autograd.grad(y, x)[0].tolist() == [-1.0]  # the op keeps its rule
    with pytest.raises(TrickError, match="unknown gradient name"):
        gradient_override_map({"identity": "FreshOne"}).__enter__()
