"""A program does under the doctor what it does alone, to the bit, and raises the same error."""

import copy
import gc
import weakref
from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.nn import functional

from lessons.gradient_tricks.doctor import assert_gradients, trace
from tests.support.present import present


class Program:
    """A model with what a watcher could disturb: draws, hooks, buffers, a checkpoint of its own."""

    def __init__(self) -> None:
        torch.manual_seed(1)
        self.net = nn.Sequential(
            nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(inplace=True), nn.Dropout(0.3),
            nn.Linear(8, 3),
        )  # fmt: skip
        self.teacher = copy.deepcopy(self.net)
        self.scale = torch.ones(3, requires_grad=True) * 2
        self.opt = torch.optim.Adam(self.net.parameters(), 1e-2)
        self.x, self.y = torch.randn(6, 4), torch.tensor([0, 1, 2, 0, 1, 2])
        self.hooked: list[torch.Tensor] = []
        next(self.net.parameters()).register_hook(self.doubled)
        self.net[4].register_full_backward_hook(lambda *_: None)

    def doubled(self, gradient: torch.Tensor) -> torch.Tensor:
        self.hooked.append(gradient.clone())
        return gradient * 2

    def step(self) -> object:
        for _ in range(3):
            self.opt.zero_grad()
            out = self.net(self.x) * self.scale
            with torch.no_grad():
                goal = self.teacher(self.x + torch.randn_like(self.x))
            loss = functional.cross_entropy(out, self.y) + (out - goal).square().mean()
            loss.backward()
            nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
            self.opt.step()
        return loss

    def closure(self) -> object:
        """Step with L-BFGS, which computes the loss itself, several times."""
        opt = torch.optim.LBFGS(self.net.parameters(), max_iter=3)

        def loss() -> torch.Tensor:
            opt.zero_grad()
            value = functional.cross_entropy(self.net(self.x), self.y)
            value.backward()
            return value

        return opt.step(loss)

    def wrong(self) -> None:
        self.step()
        present(self.scale.grad).zero_()

    def twice(self) -> None:
        h = self.net(self.x)
        for _ in range(2):
            h.square().mean().backward()

    def seen(self) -> dict[str, torch.Tensor]:
        tensors = {
            **self.net.state_dict(), **{f"teacher.{k}": v for k, v in
                                        self.teacher.state_dict().items()},
            **{f"{k}.grad": v.grad for k, v in self.net.named_parameters() if v.grad is not None},
            **{f"hook {place}": one for place, one in enumerate(self.hooked)},
            "random": torch.get_rng_state(), "next": torch.rand(3),
        }  # fmt: skip
        return {name: one.clone() for name, one in tensors.items()}


@pytest.mark.parametrize("name", ["step", "closure", "wrong", "twice"])
@pytest.mark.filterwarnings("ignore:The .grad attribute")
def test_the_program_is_the_same_to_the_bit(name: str) -> None:
    alone, watched = Program(), Program()
    torch.manual_seed(2)
    raised = result = None
    try:
        result = getattr(alone, name)()
    except Exception as error:
        raised = error
    expected = alone.seen()
    torch.manual_seed(2)
    made = trace(getattr(watched, name))
    found = watched.seen()
    assert found.keys() == expected.keys()
    assert all(torch.equal(found[key], one) for key, one in expected.items())
    assert (type(made.error), str(made.error)) == (
        (type(None), "None") if raised is None else (type(raised), str(raised))
    )
    assert bool(made.faults) == (raised is not None)
    assert result is None or result.grad_fn is not None
    assert not watched.scale.retains_grad
    parameters = [one for one in watched.net.parameters() if one is not watched.net[0].weight]
    assert not any(one._backward_hooks for one in parameters)


def test_a_test_of_ones_own_fails_with_the_cause_its_line_and_the_way_out() -> None:
    net = nn.Linear(2, 1)
    x = torch.ones(3, 2)
    assert assert_gradients(lambda: net(x).square().mean()).faults == []
    with pytest.raises(AssertionError) as caught:
        assert_gradients(lambda: net(x).detach().square().mean())
    said = str(caught.value)
    assert said.startswith("1 fault:\n1. net.weight, net.bias get no gradient: linear(…).detach()")
    assert "tests/doctor/test_alone.py:" in said
    assert "Remove .detach() here" in said


@pytest.mark.filterwarnings("ignore:.*torch.jit.script:Warning")
def test_what_is_opaque_is_said_to_be() -> None:
    net = nn.Linear(2, 1)
    scripted = torch.jit.script(net)
    assert any("scripted" in one for one in trace(lambda: scripted(torch.ones(3, 2)).sum()).notes)
    x = torch.ones(3, requires_grad=True)
    made = trace(lambda x: torch.func.vmap(lambda one: one.detach() * 2 + one)(x).sum(), x)
    assert any("torch.func" in one for one in made.notes)


Activations = list[weakref.ref[torch.Tensor]]
Made = tuple[Callable[[], object], Activations, torch.Tensor]


def network_step() -> Made:
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    opt, x = torch.optim.SGD(net.parameters(), 0.1), torch.randn(5, 3)
    seen: Activations = []

    def step() -> None:
        opt.zero_grad()
        hidden = net[:2](x)
        seen.append(weakref.ref(hidden))
        net[2](hidden).square().mean().backward()
        opt.step()

    return step, seen, next(net.parameters())


def returned_loss() -> Made:
    w, x = torch.randn(3, requires_grad=True), torch.randn(5, 3)
    seen: Activations = []

    def loss() -> torch.Tensor:
        hidden = x @ w
        seen.append(weakref.ref(hidden))
        (slope,) = torch.autograd.grad(hidden.sum(), w, create_graph=True)
        return hidden.square().mean() + slope.sum()

    return loss, seen, w


def weight_that_is_no_leaf() -> Made:
    w, x = torch.randn(3, requires_grad=True), torch.randn(5, 3)
    seen: Activations = []

    def step() -> torch.Tensor | None:
        scaled = w * 2
        seen.append(weakref.ref(scaled))
        (x @ scaled).mean().backward()
        return scaled.grad

    return step, seen, w


def test_a_trace_keeps_no_activation_of_a_program_that_raised() -> None:
    seen: Activations = []

    def step(x: torch.Tensor) -> None:
        hidden = x.exp()
        seen.append(weakref.ref(hidden))
        hidden += 1
        hidden.sum().backward()

    made = trace(step, torch.ones(2, requires_grad=True))
    assert [one.kind for one in made.faults] == ["refused"]
    assert isinstance(made.error, RuntimeError)
    assert seen[0]() is None


@pytest.mark.parametrize("make_program", [network_step, returned_loss, weight_that_is_no_leaf])
@pytest.mark.filterwarnings("ignore:The .grad attribute")
def test_a_trace_keeps_no_activation_and_frees_the_weights_with_itself(
    make_program: Callable[[], Made],
) -> None:
    program, activations, made_weight = make_program()
    weight = weakref.ref(made_weight)
    del made_weight
    gc.collect()
    gc.disable()
    try:
        made = trace(program)
        assert activations
        assert not any(one() is not None for one in activations)
        assert made.html
        del program, made
        assert weight() is None
    finally:
        gc.enable()


@pytest.mark.slow  # loads torch's compiler
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_torch_compile_made_is_watched_op_by_op() -> None:
    compiled: list[torch.fx.GraphModule] = []

    def backend(graph: torch.fx.GraphModule, _: object) -> Callable[..., object]:
        compiled.append(graph)
        return graph.forward

    net = torch.compile(nn.Linear(2, 1), backend=backend)
    halved = torch.compile(lambda x: x.detach() / 2, backend=backend)
    x = torch.ones(3, 2, requires_grad=True)
    made = trace(lambda: net(x).sum())
    assert [node.type for node in made.recording.ops] == ["linear", "sum"]
    assert made.faults == []
    assert any("torch.compile is off" in one for one in made.notes)
    (fault,) = trace(lambda x: halved(x).sum(), x).faults
    assert fault.kind == "detached"
    assert compiled == []
    net(x)
    assert len(compiled) == 1


def test_a_tensor_that_a_module_holds_is_no_parameter_of_it() -> None:
    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = torch.ones(3, requires_grad=True)
            self.head = nn.Linear(3, 1)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.mean(self.head(x * self.scale))

    net, x = Scaled(), torch.randn(2, 3)

    def step(parameters: list[torch.Tensor]) -> None:
        opt = torch.optim.SGD(parameters, 0.1)
        net(x).backward()
        opt.step()

    (fault,) = trace(step, [*net.parameters()]).faults
    assert fault.kind == "not_registered"
    assert "net.scale" in fault.says
    assert "nn.Parameter" in fault.do
    assert trace(step, [*net.parameters(), net.scale]).faults == []
